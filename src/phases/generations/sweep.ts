import { Failure } from '../../core/failure.ts';
import type { Source } from '../ports.ts';
import type { Generation, Sink } from '../sink-ports.ts';
import { findOrphans, removeOrphans } from './abort.ts';
import { inKeepOrder } from './keep-order.ts';
import { findLeftRepairs, type LeftRepair, removeLeftRepairs } from './left-repairs.ts';
import { readerAliases } from './reader-aliases.ts';
import { followerLock, retire } from './retire.ts';

export interface SweepRequest {
  readonly source: Source;
  readonly sink: Sink;
  readonly alias: string;
  /** Older generations that stay. */
  readonly keep: number;
}

/** What nobody needs any more, for one alias. */
export interface Leftovers {
  /** Finished generations beyond `keep` and failed ones, none of which any alias of readers is on. */
  readonly surplus: readonly Generation[];
  /** Generations that lost the alias and whose follower died: their slots keep WAL for nobody. */
  readonly unfed: readonly Generation[];
  /** Slots and publications of no generation. */
  readonly orphans: readonly string[];
  /** What killed repairs left on generations. */
  readonly repairs: readonly LeftRepair[];
  /** All other generations and copies of generations, each with why it stays. */
  readonly staying: readonly Staying[];
}

/** An index that is no leftover. */
export interface Staying {
  readonly index: string;
  readonly reason: string;
}

/** Finds them by set difference over what carries our marks; an unfinished build is no leftover. Changes nothing. */
export async function findLeftovers({ source, sink, alias, keep }: SweepRequest): Promise<Leftovers> {
  const generations = await sink.generations(alias);
  const idle = generations.filter((generation) => readerAliases(generation).length === 0);
  const served = generations.find(({ aliases }) => aliases.includes(alias));
  const inPhase = (phase: string): readonly Generation[] => idle.filter(({ state }) => state.phase === phase);
  const unfed: Generation[] = [];
  for (const generation of inPhase('follow')) {
    if (!(await source.isLocked(followerLock(generation.index)))) unfed.push(generation);
  }
  const older = inKeepOrder(inPhase('finished'), served?.state.previous ?? null);
  const surplus = [...older.slice(keep), ...inPhase('failed')];
  const staying = generations.filter((generation) => !surplus.includes(generation)).map((one) => ({ index: one.index, reason: reasonOf(one, keep) }));
  const repairs = await findLeftRepairs(
    source,
    generations.filter((generation) => !surplus.includes(generation)),
  );
  return { surplus, unfed, repairs, orphans: await findOrphans(source, sink, alias), staying: [...staying, ...(await copiesOf(sink, alias))] };
}

/** Named, so that nobody wonders why what looks like a generation stays for ever. */
export async function copiesOf(sink: Sink, alias: string): Promise<readonly Staying[]> {
  const copies = (await sink.ourIndices()).copies.filter((copy) => copy.alias === alias);
  return copies.map(({ index, build }) => ({ index, reason: `a copy of build ${build}, which realign did not make` }));
}

function reasonOf(generation: Generation, keep: number): string {
  const { alias, phase } = generation.state;
  const readers = readerAliases(generation);
  if (readers.length > 0) return `readers are on it (${readers.join(', ')})`;
  if (phase === 'finished') return `kept for a rollback (keep ${keep})`;
  return phase === 'follow'
    ? 'it is no longer live; changes went on being applied to it'
    : `an unfinished build (${phase}): \`realign abort ${alias}\` removes it`;
}

/** Removes them with the alias's lock held; throws `locked` while a build runs. Returns what was removed, in words. */
export async function sweep(request: SweepRequest): Promise<readonly string[]> {
  const { source, sink, alias } = request;
  const lock = await source.tryLock(alias);
  if (lock === null) throw new Failure('locked', `a build of ${alias} is running`, { hint: 'It cleans up when it ends; or stop it first.' });
  try {
    const { unfed, surplus, repairs } = await findLeftovers(request);
    for (const generation of unfed) await retire(source, sink, generation);
    for (const generation of surplus) await sink.deleteIndex(generation.index, generation.uuid);
    return [
      ...(await removeLeftRepairs(sink, repairs)),
      ...unfed.map(({ state }) => `slot and publication ${state.slot}`),
      ...surplus.map(({ index }) => `index ${index}`),
      ...(await removeOrphans(source, sink, alias)),
    ];
  } finally {
    await lock.release();
  }
}
