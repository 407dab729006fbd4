import { parseControl } from '../../core/control.ts';
import { Failure } from '../../core/failure.ts';
import { buildAliasOf, SLOT_PREFIX, slotName } from '../../core/plan/names.ts';
import type { Source } from '../ports.ts';
import type { Generation, Sink } from '../sink-ports.ts';
import { findLeftRepairs, removeLeftRepairs } from './left-repairs.ts';
import { readerAliases } from './reader-aliases.ts';
import { followerLock, retire } from './retire.ts';

export interface AbortRequest {
  readonly source: Source;
  readonly sink: Sink;
  readonly alias: string;
}

export interface AbortResult {
  /** What was removed, in words for the operator. */
  readonly removed: readonly string[];
}

/** Removes everything an unfinished or failed build of this alias left: slot, publication, index. Never an index that an alias of yours is on. */
export async function abortBuild({ source, sink, alias }: AbortRequest): Promise<AbortResult> {
  const lock = await source.tryLock(alias);
  if (lock === null) {
    throw new Failure('locked', `a build of ${alias} is running`, {
      hint: 'Stop it first (Ctrl-C or SIGTERM there); it can be resumed or aborted then.',
    });
  }
  try {
    const removed: string[] = [];
    let followed: Generation | null = null;
    const generations = await sink.generations(alias);
    removed.push(...(await removeLeftRepairs(sink, await findLeftRepairs(source, generations))));
    for (const generation of generations) {
      if (generation.state.phase === 'finished') continue;
      if (generation.state.phase !== 'follow') removed.push(...(await removeBuild(source, sink, generation)));
      else if (await source.isLocked(followerLock(generation.index))) followed = generation;
      else removed.push(await endFollowing(source, sink, generation));
    }
    removed.push(...(await removeOrphans(source, sink, alias)));
    // A running follower is no unfinished build; its slot must not be taken from under it.
    if (removed.length === 0 && followed !== null) throw isFollowed(followed);
    return { removed };
  } finally {
    await lock.release();
  }
}

/** Its index is built: it stays, for readers or for a rollback. */
async function endFollowing(source: Source, sink: Sink, generation: Generation): Promise<string> {
  await retire(source, sink, generation);
  return `slot and publication ${generation.state.slot}`;
}

function isFollowed({ index, state }: Generation): Failure {
  return new Failure('locked', `there is no unfinished build of ${state.alias}; ${index} is being followed`, {
    hint: `To end that: realign ctl ${state.alias} stop, then this command again.`,
  });
}

/**
 * Removes one build that is not over. If readers are on its index (killed after the swap), the index stays and its build is over; only slot, publication and build
 * alias go.
 */
export async function removeBuild(source: Source, sink: Sink, generation: Generation): Promise<readonly string[]> {
  const { state, index, uuid } = generation;
  const removed = await dropSlotAndPublication(source, state.slot, state.publication);
  if (readerAliases(generation).length > 0) {
    await leaveToReaders(sink, generation);
    return removed;
  }
  await sink.deleteIndex(index, uuid);
  return [...removed, `index ${index}`];
}

/** Without its slot it can never be resumed: what is served counts as finished, so that the next run starts a new build and keeps this one as the older generation. */
async function leaveToReaders(sink: Sink, { state, index, aliases }: Generation): Promise<void> {
  await sink.finishSettings(index, state.settings);
  await sink.removeBuildAlias(index, buildAliasOf(state.alias, state.build));
  await sink.writeState(index, { ...state, phase: aliases.includes(state.alias) ? 'finished' : 'failed' });
}

/** Slots and publications of ours for this alias that belong to no generation: a crash before the index was made. */
export async function removeOrphans(source: Source, sink: Sink, alias: string): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const name of await findOrphans(source, sink, alias)) removed.push(...(await dropSlotAndPublication(source, name, name)));
  return removed;
}

/** Their names. The same alias may be built from another database of this server or into another cluster: those are none of ours. */
export async function findOrphans(source: Source, sink: Sink, alias: string): Promise<readonly string[]> {
  const owned = new Set((await sink.generations(alias)).filter(({ state }) => state.phase !== 'finished').map(({ state }) => state.slot));
  const { database } = await source.identity();
  const slots = (await source.listSlots(SLOT_PREFIX)).filter((slot) => slot.database === database).map((slot) => slot.name);
  const publications = await source.listPublications(SLOT_PREFIX);
  const { clusterUuid } = await sink.identity();
  const orphans: string[] = [];
  for (const name of new Set([...slots, ...publications])) {
    if (!isNameFor(alias, name) || owned.has(name)) continue;
    const { cluster } = parseControl(await source.readComment(name));
    if (cluster === null || cluster === clusterUuid) orphans.push(name);
  }
  return orphans;
}

async function dropSlotAndPublication(source: Source, slot: string, publication: string): Promise<string[]> {
  const removed: string[] = [];
  if ((await source.readSlot(slot)) !== null) {
    await source.dropSlot(slot);
    removed.push(`slot ${slot}`);
  }
  if ((await source.readPublication(publication)) !== null) {
    await source.dropPublication(publication);
    removed.push(`publication ${publication}`);
  }
  return removed;
}

/** Also a fence's temporary slot of a dying process has the name with `_fence` behind it; it goes by itself. */
export function isNameFor(alias: string, name: string): boolean {
  const build = name.slice(-4);
  return /^[a-z0-9]{4}$/.test(build) && slotName(alias, build) === name;
}
