import { Failure } from '../core/failure.ts';
import type { SlotState } from './ports.ts';
import type { Run } from './run-state.ts';

const EVERY_MS = 2000;
const WARN_SHARE = 0.8;

/** What was seen last; the progress line shows it. */
export interface SlotWatch {
  readonly retainedBytes: () => bigint;
  stop(): Promise<void>;
}

/**
 * Watches how much WAL the slot makes the production server keep: warns at 80 % of `--max-slot-wal`, aborts the run at the limit (exit 26) and when the slot is lost
 * (exit 24). A rebuild that fills the production disk is worse than none.
 */
export function watchSlot(run: Run): SlotWatch {
  const stopper = new AbortController();
  const seen = { retainedBytes: 0n, warned: false };
  const loop = async (): Promise<void> => {
    while (!stopper.signal.aborted && !run.signal.aborted) {
      judge(run, await run.source.readSlot(run.names.slot), seen);
      await run.clock.sleep(EVERY_MS, AbortSignal.any([stopper.signal, run.signal])).catch(() => {});
    }
  };
  const finished = loop().catch((error: unknown) => {
    // The stream notices a broken connection by itself and has the better retry policy.
    if (!(error instanceof Failure && error.kind === 'connection-lost')) run.abort(error);
  });
  return {
    retainedBytes: () => seen.retainedBytes,
    stop: async () => {
      stopper.abort();
      await finished;
    },
  };
}

function judge(run: Run, slot: SlotState | null, seen: { retainedBytes: bigint; warned: boolean }): void {
  if (slot === null) throw lost(run, 'it was dropped by somebody else');
  if (slot.walStatus === 'lost') throw lost(run, 'PostgreSQL removed WAL it needed (max_slot_wal_keep_size)');
  seen.retainedBytes = slot.retainedBytes;
  const limit = run.options.maxSlotWalBytes;
  if (slot.retainedBytes > limit) {
    throw new Failure('slot-wal-limit', `slot ${slot.name} retains ${slot.retainedBytes} bytes of WAL; --max-slot-wal is ${limit}`, {
      hint: 'The slot was dropped to protect the source. Make the load faster, run it at a quieter time, or raise --max-slot-wal.',
    });
  }
  const tight = slot.walStatus === 'unreserved' || Number(slot.retainedBytes) > Number(limit) * WARN_SHARE;
  if (tight && !seen.warned) {
    run.reporter.report({
      type: 'warning',
      code: 'slot-wal',
      message: `slot ${slot.name} retains ${slot.retainedBytes} bytes of WAL (limit ${limit}, status ${slot.walStatus ?? 'unknown'})`,
      hint: 'At the limit the build stops and drops the slot.',
    });
  }
  seen.warned = tight;
}

export function lost(run: Run, why: string): Failure {
  return new Failure('slot-lost', `slot ${run.names.slot} cannot be used any more: ${why}`, {
    hint: 'The changes it held are gone, so this build cannot be finished. Run the same command again for a new build.',
  });
}
