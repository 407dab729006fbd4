import { Failure } from '../../core/failure.ts';
import type { BuildContext, Run } from '../build/run-state.ts';
import type { Generation } from '../sink-ports.ts';
import { changeControl } from '../steering/steering.ts';
import { followerLock, retire } from './retire.ts';

const NOTICE_TIMEOUT_MS = 20_000;
const POLL_MS = 200;

/** The generation that the swap takes the alias from must have a running follower, or there is nobody to keep it fresh. */
export async function requireFollower(context: BuildContext, previous: string | null): Promise<void> {
  if (context.options.keepFreshMs === null || previous === null) return;
  if (await context.source.isLocked(followerLock(previous))) return;
  throw new Failure('preflight-refused', `--keep-fresh: nobody follows ${previous}, so it is only as fresh as its last build`, {
    hint: 'Only a generation that is fed until the swap (rebuild --follow) can be kept fresh after it. Run without --keep-fresh.',
  });
}

/** Tells the follower of the generation that is about to lose the alias to stay; before the swap, or it would be gone already. */
export async function askToStay(run: Run, previous: string | null): Promise<void> {
  const { keepFreshMs } = run.options;
  if (keepFreshMs === null || previous === null) return;
  // Safe to run twice: after a swap whose answer was lost the follower was told already.
  await requireFollower(run, previous);
  const generation = (await run.sink.generations(run.config.alias)).find(({ index }) => index === previous);
  if (generation === undefined) return;
  const until = new Date((await run.source.serverTime()).getTime() + keepFreshMs).toISOString();
  await changeControl(run.source, generation.state.publication, (control) => ({ ...control, keepFreshUntil: until }));
}

/**
 * After the swap: the follower of the generation that lost the alias notices it and ends by itself; what a dead one left is removed here. One that was asked to stay, or
 * does not end in time, keeps what it has.
 */
export async function retireDisplaced(run: Run): Promise<void> {
  const followed = (await run.sink.generations(run.config.alias)).filter((generation) => isDisplaced(run, generation));
  for (const generation of followed) {
    if (run.options.keepFreshMs === null) await waitForEnd(run, generation.index);
    if (await run.source.isLocked(followerLock(generation.index))) continue;
    const now = (await run.sink.generations(run.config.alias)).find(({ index }) => index === generation.index);
    if (now !== undefined && isDisplaced(run, now)) await retire(run.source, run.sink, now);
  }
}

function isDisplaced(run: Run, { index, state, aliases }: Generation): boolean {
  return index !== run.names.index && state.phase === 'follow' && !aliases.includes(state.alias);
}

async function waitForEnd(run: Run, index: string): Promise<void> {
  const startedAt = run.clock.now();
  while (run.clock.now() - startedAt < NOTICE_TIMEOUT_MS && (await run.source.isLocked(followerLock(index)))) {
    await run.clock.sleep(POLL_MS, run.signal);
  }
}
