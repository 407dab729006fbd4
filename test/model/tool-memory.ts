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

/** Lets the real `Acknowledger` act. `offered` is what it was told, `floors` how many chunks are in flight after it. */
export function acknowledging(
  state: AckState,
  change: { readonly offered?: readonly Commit[]; readonly floors?: number },
  act: (real: Acknowledger) => void = () => {},
): AckState {
  const real = new Acknowledger(BigInt(state.acked));
  for (let i = 0; i < state.floors; i++) real.chunkStarted();
  if (state.visible > state.acked) {
    real.offer([{ endLsn: BigInt(state.visible), xid: null }]);
    real.observe(asPgSnapshot(SEES_ALL));
  }
  const waiting = [...state.waiting, ...(change.offered ?? [])];
  real.offer(waiting.map(({ endLsn, xid }) => ({ endLsn: BigInt(endLsn), xid })));
  act(real);
  const left = real.waiting === 0 ? [] : waiting.slice(-real.waiting);
  const acked = Number(real.ackedLsn);
  for (let i = 0; i <= state.floors; i++) real.chunkFinished(i);
  return { acked, visible: Number(real.ackedLsn), waiting: left, floors: change.floors ?? state.floors };
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
  tool.ack = acknowledging(tool.ack, { offered });
}

function fill(ticket: Ticket, outstanding: number, endLsn: number): void {
  ticket.outstanding = outstanding;
  ticket.endLsn = endLsn === 0 ? null : BigInt(endLsn);
}

/** The stream starts again: what the real classes keep of what was not confirmed. */
export function restarted(tool: Tool): void {
  tool.ack = acknowledging(tool.ack, {}, (real) => real.restart());
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
