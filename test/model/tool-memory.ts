import { Acknowledger } from '../../src/core/wal/acknowledger.ts';
import { DeleteMemory, type SentDelete } from '../../src/core/wal/delete-memory.ts';
import { type Ticket, Watermark } from '../../src/core/wal/watermark.ts';
import { asPgSnapshot } from './source.ts';
import type { AckState, Commit, Delete, Key, Snapshot, Tool } from './world.ts';

/*
 * The model's states are plain values; the code that decides is the real one of src/core/wal. Each call here makes the real object from the plain value, lets it decide, and
 * reads the plain value back.
 */

const SEES_ALL: Snapshot = { xmin: 1e9, xmax: 1e9, inProgress: [] };
const SEES_NONE: Snapshot = { xmin: 0, xmax: 0, inProgress: [] };

function see(real: Acknowledger, endLsn: number): void {
  real.offer([{ endLsn: BigInt(endLsn), xid: null }]);
  real.observe(asPgSnapshot(SEES_ALL));
}

/** The real `Acknowledger` in this state, and its keys of the chunks in flight. Only what is visible makes a floor, and only a restart takes back what is. */
function acknowledgerIn(state: AckState): { readonly real: Acknowledger; readonly keys: readonly number[] } {
  const real = new Acknowledger(BigInt(state.acked));
  const guard = real.chunkStarted();
  const keys = new Map<number, number>();
  for (const [index, floor] of [...state.floors.entries()].sort(([, a], [, b]) => a - b)) {
    see(real, floor);
    keys.set(index, real.chunkStarted());
  }
  real.restart();
  see(real, state.visible);
  real.chunkFinished(guard);
  if (Number(real.ackedLsn) !== state.acked) throw new Error(`a state that cannot be: ${JSON.stringify(state)}`);
  return { real, keys: state.floors.map((_, index) => keys.get(index) ?? guard) };
}

/** Lets the real `Acknowledger` act. `offered` is what it was told before. */
export function acknowledging(state: AckState, offered: readonly Commit[], act: (real: Acknowledger) => void = () => {}): AckState {
  const { real, keys } = acknowledgerIn(state);
  const waiting = [...state.waiting, ...offered];
  real.offer(waiting.map(({ endLsn, xid }) => ({ endLsn: BigInt(endLsn), xid })));
  act(real);
  const left = real.waiting === 0 ? [] : waiting.slice(-real.waiting);
  const acked = Number(real.ackedLsn);
  for (const key of keys) real.chunkFinished(key);
  return { acked, visible: Number(real.ackedLsn), waiting: left, floors: state.floors };
}

/** A chunk begins: its floor is read off what is acknowledged when everything is visible and no other chunk holds it back. */
export function chunkBegins(state: AckState): AckState {
  const { real, keys } = acknowledgerIn(state);
  real.chunkStarted();
  see(real, 1e9);
  for (const key of keys) real.chunkFinished(key);
  return { ...state, floors: [...state.floors, Number(real.ackedLsn)] };
}

/** The chunk whose floor stands at `index` ends. */
export function chunkEnds(state: AckState, index: number): AckState {
  const { real, keys } = acknowledgerIn(state);
  real.chunkFinished(keys[index] ?? Number.NaN);
  return { ...state, acked: Number(real.ackedLsn), floors: state.floors.filter((_, other) => other !== index) };
}

/** The real `Watermark` moves on; what became durable is offered to the acknowledger. */
export function advance(tool: Tool): void {
  const real = new Watermark(BigInt(tool.durable));
  for (const { xid, outstanding, endLsn } of tool.tickets) fill(real.open(xid), outstanding, endLsn);
  const finished = real.advance();
  tool.tickets = tool.tickets.slice(finished.length);
  tool.durable = Number(real.durableLsn);
  if (finished.length === 0) return;
  const offered = finished.map(({ endLsn, xid }) => ({ endLsn: Number(endLsn), xid }));
  tool.ack = acknowledging(tool.ack, offered);
}

function fill(ticket: Ticket, outstanding: number, endLsn: number): void {
  ticket.outstanding = outstanding;
  ticket.endLsn = endLsn === 0 ? null : BigInt(endLsn);
}

/** The stream starts again: what the real classes keep of what was not confirmed. */
export function restarted(tool: Tool): void {
  tool.ack = acknowledging(tool.ack, [], (real) => real.restart());
  const real = new Watermark(BigInt(tool.durable));
  for (const { xid } of tool.tickets) real.open(xid);
  real.restart(BigInt(tool.ack.acked));
  tool.tickets = [];
  tool.durable = Number(real.durableLsn);
}

function remembering(deletes: readonly Delete[]): DeleteMemory {
  const real = new DeleteMemory();
  for (const { key, version, xid } of deletes) real.remember({ id: Buffer.from(key), version: BigInt(version), xid });
  return real;
}

function plain(deletes: Iterable<SentDelete>): Delete[] {
  return [...deletes].map(({ id, version, xid }) => ({ key: id.toString() as Key, version: Number(version), xid }));
}

/** The deletes that a chunk read in `snapshot` did not see. */
export function unseenBy(deletes: readonly Delete[], snapshot: Snapshot): Delete[] {
  return plain(remembering(deletes).unseenBy(asPgSnapshot(snapshot)));
}

export function forgetSeenBy(deletes: readonly Delete[], snapshots: readonly Snapshot[]): Delete[] {
  const real = remembering(deletes);
  real.forgetSeenBy(snapshots.map(asPgSnapshot));
  return plain(real.unseenBy(asPgSnapshot(SEES_NONE)));
}
