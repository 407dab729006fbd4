import { throwIfAborted } from '../build/run-state.ts';
import type { ScannedDocument } from '../sink-ports.ts';
import type { Comparison } from './comparison.ts';

/** Reads every document of the frozen index, in no particular order; returns how many there were. */
export async function scanSink(comparison: Comparison, stop: AbortSignal, visit: (id: Buffer, document: ScannedDocument) => void): Promise<number> {
  let documents = 0;
  for await (const page of comparison.frozen.scan()) {
    throwIfAborted(stop);
    documents += page.length;
    for (const document of page) visit(Buffer.from(document.id, 'utf8'), document);
    await comparison.context.audit?.paceSink(page.length);
  }
  return documents;
}
