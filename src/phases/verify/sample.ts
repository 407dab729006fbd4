import type { VerifyReport } from '../../core/events.ts';
import type { Hash64 } from '../../core/verify/checksum.ts';
import { throwIfAborted } from '../build/run-state.ts';
import { batches } from '../flow/batches.ts';
import { BatchSize } from './batch-size.ts';
import type { Comparison, DifferenceSink } from './comparison.ts';
import { type Judgement, type JudgeScope, judgeKeys, referenceShape } from './judge.ts';
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

/** Only the keys are drawn at once: ten thousand wide rows would not fit in memory. */
async function sampleRandom(scope: JudgeScope, sink: DifferenceSink): Promise<number> {
  const { source, table, sample, seed } = scope.context;
  if (sample === 0) return 0;
  const drawn = await source.readReference({
    table,
    ...referenceShape(scope.context),
    fields: [],
    snapshotName: scope.snapshotName,
    rows: { random: sample, seed },
  });
  return sampleKeys(
    scope,
    drawn.map(({ key }) => key),
    sink,
  );
}

/** Random documents of the index: the only place where a sample meets one that has no row. */
async function sampleIndex(scope: JudgeScope, sink: DifferenceSink): Promise<void> {
  const { context, frozen, hash } = scope;
  const ids = await frozen.randomIds(context.sample, hash.h32Raw(Buffer.from(context.seed)) & 0x7fffffff);
  for (const batch of batches(ids)) tell(await judgeIds(scope, batch), sink, scope);
  context.audit?.sampledDocuments(ids.length);
}

async function sampleKeys(scope: JudgeScope, keys: readonly (readonly string[])[], sink: DifferenceSink): Promise<number> {
  const batch = new BatchSize();
  let judged = 0;
  for (let at = 0; at < keys.length; ) {
    const some = keys.slice(at, at + batch.rows);
    judged += tell(await judgeKeys({ ...scope, batch }, some), sink, scope);
    at += some.length;
  }
  return judged;
}

function tell(judgements: readonly Judgement[], sink: DifferenceSink, scope: JudgeScope): number {
  throwIfAborted(scope.context.signal);
  for (const { difference, key } of judgements) {
    if (difference !== null) sink.found(difference, key);
  }
  return judgements.length;
}
