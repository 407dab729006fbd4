import { systemClock } from '../../src/cli/clock.ts';
import type { DocumentPlan } from '../../src/core/encode/document-plan.ts';
import { planIndex } from '../../src/core/plan/plan-index.ts';
import type { SourceTable } from '../../src/core/table.ts';
import type { ChangeStream, Source } from '../../src/phases/ports.ts';
import { StepReader } from '../../src/phases/replay/step-reader.ts';
import { defaultOptions, indexConfig } from '../../test/e2e/in-process.ts';
import { ALIAS } from './measured-rebuild.ts';

/** A slot whose stream is read and never acknowledged, so that it can be read again; its publication has its name. */
interface DrainedSlot {
  readonly source: Source;
  readonly slot: string;
}

interface DrainRequest extends DrainedSlot {
  /** Row changes to wait for. */
  readonly changes: number;
}

const READ_TIMEOUT_MS = 1000;
const SILENT_MS = 30_000;
const ROW_CHANGES: ReadonlySet<number | undefined> = new Set(['I', 'U', 'D'].map((letter) => letter.charCodeAt(0)));

/** Reads until every change has come; only the first byte of a message is looked at. */
export async function drainRaw(request: DrainRequest): Promise<void> {
  await drain(request, async (stream) => {
    const messages = await stream.read(READ_TIMEOUT_MS);
    return messages.reduce((sum, message) => sum + (message.kind === 'data' && ROW_CHANGES.has(message.piece[message.start]) ? 1 : 0), 0);
  });
}

/** Reads as long as `work` lasts, and throws away what comes; gives what `work` comes to. */
export async function whileReceiving<T>(drained: DrainedSlot, work: () => Promise<T>): Promise<T> {
  const stream = await openDrained(drained);
  let goesOn = true;
  const worked = work().finally(() => {
    goesOn = false;
  });
  try {
    while (goesOn) await stream.read(READ_TIMEOUT_MS);
    return await worked;
  } finally {
    // It needs what the caller will take away.
    await Promise.allSettled([worked]);
    await stream.close();
  }
}

/** Reads until every change has come, decoded and collapsed to one operation per key. */
export async function drainDecoded(request: DrainRequest): Promise<void> {
  const table = await request.source.describeTable('public.products');
  if (table === null) throw new Error('the table products is gone');
  const documents = planIndex(table, indexConfig({ alias: ALIAS, table: 'public.products' })).documentPlan;
  let reader: StepReader | null = null;
  await drain(request, async (stream) => {
    reader ??= readerOf(stream, table, documents);
    const { steps } = await reader.next(READ_TIMEOUT_MS, null);
    return steps.reduce((sum, step) => sum + (step.kind === 'transaction' ? step.transaction.rowChanges : 0), 0);
  });
}

function readerOf(stream: ChangeStream, table: SourceTable, documents: DocumentPlan): StepReader {
  return new StepReader({ clock: systemClock, documents, table, options: defaultOptions }, stream);
}

async function drain({ source, slot, changes }: DrainRequest, read: (stream: ChangeStream) => Promise<number>): Promise<void> {
  const stream = await openDrained({ source, slot });
  try {
    let seen = 0;
    // Many reads bring only a part of a large transaction: how many of them have brought nothing says nothing.
    for (let heardAt = performance.now(); seen < changes; ) {
      const arrived = await read(stream);
      seen += arrived;
      if (arrived > 0) heardAt = performance.now();
      else if (performance.now() - heardAt > SILENT_MS) throw new Error(`${seen} of ${changes} changes came`);
    }
  } finally {
    await stream.close();
  }
}

async function openDrained({ source, slot }: DrainedSlot): Promise<ChangeStream> {
  const from = (await source.readSlot(slot))?.confirmedFlushLsn ?? 0n;
  return source.openStream({ slot, publication: slot, from });
}
