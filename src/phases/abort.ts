import { Failure } from '../core/failure.ts';
import { buildAliasOf, SLOT_PREFIX, slotName } from '../core/plan/names.ts';
import type { Generation, Sink, Source } from './ports.ts';
import { readerAliases } from './reader-aliases.ts';

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
    for (const generation of await sink.generations(alias)) {
      if (generation.state.phase !== 'finished') removed.push(...(await removeBuild(source, sink, generation)));
    }
    removed.push(...(await removeOrphans(source, sink, alias)));
    return { removed };
  } finally {
    await lock.release();
  }
}

/** Removes one build that is not over. If readers are on its index already (killed after the swap), only the slot, the publication and the build alias go. */
export async function removeBuild(source: Source, sink: Sink, generation: Generation): Promise<readonly string[]> {
  const { state, index, uuid } = generation;
  const removed = await dropSlotAndPublication(source, state.slot, state.publication);
  if (readerAliases(generation).length > 0) {
    await sink.removeBuildAlias(index, buildAliasOf(state.alias, state.build));
    return removed;
  }
  await sink.deleteIndex(index, uuid);
  return [...removed, `index ${index}`];
}

/** Slots and publications of ours for this alias that belong to no generation: a crash before the index was made. */
export async function removeOrphans(source: Source, sink: Sink, alias: string): Promise<readonly string[]> {
  const owned = new Set((await sink.generations(alias)).filter(({ state }) => state.phase !== 'finished').map(({ state }) => state.slot));
  const slots = (await source.listSlots(SLOT_PREFIX)).map((slot) => slot.name);
  const publications = await source.listPublications(SLOT_PREFIX);
  const orphans = new Set([...slots, ...publications].filter((name) => isNameFor(alias, name) && !owned.has(name)));
  const removed: string[] = [];
  for (const name of orphans) removed.push(...(await dropSlotAndPublication(source, name, name)));
  return removed;
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
function isNameFor(alias: string, name: string): boolean {
  const build = name.slice(-4);
  return /^[a-z0-9]{4}$/.test(build) && slotName(alias, build) === name;
}
