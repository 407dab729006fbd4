import { type Build, type Outcome, resume, transition } from '../../src/core/build.ts';
import type { BuildState } from '../../src/core/plan/build-state.ts';
import { requirePassing } from '../../src/core/verify/passing-report.ts';
import { isLoaded } from './load.ts';
import { isBetweenTransactions, someOpen, undelivered } from './replay.ts';
import type { RuleSet } from './rules.ts';
import { type Action, contentOf, isOpen, rowsAfter } from './source.ts';
import { at, freshTool, KEYS, type Key, type Scenario, type World } from './world.ts';

const REPORT = {
  mode: 'full',
  method: 'fence',
  fenceLsn: '0/0',
  rows: 0,
  documents: 0,
  rejected: 0,
  partitions: 1,
  partitionsEqual: 1,
  sampled: 0,
  seed: '',
  differences: [],
  differenceCount: 0,
  unsettled: [],
  blindSpots: [],
} as unknown as Parameters<typeof requirePassing>[0];

/** The next state by the real transition table. The states carry what the real phases need; the model needs only their names. */
export function stateAfter(from: string, kind: string): string {
  const carried = { built: { state: {}, uuid: '' }, report: requirePassing(REPORT), deleted: [], cp: 1n };
  return transition({ at: from, ...carried } as unknown as Build, { kind, ...carried } as unknown as Outcome).at;
}

/** Slot, index, the way from the loaded index to the swap, and what follows. */
export function phaseActions(scenario: Scenario, rules: RuleSet, world: World): Action[] {
  switch (world.tool.at) {
    case 'slot':
      return slotActions(rules, world);
    case 'load':
      if (!isLoaded(scenario, world)) return [];
      return [{ label: 'the load is done', act: enterVerify }];
    case 'verify':
      return verifyActions(scenario, world);
    case 'swap':
      return [{ label: 'the alias is swapped', act: swap }];
    case 'cleanup':
      return cleanUpActions(scenario, rules, world);
    case 'dead':
      return resumeActions(rules, world);
    default:
      return [];
  }
}

/** PostgreSQL waits for those that were writing when the slot was asked for; those that begin in between may commit on either side of CP. */
function slotActions(rules: RuleSet, world: World): Action[] {
  const { slot, transactions } = world;
  if (slot === null) {
    const ask = (next: World): void => {
      next.slot = { waitsFor: [...transactions.keys()].filter((index) => isOpen(at(transactions, index))), cp: 0, confirmed: 0 };
    };
    return [{ label: 'the slot is asked for', act: ask }];
  }
  if (slot.cp === 0) {
    if (slot.waitsFor.some((index) => isOpen(at(transactions, index)))) return [];
    const consistent = (next: World): void => {
      next.slot = { ...slot, cp: next.lsn, confirmed: next.lsn };
    };
    return [{ label: `the slot is consistent: CP is ${world.lsn}`, act: consistent }];
  }
  const missing = transactions.some((one) => one.finalLsn > 0 && one.finalLsn < slot.cp && !one.visible);
  if (missing && rules('R0 visible first')) return [];
  return [{ label: 'the index is made, the load begins', act: (next) => enterLoad(next, slot.cp) }];
}

function enterLoad(world: World, cp: number): void {
  world.meta = { phase: 'load', done: [], file: 0 };
  start(world, stateAfter(stateAfter('slot', 'slot-ready'), 'index-ready'), cp);
}

function start(world: World, state: string, position: number): void {
  world.tool = { ...freshTool(state), position, durable: position, ack: { acked: position, visible: position, waiting: [], floors: [] } };
}

/** Catching up is nothing of its own here: the fence asks for more. */
function enterVerify(world: World): void {
  const { tool, meta } = world;
  tool.at = stateAfter(stateAfter(tool.at, 'loaded'), 'caught-up');
  tool.deletes = [];
  if (meta !== null) world.meta = { ...meta, phase: 'verify', done: tool.done, file: tool.file };
}

/** Hold, fence, run to it, compare. */
function verifyActions(scenario: Scenario, world: World): Action[] {
  const { tool } = world;
  if (!isBetweenTransactions(world)) return [];
  if (tool.fence === 0) {
    // The fence is a slot too: it comes when the transactions open at its start have ended.
    if (someOpen(world)) return [];
    return [
      {
        label: `held; the fence is ${world.lsn}`,
        act: (next) => {
          next.tool.fence = next.lsn;
        },
      },
    ];
  }
  if (undelivered(world).some((index) => at(world.transactions, index).finalLsn < tool.fence)) return [];
  return [{ label: 'both sides are compared at the fence', act: (next) => compare(scenario, next) }];
}

function compare(scenario: Scenario, world: World): void {
  const { tool } = world;
  const { fence } = tool;
  const source = contentOf(rowsAfter(scenario, world, ({ finalLsn }) => finalLsn < fence).rows);
  const target = indexContent(world);
  if (source !== target) world.wrong = `at the fence the table is [${source}] and the index [${target}]`;
  const verified = stateAfter(tool.at, 'verified');
  tool.at = verified === 'hold' ? stateAfter(verified, 'released') : verified;
  tool.fence = 0;
  if (world.meta !== null) world.meta = { ...world.meta, phase: 'swap' };
}

export function indexContent(world: World): string {
  return contentOf(KEYS.flatMap((key) => (world.documents[key] === undefined ? [] : [[key, world.documents[key]] as const])));
}

function swap(world: World): void {
  world.swapped = true;
  world.tool.at = stateAfter(world.tool.at, 'swapped');
}

/** Replays past a position read after the swap; then the slot goes, and what the index holds is what it holds. */
function cleanUpActions(scenario: Scenario, rules: RuleSet, world: World): Action[] {
  const { tool } = world;
  if (tool.drainTo === 0)
    return [
      {
        label: `the swap is behind; replaying to ${world.lsn}`,
        act: (next) => {
          next.tool.drainTo = next.lsn;
        },
      },
    ];
  if (tool.durable < tool.drainTo || !isBetweenTransactions(world)) return [];
  if (tool.half >= 0 && rules('R2 whole')) return [];
  return [{ label: 'the slot is dropped, the build is finished', act: (next) => finish(scenario, next) }];
}

function finish(scenario: Scenario, world: World): void {
  const stale = KEYS.find((key) => !valuesSince(scenario, world, key, world.tool.drainTo).has(world.documents[key]?.value ?? null));
  if (stale !== undefined)
    world.wrong = `at the end ${stale} is ${world.documents[stale]?.value ?? 'absent'} in the index, which is older than the position replayed to`;
  world.expected = indexContent(world);
  world.slot = null;
  world.tool = freshTool(stateAfter(world.tool.at, 'cleaned'));
  if (world.meta !== null) world.meta = { ...world.meta, phase: 'finished' };
}

/** What a key held at `lsn` and after each commit since: the index may be ahead of what it was asked for, never behind. */
function valuesSince(scenario: Scenario, world: World, key: Key, lsn: number): ReadonlySet<string | null> {
  const positions = [lsn, ...world.transactions.flatMap(({ endLsn }) => (endLsn > lsn ? [endLsn] : []))];
  return new Set(positions.map((position) => rowsAfter(scenario, world, ({ finalLsn }) => finalLsn < position).rows.get(key)?.value ?? null));
}

/** The process dies; its requests go on in the server, or never arrive. */
export function crash(world: World): void {
  world.faults.crash--;
  world.tool = freshTool('dead');
  world.wire = world.wire.map((write) => ({ ...write, from: 'nobody' as const, chunk: -1 }));
}

/** The same command again. Without an index the slot is an orphan: it is dropped, and all begins anew. */
function resumeActions(rules: RuleSet, world: World): Action[] {
  const { meta, slot, wire, swapped } = world;
  if (meta === null || slot === null) {
    const anew = (next: World): void => {
      next.slot = null;
      next.tool = freshTool('slot');
    };
    return [{ label: 'the same command starts anew', act: anew }];
  }
  if (rules('R4 dead bulks') && wire.length > 0) return [];
  const built = { state: { phase: meta.phase } as BuildState, uuid: '' };
  const state = resume(built, swapped)?.at;
  if (state === undefined) return [];
  const act = (next: World): void => {
    start(next, state === 'catchup' ? stateAfter(state, 'caught-up') : state, Math.max(slot.confirmed, slot.cp));
    next.tool.done = meta.done;
    next.tool.file = meta.file;
  };
  return [{ label: `the same command resumes at ${state}`, act }];
}
