import { describeControl, parseControl } from '../../core/control.ts';
import { SLOT_PREFIX } from '../../core/plan/names.ts';
import type { SlotState, Source } from '../ports.ts';
import type { Generation, GenerationCopy, Sink, UnreadableState } from '../sink-ports.ts';
import { isNameFor } from './abort.ts';
import { findLeftRepairs } from './left-repairs.ts';
import { followerLock } from './retire.ts';

export interface InventoryGeneration {
  readonly index: string;
  readonly alias: string;
  readonly build: string;
  readonly phase: string;
  /** The alias is on it. */
  readonly live: boolean;
  readonly startedAt: string;
  /** A build or a follower is at work on it just now. */
  readonly running: boolean;
  /** What it was ordered by `ctl`, in words. */
  readonly orders: string;
}

export interface InventorySlot {
  readonly name: string;
  /** Null for an orphan. */
  readonly build: string | null;
  readonly active: boolean;
  readonly retainedBytes: bigint;
  readonly walStatus: string | null;
}

export interface Inventory {
  readonly generations: readonly InventoryGeneration[];
  readonly slots: readonly InventorySlot[];
  /** Slots, publications and unfinished indices that belong together no more, aliases that a killed repair left, and indices that another version made, in words. */
  readonly orphans: readonly string[];
  /** Indices that somebody made of generations of ours: a backup, say. Nothing is done to them. */
  readonly copies: readonly GenerationCopy[];
}

/** Everything of ours on both servers, orphans included, for one alias or (null) for all. */
export async function readInventory({
  source,
  sink,
  alias,
}: {
  readonly source: Source;
  readonly sink: Sink;
  readonly alias: string | null;
}): Promise<Inventory> {
  const { generations: all, unreadable, copies } = await sink.ourIndices();
  const slots = await source.listSlots(SLOT_PREFIX);
  const publications = await source.listPublications(SLOT_PREFIX);
  const bySlot = new Map(all.map((generation) => [generation.state.slot, generation]));
  const wanted = all.filter((generation) => alias === null || generation.state.alias === alias);
  const { database } = await source.identity();
  const slotNames = new Set(slots.map((slot) => slot.name));
  const concerns = (name: string): boolean => alias === null || bySlot.get(name)?.state.alias === alias || isNameFor(alias, name);
  const isOrphan = (name: string): boolean => concerns(name) && !bySlot.has(name) && unreadable.every(({ slot }) => slot !== name);
  return {
    generations: await Promise.all(wanted.map((generation) => describeGeneration(source, generation))),
    slots: slots.filter((slot) => concerns(slot.name)).map((slot) => describeSlot(slot, bySlot.get(slot.name)?.state.build ?? null)),
    orphans: [
      ...slots.filter((slot) => isOrphan(slot.name)).map((slot) => `slot ${slot.name} (database ${slot.database}) belongs to no index`),
      ...publications.filter(isOrphan).map((name) => `publication ${name} belongs to no index`),
      ...wanted
        .filter(({ state }) => state.database === database && !isOver(state.phase) && !slotNames.has(state.slot))
        .map(({ index, state }) => `index ${index} (phase ${state.phase}) has no slot any more`),
      ...(await findLeftRepairs(source, wanted)).map((left) => `alias ${left.alias} was left on ${left.index} by a repair that did not end`),
      ...unreadable.filter((one) => alias === null || one.alias === alias).map(describeUnreadable),
    ],
    copies: copies.filter((copy) => alias === null || copy.alias === alias),
  };
}

async function describeGeneration(source: Source, { index, state, aliases }: Generation): Promise<InventoryGeneration> {
  const over = state.phase === 'finished' || state.phase === 'failed';
  return {
    index,
    alias: state.alias,
    build: state.build,
    phase: state.phase,
    live: aliases.includes(state.alias),
    startedAt: state.startedAt,
    running: !over && (await source.isLocked(state.phase === 'follow' ? followerLock(index) : state.alias)),
    orders: over ? '' : describeControl(parseControl(await source.readComment(state.publication))),
  };
}

function describeUnreadable({ index, alias, format }: UnreadableState): string {
  return `index ${index} (alias ${alias ?? 'unknown'}) carries a build state of format ${format}, which this version cannot read`;
}

function isOver(phase: string): boolean {
  return phase === 'finished' || phase === 'failed' || phase === 'cleanup';
}

function describeSlot(slot: SlotState, build: string | null): InventorySlot {
  return { name: slot.name, build, active: slot.active, retainedBytes: slot.retainedBytes, walStatus: slot.walStatus };
}
