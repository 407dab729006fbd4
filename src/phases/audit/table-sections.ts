import { ByteWriter } from '../../core/encode/byte-writer.ts';
import { CopyTextReader } from '../../core/encode/copy-text.ts';
import { DocumentEncoder } from '../../core/encode/document.ts';
import { keyTexts, type Row } from '../../core/row.ts';
import type { Leaf, SourceTable } from '../../core/table.ts';
import { closingAfter } from '../flow/closing-after.ts';
import type { VerifyContext } from '../verify/comparison.ts';
import { PendingDocuments } from '../verify/pending-documents.ts';
import type { Section, SectionScope } from './sections.ts';
import type { AuditPosition } from './state.ts';

const ROWS_PER_SECTION = 5_000;

/** The table in ranges of blocks, leaf after leaf, from the position on. A leaf that was rewritten since begins anew, one that is gone is passed over. */
export async function* tableSections(scope: SectionScope, from: AuditPosition | null): AsyncGenerator<Section> {
  const { table } = scope.context;
  const leaves = table.leaves.toSorted((a, b) => a.oid - b.oid);
  const start = from?.side === 'table' ? from : null;
  const total = leaves.reduce((sum, { blocks }) => sum + blocks, 0);
  let before = 0;
  for (const [at, leaf] of leaves.entries()) {
    let block = firstBlock(leaf, start);
    while (block !== null) {
      const to = block + blocksPerSection(table);
      const last = to >= leaf.blocks;
      const figures = await compareRange(scope, { leaf, from: block, to: last ? null : to });
      const next = last ? startOf(leaves[at + 1]) : positionIn(leaf, to);
      yield { ...figures, next, covered: (before + Math.min(to, leaf.blocks)) / Math.max(1, total) };
      block = last ? null : to;
    }
    before += leaf.blocks;
  }
}

type TablePosition = Extract<AuditPosition, { side: 'table' }>;

/** Null for a leaf that an earlier run has passed. */
function firstBlock(leaf: Leaf, start: TablePosition | null): number | null {
  if (start === null || leaf.oid > start.leaf) return 0;
  if (leaf.oid < start.leaf) return null;
  return leaf.relfilenode === start.relfilenode ? start.block : 0;
}

function positionIn({ oid, relfilenode }: Leaf, block: number): TablePosition {
  return { side: 'table', leaf: oid, relfilenode, block };
}

function startOf(leaf: Leaf | undefined): TablePosition | null {
  return leaf === undefined ? null : positionIn(leaf, 0);
}

function blocksPerSection({ estimatedRows, leaves }: SourceTable): number {
  const blocks = leaves.reduce((sum, leaf) => sum + leaf.blocks, 0);
  // Never analysed: 8 KiB hold about fifty rows of 150 bytes.
  const rowsPerBlock = estimatedRows > 0 && blocks > 0 ? estimatedRows / blocks : 50;
  return Math.max(1, Math.ceil(ROWS_PER_SECTION / rowsPerBlock));
}

interface Range {
  readonly leaf: Leaf;
  readonly from: number;
  readonly to: number | null;
}

/** Reads the rows under a snapshot, then the index as it is after that: ahead of the rows, never behind, if whoever feeds it keeps up. */
async function compareRange({ context, suspects }: SectionScope, range: Range): Promise<Pick<Section, 'rows' | 'rejected' | 'documents'>> {
  const { source, sink, replay, plan, index } = context;
  const reader = await source.openChunk({ ...range, columns: plan.columns, where: plan.where });
  return closingAfter(
    () => reader.close(),
    async () => {
      await replay.waitUntilApplied(await source.insertLsn());
      await sink.refresh(index);
      const frozen = await sink.freeze(index);
      return closingAfter(
        () => frozen.close(),
        () => compareRows(context, reader.chunks(), new PendingDocuments(context, frozen, suspects)),
      );
    },
  );
}

async function compareRows(
  context: VerifyContext,
  chunks: AsyncIterable<Buffer>,
  pending: PendingDocuments,
): Promise<Pick<Section, 'rows' | 'rejected' | 'documents'>> {
  const { plan, rejectedIds, audit } = context;
  const encoder = new DocumentEncoder(plan);
  const writer = new ByteWriter(64 * 1024);
  const reader = new CopyTextReader(plan.columns.length);
  let rows = 0;
  let rejected = 0;
  let paced = 0;
  const visit = (row: Row): void => {
    rows++;
    writer.reset();
    const id = encoder.id(row);
    if (!Buffer.isBuffer(id) || rejectedIds.has(id.toString('utf8')) || encoder.encode(row, writer) !== undefined) rejected++;
    else {
      const key = keyTexts(row, plan.key);
      pending.add(id.toString('utf8'), writer.view(), key);
    }
  };
  for await (const chunk of chunks) {
    reader.push(chunk, visit);
    await pending.compareIfMany();
    await audit?.paceSource(rows - paced);
    paced = rows;
  }
  reader.end();
  await pending.compareAll();
  return { rows, rejected, documents: 0 };
}
