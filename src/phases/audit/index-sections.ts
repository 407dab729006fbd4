import { closingAfter } from '../flow/closing-after.ts';
import { judgeIds } from '../verify/judge-ids.ts';
import type { Section, SectionScope } from './sections.ts';
import type { AuditPosition } from './state.ts';

/** So many documents are read from one point in time, before it is opened anew. */
const DOCUMENTS_PER_SECTION = 10_000;

/**
 * The index in the order of its sequence numbers, from the position on: a document that is not written keeps its number, so a later run finds its place
 * again, and one that is written moves to where it will still be seen. Each is compared with its row on the path that shares nothing with the encoder.
 */
export async function* indexSections(scope: SectionScope, from: AuditPosition | null): AsyncGenerator<Section> {
  let seqNo = from?.side === 'index' ? BigInt(from.seqNo) : 0n;
  let seen = 0;
  for (let open = true; open; ) {
    const { documents, last, done, total } = await compareFrom(scope, seqNo);
    open = !done;
    seqNo = last;
    seen += documents;
    // What lies before the position is counted from the end: what is written meanwhile moves there.
    const covered = done ? 1 : Math.min(0.99, seen / Math.max(1, total));
    yield { rows: 0, rejected: 0, documents, next: done ? null : { side: 'index', seqNo: String(seqNo) }, covered };
  }
}

interface Pages {
  readonly documents: number;
  /** The number after the last one seen. */
  readonly last: bigint;
  readonly done: boolean;
  /** Documents from here to the end. */
  readonly total: number;
}

async function compareFrom(scope: SectionScope, seqNo: bigint): Promise<Pages> {
  const { context } = scope;
  await context.sink.refresh(context.index);
  const frozen = await context.sink.freeze(context.index);
  return closingAfter(
    () => frozen.close(),
    async () => {
      const judging = { context, frozen, snapshotName: null, rejected: context.rejectedIds, hash: scope.hash };
      const total = await frozen.count();
      let documents = 0;
      let last = seqNo;
      for await (const page of frozen.fromSequence(seqNo)) {
        for (const { difference, key } of await judgeIds(judging, page.ids)) {
          if (difference !== null) scope.suspects.found(difference, key);
        }
        documents += page.ids.length;
        last = page.lastSeqNo + 1n;
        await context.audit?.paceSink(page.ids.length);
        // The next section begins with the same number again.
        if (documents >= DOCUMENTS_PER_SECTION) return { documents: documents - page.atLast, last: page.lastSeqNo, done: false, total };
      }
      return { documents, last, done: true, total };
    },
  );
}
