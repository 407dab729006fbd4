import { CopyTextReader } from '../../core/encode/copy-text.ts';
import { DocumentEncoder } from '../../core/encode/document.ts';
import type { DocumentPlan } from '../../core/encode/document-plan.ts';
import { BulkBody } from '../../core/sink/bulk-body.ts';
import type { SourceTable } from '../../core/table.ts';
import type { ChunkRequest, Clock, Source } from '../ports.ts';

/** What reading a piece of the table told: nothing is written anywhere. */
export interface Probe {
  readonly rows: number;
  /** Of the fastest of several readings. */
  readonly milliseconds: number;
  /** Heap blocks read. */
  readonly blocks: number;
}

/** 2 MiB of heap: tens of milliseconds. */
const BLOCKS = 256;
const BODY_BYTES = 1 << 20;
/** The first reading pays for cold caches and for compiling; what a load of any size goes on with is what it comes to. */
const READINGS = 6;
const LONGEST_MS = 500;

/** Reads and encodes the first blocks of the table's largest relation a few times; null if it has none. */
export async function probeTable(source: Source, clock: Clock, table: SourceTable, plan: DocumentPlan): Promise<Probe | null> {
  const leaf = [...table.leaves].sort((a, b) => b.blocks - a.blocks)[0];
  if (leaf === undefined || leaf.blocks === 0) return null;
  const blocks = Math.min(BLOCKS, leaf.blocks);
  const request = { leaf, from: 0, to: blocks, columns: plan.columns, where: plan.where };
  const startedAt = clock.now();
  let fastest = await readOnce(source, clock, request, plan);
  for (let reading = 1; reading < READINGS && clock.now() - startedAt < LONGEST_MS; reading++) {
    const next = await readOnce(source, clock, request, plan);
    if (next.milliseconds < fastest.milliseconds) fastest = next;
  }
  return { ...fastest, blocks };
}

async function readOnce(source: Source, clock: Clock, request: ChunkRequest, plan: DocumentPlan): Promise<Pick<Probe, 'rows' | 'milliseconds'>> {
  const encoder = new DocumentEncoder(plan);
  const copy = new CopyTextReader(plan.columns.length);
  const body = new BulkBody('external', BODY_BYTES);
  const reader = await source.openChunk(request);
  try {
    const startedAt = clock.now();
    for await (const bytes of reader.chunks()) {
      copy.push(bytes, (row) => void body.appendRow(encoder, row, 0n));
      if (body.byteLength > BODY_BYTES) body.clear();
    }
    return { rows: copy.end(), milliseconds: Math.max(1, clock.now() - startedAt) };
  } finally {
    await reader.close();
  }
}
