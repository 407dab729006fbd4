import { parseControl } from '../core/control.ts';
import { Failure } from '../core/failure.ts';
import type { Checkpoint } from './build/checkpoint.ts';
import { startLoop } from './build/loop.ts';
import type { Run } from './build/run-state.ts';
import { followerLock, retire } from './generations/retire.ts';
import { checkCatalog } from './guards/catalog-guard.ts';
import type { SourceLock } from './ports.ts';

const ALIAS_EVERY_MS = 1000;
const CATALOG_EVERY_MS = 5000;

/**
 * Takes the follower's lock and gives the alias's own back, so that the next build can run beside it and take over at its swap. Throws `locked` if the generation is followed
 * already.
 */
export async function beginFollowing(run: Run): Promise<SourceLock> {
  const lock = await run.source.tryLock(followerLock(run.names.index));
  if (lock === null) {
    throw new Failure('locked', `${run.names.index} is followed already`, { hint: `See it with: realign status ${run.config.alias}` });
  }
  await run.releaseAlias();
  return lock;
}

/**
 * Goes on applying changes until the alias has left this generation, however long that takes; a generation that is to be kept fresh is fed for a while longer. Then `endReplay`
 * ends what feeds it; slot, publication and build alias go. Throws what stops the run; the same command goes on.
 */
export async function follow(run: Run, checkpoint: Checkpoint, endReplay: () => Promise<void>): Promise<void> {
  const guard = startLoop(run, CATALOG_EVERY_MS, () => guardFollowed(run, checkpoint));
  try {
    await untilLeft(run);
  } finally {
    await guard.stop();
  }
  await endReplay();
  const { source, sink, names } = run;
  checkpoint.replace(await retire(source, sink, { index: names.index, state: checkpoint.state }));
}

/** Rows that were refused meanwhile are written down, so that a resume knows them. */
async function guardFollowed(run: Run, checkpoint: Checkpoint): Promise<void> {
  await checkCatalog(run);
  const known = checkpoint.state.rejectedIds;
  const { ids } = run.rejected;
  if (known.length !== ids.size || known.some((id) => !ids.has(id))) await checkpoint.enter('follow');
}

async function untilLeft(run: Run): Promise<void> {
  const left = new AbortController();
  const watch = startLoop(run, ALIAS_EVERY_MS, async () => {
    if (await hasLeft(run)) left.abort();
  });
  try {
    const ended = AbortSignal.any([left.signal, run.signal]);
    await new Promise<void>((resolve) => {
      if (ended.aborted) resolve();
      ended.addEventListener('abort', () => resolve(), { once: true });
    });
    if (run.signal.aborted) throw run.signal.reason;
  } finally {
    await watch.stop();
  }
}

/** True once the alias is elsewhere and nobody wants this generation kept fresh any more. */
async function hasLeft(run: Run): Promise<boolean> {
  const target = await run.sink.readAlias(run.config.alias);
  if (target.kind === 'alias' && target.indices.has(run.names.index)) return false;
  // Asked now: the order to stay was written before the swap, but the one at hand may be older than both.
  const until = parseControl(await run.source.readComment(run.names.publication)).keepFreshUntil;
  const kept = until !== null && (await run.source.serverTime()) < new Date(until);
  const now = target.kind === 'alias' ? [...target.indices.keys()].join(', ') : 'elsewhere';
  run.throttle.set('kept-fresh', kept ? `the alias is on ${now} now; this generation is kept fresh until ${until}` : null);
  return !kept;
}
