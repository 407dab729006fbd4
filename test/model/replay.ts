import { truncateVersion } from '../../src/phases/replay/truncate.ts';
import type { RuleSet } from './rules.ts';
import { type Action, currentSnapshot, isOpen, rowsAfter, rowsIn } from './source.ts';
import { acknowledging, advance, restarted } from './tool-memory.ts';
import {
  at,
  type Change,
  KEYS,
  type Key,
  type Lane,
  type Scenario,
  send,
  type Tool,
  type TransactionState,
  type World,
  type Write,
} from './world.ts';

const REPLAYING = new Set(['load', 'verify', 'swap', 'cleanup']);

/** Nothing of the replay is under way. */
export function isDrained(world: World): boolean {
  const { lanes } = world.tool;
  return KEYS.every((key) => lanes[key].pending === null) && world.wire.every(({ from }) => from !== 'lane');
}

/** Nothing of the replay is under way and no transaction is applied in part. */
export function isBetweenTransactions(world: World): boolean {
  return isDrained(world) && world.tool.part === null && world.tool.truncating === null;
}

/** The committed transactions that the stream has yet to deliver, in its order. */
export function undelivered(world: World): number[] {
  const { position } = world.tool;
  return world.transactions
    .map((state, index) => ({ state, index }))
    .filter(({ state }) => state.finalLsn >= position && state.finalLsn > 0)
    .sort((one, other) => one.state.finalLsn - other.state.finalLsn)
    .map(({ index }) => index);
}

/** The replay: the next transaction (or part), a position without one, an acknowledgement, a reconnect. */
export function replayActions(scenario: Scenario, rules: RuleSet, world: World): Action[] {
  const { tool } = world;
  if (!REPLAYING.has(tool.at) || world.slot === null) return [];
  const actions = [...deliveryActions(scenario, rules, world), ...acknowledgementActions(rules, world)];
  if (world.faults.reconnect > 0 && isDrained(world) && world.wire.every(({ from }) => from !== 'truncate')) {
    actions.push({ label: 'the stream is cut and opened again', act: (next) => reconnect(next, rules) });
  }
  return actions;
}

function deliveryActions(scenario: Scenario, rules: RuleSet, world: World): Action[] {
  const { tool } = world;
  if (tool.truncating !== null) return truncateActions(scenario, rules, world, tool.truncating.transaction);
  const [index] = undelivered(world);
  if (index === undefined) return keepaliveActions(world);
  const { name, parts, truncate, lookup } = at(scenario.transactions, index);
  const state = at(world.transactions, index);
  if (tool.fence > 0 && state.finalLsn >= tool.fence) return [];
  if (lookup && rules('lookup visible') && !state.visible) return [];
  if (parts) return partActions(scenario, rules, world, index);
  if (truncate) {
    if (!isDrained(world)) return [];
    return [
      {
        label: `TRUNCATE ${name} is received`,
        act: (next) => {
          next.tool.truncating = { transaction: index, sent: false };
        },
      },
    ];
  }
  return [{ label: `${name} is received`, act: (next) => applyWhole(scenario, rules, next, index) }];
}

function keepaliveActions(world: World): Action[] {
  const { tool, lsn } = world;
  if (tool.at !== 'cleanup' || tool.drainTo === 0 || tool.position >= tool.drainTo) return [];
  return [
    {
      label: 'a keepalive is received',
      act: (next) => {
        next.tool.tickets.push({ xid: null, outstanding: 0, endLsn: lsn });
        next.tool.position = lsn;
        advance(next.tool);
      },
    },
  ];
}

function applyWhole(scenario: Scenario, rules: RuleSet, world: World, index: number): void {
  const transaction = at(scenario.transactions, index);
  const state = at(world.transactions, index);
  const changes = transaction.lookup ? lookedUp(scenario, rules, world, transaction.changes) : transaction.changes;
  const operations = rules('R2 one operation') ? collapsed(changes) : changes;
  world.tool.tickets.push({ xid: state.xid, outstanding: 0, endLsn: state.endLsn });
  world.tool.position = state.endLsn;
  operations.forEach(({ key, value }, place) => {
    const version = rules('R1 commit LSN') ? state.finalLsn : state.changeLsn + place;
    apply(world, rules, { from: 'lane', chunk: -1, key, value, version, gte: false, transactions: [index] });
  });
  advance(world.tool);
}

/** The last change of each key. */
function collapsed(changes: readonly Change[]): Change[] {
  return [...new Map(changes.map((change) => [change.key, change])).values()];
}

/** What the table holds now (or at the fence) for the keys changed. */
function lookedUp(scenario: Scenario, rules: RuleSet, world: World, changes: readonly Change[]): Change[] {
  const { fence } = world.tool;
  const fenced = fence > 0 && rules('lookup fence');
  const { rows } = fenced ? rowsAfter(scenario, world, ({ finalLsn }) => finalLsn < fence) : rowsIn(scenario, world, currentSnapshot(world));
  return changes.map(({ key, block }) => ({ key, block, value: rows.get(key)?.value ?? null }));
}

/** One operation: remembered if it deletes while rows are loaded, then into its lane. Per key is the weakest order that a lane gives. */
function apply(world: World, rules: RuleSet, write: Write): void {
  const { tool } = world;
  const index = at(write.transactions, 0);
  const { xid } = at(world.transactions, index);
  ticketOf(tool, xid).outstanding++;
  if (write.value === null && tool.at === 'load') remember(tool, write.key, write.version, xid);
  const lane = tool.lanes[write.key];
  if (!lane.busy || !rules('R5 order')) {
    lane.busy = true;
    send(world, write);
  } else lane.pending = { ...write, transactions: [...(lane.pending?.transactions ?? []), index] };
}

function remember(tool: Tool, key: Key, version: number, xid: number): void {
  // Delivered twice it is remembered twice; once says the same.
  if (tool.deletes.some((one) => one.key === key && one.version === version)) return;
  tool.deletes = [...tool.deletes, { key, version, xid }];
}

function ticketOf(tool: Tool, xid: number) {
  const ticket = tool.tickets.find((one) => one.xid === xid);
  if (ticket === undefined) throw new RangeError(`BUG in the model: no ticket for ${xid}`);
  return ticket;
}

/** The answer to an operation of a lane: its transactions are durable in it, the lane sends what waits. */
export function laneAnswered(world: World, write: Write): void {
  const { tool } = world;
  for (const index of write.transactions) ticketOf(tool, at(world.transactions, index).xid).outstanding--;
  advanceLane(world, tool.lanes[write.key]);
  advance(tool);
}

function advanceLane(world: World, lane: Lane): void {
  const { pending } = lane;
  lane.pending = null;
  lane.busy = pending !== null;
  if (pending !== null) send(world, pending);
}

/** Each change as a part of its own: strictly one after another, all with the commit's version. */
function partActions(scenario: Scenario, rules: RuleSet, world: World, index: number): Action[] {
  if (!isDrained(world)) return [];
  const { name, changes } = at(scenario.transactions, index);
  const sent = world.tool.part?.sent ?? 0;
  const state = at(world.transactions, index);
  if (sent === changes.length) return [{ label: `the last part of ${name} is durable`, act: (next) => endParts(next, state) }];
  return [{ label: `part ${sent + 1} of ${name} is received`, act: (next) => applyPart(next, rules, index, at(changes, sent)) }];
}

function applyPart(world: World, rules: RuleSet, index: number, { key, value }: Change): void {
  const { tool } = world;
  const { xid, finalLsn } = at(world.transactions, index);
  if (tool.part === null) tool.tickets.push({ xid, outstanding: 0, endLsn: 0 });
  tool.part = { transaction: index, sent: (tool.part?.sent ?? 0) + 1 };
  tool.half = index;
  apply(world, rules, { from: 'lane', chunk: -1, key, value, version: finalLsn, gte: rules('R2 parts'), transactions: [index] });
}

function endParts(world: World, { xid, endLsn }: TransactionState): void {
  const { tool } = world;
  tool.part = null;
  tool.half = -1;
  tool.position = endLsn;
  ticketOf(tool, xid).endLsn = endLsn;
  advance(tool);
}

/** TRUNCATE: no chunk in flight and none begun, every document deleted, then the rows of the same transaction. */
function truncateActions(scenario: Scenario, rules: RuleSet, world: World, index: number): Action[] {
  const { tool } = world;
  const { name } = at(scenario.transactions, index);
  if (tool.truncating?.sent === true) {
    if (world.wire.some(({ from }) => from === 'truncate')) return [];
    return [{ label: `${name} is applied behind its TRUNCATE`, act: (next) => endTruncate(scenario, rules, next, index) }];
  }
  if (tool.chunks.length > 0) return [];
  return [{ label: `every document is deleted for ${name}`, act: (next) => deleteAll(next, rules, index) }];
}

function deleteAll(world: World, rules: RuleSet, index: number): void {
  const { finalLsn } = at(world.transactions, index);
  world.tool.truncating = { transaction: index, sent: true };
  world.tool.half = index;
  const version = rules('R7 truncate below') ? Number(truncateVersion(BigInt(finalLsn), false)) : finalLsn;
  for (const key of KEYS) {
    const value = world.documents[key]?.value ?? null;
    if (value !== null) send(world, { from: 'truncate', chunk: -1, key, value: null, version, gte: true, transactions: [] });
  }
}

function endTruncate(scenario: Scenario, rules: RuleSet, world: World, index: number): void {
  world.tool.truncating = null;
  world.tool.half = -1;
  applyWhole(scenario, rules, world, index);
}

/** The snapshot is taken after the commits became durable. */
function acknowledgementActions(rules: RuleSet, world: World): Action[] {
  const { tool, slot } = world;
  if (slot === null) return [];
  if (!rules('R4 effect first') && tool.position > slot.confirmed) {
    return [{ label: 'what was received is acknowledged', act: (next) => confirm(next, next.tool.position) }];
  }
  if (tool.ack.waiting.length === 0 && tool.ack.acked <= slot.confirmed) return [];
  const snapshot = currentSnapshot(world);
  const seen = rules('R4 visible') ? snapshot : { ...snapshot, inProgress: [] };
  const ack = acknowledging(tool.ack, [], (real) => {
    real.observe({ xmin: BigInt(seen.xmin), xmax: BigInt(seen.xmax), inProgress: new Set(seen.inProgress.map(BigInt)) });
  });
  if (ack.waiting.length === tool.ack.waiting.length && ack.acked <= slot.confirmed) return [];
  const act = (next: World): void => {
    next.tool.ack = ack;
    confirm(next, ack.acked);
  };
  return [{ label: ack.acked > slot.confirmed ? 'what is durable and visible is acknowledged' : 'what is durable is seen to be visible', act }];
}

/** PostgreSQL takes a position past what it sent as it is, and never sends what lies below it (docs/servers.md P28). */
function confirm(world: World, lsn: number): void {
  if (lsn > world.tool.position) world.wrong = `${lsn} is acknowledged, but this stream has only delivered up to ${world.tool.position}`;
  if (world.slot !== null && lsn > world.slot.confirmed) world.slot = { ...world.slot, confirmed: lsn };
}

function reconnect(world: World, rules: RuleSet): void {
  const { tool } = world;
  world.faults.reconnect--;
  const { durable, ack } = tool;
  restarted(tool);
  if (!rules('R4 restart')) {
    tool.durable = durable;
    tool.ack = { ...tool.ack, visible: ack.visible };
  }
  tool.part = null;
  tool.truncating = null;
  tool.position = Math.max(tool.ack.acked, world.slot?.confirmed ?? 0);
}

/** What the slot was told is in the index: an operation for every key of every commit before it. */
export function acknowledgedTooFar(scenario: Scenario, world: World): string | null {
  const { slot } = world;
  if (slot === null || slot.cp === 0) return null;
  for (const [index, { name, changes }] of scenario.transactions.entries()) {
    const { finalLsn, endLsn, applied } = at(world.transactions, index);
    if (finalLsn < slot.cp || endLsn > slot.confirmed) continue;
    const missing = changes.find(({ key }) => !applied.includes(key));
    if (missing !== undefined) return `${name} is acknowledged to the slot, but its operation on ${missing.key} is not durable`;
  }
  return null;
}

/** A commit that others do not see yet, or a transaction not yet committed. */
export function someOpen(world: World): boolean {
  return world.transactions.some(isOpen);
}
