import { formatLsn } from '../../core/lsn.ts';
import type { BuildState } from '../../core/plan/build-state.ts';
import { buildAliasOf } from '../../core/plan/names.ts';
import type { Source } from '../ports.ts';
import type { Generation, Sink } from '../sink-ports.ts';

/** The lock that a follower holds as long as it feeds this generation; not the alias's, so that the next build can run beside it. */
export function followerLock(index: string): string {
  return `${index} follower`;
}

/**
 * Ends the feeding of a generation for good: slot, publication and build alias go, and it becomes a finished one that says how far it was fed. Every
 * step may run twice. Call it only when no follower holds the generation's lock; the one that retires its own generation gives `ended`, which waits until it writes no
 * more: its slot goes before that, everything else after it.
 */
export async function retire(
  source: Source,
  sink: Sink,
  generation: Pick<Generation, 'index' | 'state'>,
  ended: () => Promise<unknown> = async () => {},
): Promise<BuildState> {
  const { index, state } = generation;
  const confirmed = (await source.readSlot(state.slot))?.confirmedFlushLsn ?? null;
  const applied = confirmed === null ? {} : { applied: { lsn: formatLsn(confirmed), at: (await source.serverTime()).toISOString() } };
  await source.dropSlot(state.slot);
  await source.dropPublication(state.publication);
  await ended();
  await sink.finishSettings(index, state.settings);
  await sink.removeBuildAlias(index, buildAliasOf(state.alias, state.build));
  const finished: BuildState = { ...state, ...applied, phase: 'finished' };
  await sink.writeState(index, finished);
  return finished;
}
