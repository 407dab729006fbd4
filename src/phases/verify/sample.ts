import type { VerifyReport } from '../../core/events.ts';
import type { Hash64 } from '../../core/verify/checksum.ts';
import { throwIfAborted } from '../run-state.ts';
import { batches, type Comparison, type DifferenceSink } from './comparison.ts';
import { type Judgement, type JudgeScope, judgeKeys, judgeReferences, referenceShape } from './judge.ts';
import { judgeIds } from './judge-ids.ts';

/**
 * Compares three samples field by field, on a path that shares nothing with the encoder: random rows, keys that changed during the run, keys that were
 * deleted. The last two are where a lost update or a resurrected document would be.
 */
export async function sampleDocuments(comparison: Comparison, hash: Hash64, sink: DifferenceSink): Promise<VerifyReport['sampled']> {
  const { context, frozen, snapshotName, rejected } = comparison;
  const scope: JudgeScope = { context, frozen, snapshotName, rejected, hash };
  if (context.mode === 'sample') await sampleIndex(scope, sink);
  return {
    random: await sampleRandom(scope, sink),
    changed: await sampleKeys(scope, context.replay.changedKeys(), sink),
    deleted: await sampleKeys(scope, context.replay.deletedKeys(), sink),
  };
}

async function sampleRandom(scope: JudgeScope, sink: DifferenceSink): Promise<number> {
  const { source, table, sample, seed } = scope.context;
  if (sample === 0) return 0;
  const rows = await source.readReference({
    table,
    ...referenceShape(scope.context),
    snapshotName: scope.snapshotName,
    rows: { random: sample, seed },
  });
  let judged = 0;
  for (const batch of batches(rows)) judged += tell(await judgeReferences(scope, batch), sink, scope);
  return judged;
}

/** Random documents of the index: the only place where a sample meets one that has no row. */
async function sampleIndex(scope: JudgeScope, sink: DifferenceSink): Promise<void> {
  const { context, frozen, hash } = scope;
  const ids = await frozen.randomIds(context.sample, hash.h32Raw(Buffer.from(context.seed)) & 0x7fffffff);
  for (const batch of batches(ids)) tell(await judgeIds(scope, batch), sink, scope);
  context.audit?.sampledDocuments(ids.length);
}

async function sampleKeys(scope: JudgeScope, keys: readonly (readonly string[])[], sink: DifferenceSink): Promise<number> {
  let judged = 0;
  for (const batch of batches(keys)) judged += tell(await judgeKeys(scope, batch), sink, scope);
  return judged;
}

function tell(judgements: readonly Judgement[], sink: DifferenceSink, scope: JudgeScope): number {
  throwIfAborted(scope.context.signal);
  for (const { difference, key } of judgements) {
    if (difference !== null) sink.found(difference, key);
  }
  return judgements.length;
}
