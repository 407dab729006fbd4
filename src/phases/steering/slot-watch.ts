import { Failure } from '../../core/failure.ts';
import { startLoop } from '../build/loop.ts';
import type { Run } from '../build/run-state.ts';
import type { SlotState } from '../ports.ts';

const EVERY_MS = 2000;
const WARN_SHARE = 0.8;
const RELEASE_SHARE = 0.6;
const OLD_TRANSACTION_MS = 15 * 60_000;

/** What was seen last; the progress line shows it. */
export interface SlotWatch {
  readonly retainedBytes: () => bigint;
  stop(): Promise<void>;
}

interface Seen {
  retainedBytes: bigint;
  warned: boolean;
  /** The pid whose age was told. */
  oldPid: number | null;
}

/**
 * Watches how much WAL the slot makes the production server keep: at 80 % of `--max-slot-wal` it warns, names who else keeps it, and holds the load back; at the
 * limit it aborts the run (exit 26), and when the slot is lost (exit 24). A rebuild that fills the production disk is worse than none.
 */
export function watchSlot(run: Run): SlotWatch {
  const seen: Seen = { retainedBytes: 0n, warned: false, oldPid: null };
  const loop = startLoop(run, EVERY_MS, async () => {
    await judge(run, await run.source.readSlot(run.names.slot), seen);
    await lookAtAge(run, seen);
  });
  return { retainedBytes: () => seen.retainedBytes, stop: loop.stop };
}

async function judge(run: Run, slot: SlotState | null, seen: Seen): Promise<void> {
  if (slot === null) throw lost(run, 'it was dropped by somebody else');
  if (slot.walStatus === 'lost') throw lost(run, 'PostgreSQL removed WAL it needed (max_slot_wal_keep_size)');
  seen.retainedBytes = slot.retainedBytes;
  const limit = run.steering.limits.maxSlotWalBytes;
  if (slot.retainedBytes > limit) throw overLimit(slot, limit, await run.source.writingTransactions());
  const share = shareOf(slot, limit);
  const tight = slot.walStatus === 'unreserved' || share > WARN_SHARE;
  if (tight && !seen.warned) await warn(run, slot, limit);
  seen.warned = tight || (seen.warned && share > RELEASE_SHARE);
  // Without new chunks the replay has the machine for itself.
  run.throttle.set('slot-wal', seen.warned ? `postgres: the slot retains ${Math.round(share * 100)} % of the WAL it may` : null);
}

/** The nearer of two limits: ours, and what the server says is left before it takes the slot away (`safe_wal_size`). */
function shareOf(slot: SlotState, limit: bigint): number {
  const own = Number(slot.retainedBytes) / Number(limit);
  if (slot.safeWalSize === null) return own;
  const safe = Math.max(0, Number(slot.safeWalSize));
  return Math.max(own, Number(slot.retainedBytes) / Math.max(1, Number(slot.retainedBytes) + safe));
}

async function warn(run: Run, slot: SlotState, limit: bigint): Promise<void> {
  run.reporter.report({
    type: 'warning',
    code: 'slot-wal',
    message: `slot ${slot.name} retains ${slot.retainedBytes} bytes of WAL (limit ${limit}, status ${slot.walStatus ?? 'unknown'})${keptBy(await run.source.writingTransactions())}`,
    hint: 'At the limit the build stops and drops the slot.',
  });
}

function overLimit(slot: SlotState, limit: bigint, writing: readonly string[]): Failure {
  return new Failure('slot-wal-limit', `slot ${slot.name} retains ${slot.retainedBytes} bytes of WAL; --max-slot-wal is ${limit}${keptBy(writing)}`, {
    hint: 'The slot was dropped to protect the source. Make the load faster, run it at a quieter time, or raise --max-slot-wal.',
  });
}

function keptBy(writing: readonly string[]): string {
  return writing.length === 0 ? '' : `; open writing transactions keep it too: ${writing.join('; ')}`;
}

/** A transaction that stays open keeps every slot's WAL and every dead row, whatever we do. */
async function lookAtAge(run: Run, seen: Seen): Promise<void> {
  const oldest = await run.source.oldestTransaction();
  if (oldest === null || oldest.ageMs < OLD_TRANSACTION_MS || oldest.pid === seen.oldPid) return;
  seen.oldPid = oldest.pid;
  run.reporter.report({
    type: 'warning',
    code: 'old-transaction',
    message: `the oldest transaction is open for ${Math.round(oldest.ageMs / 60_000)} min: ${oldest.who}`,
    hint: 'It holds back vacuum, and the WAL of this slot if it writes. End it if nobody needs it.',
  });
}

export function lost(run: Run, why: string): Failure {
  return new Failure('slot-lost', `slot ${run.names.slot} cannot be used any more: ${why}`, {
    hint: 'The changes it held are gone, so this build cannot be finished. Run the same command again for a new build.',
  });
}
