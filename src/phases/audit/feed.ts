import { formatLsn } from '../../core/lsn.ts';
import type { Clock, Source } from '../ports.ts';
import type { ReplayControl } from '../replay/replay-control.ts';

const POLL_MS = 100;
/** A follower confirms what is durable every few seconds at least; one that does not move for so long is not waited for. */
const PATIENCE_MS = 60_000;

export interface Feed {
  readonly source: Pick<Source, 'readSlot'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The slot that feeds the index. */
  readonly slot: string;
  /** Told once if the follower does not get on. */
  readonly onStalled: (reason: string) => void;
}

/**
 * An audit's view of a replay that runs in another process: it can be waited for, by what the slot has confirmed (rule R4: never more than is durable
 * in the index), and cannot be held.
 */
export function observedReplay(feed: Feed): ReplayControl {
  let stalled = false;
  return {
    ...NOBODY,
    waitUntilApplied: async (lsn) => {
      if (!stalled) stalled = !(await waitForSlot(feed, lsn));
    },
  };
}

async function cannotHold(): Promise<void> {
  throw new RangeError('BUG: an audit cannot hold the replay of another process');
}

/** For an index that realign does not feed: there is nothing to wait for. */
export const NOBODY: ReplayControl = {
  hold: cannotHold,
  runTo: cannotHold,
  release: () => undefined,
  waitUntilApplied: async () => undefined,
  changedKeys: () => [],
  deletedKeys: () => [],
};

/** True when the slot has confirmed `lsn`; false if it is gone or did not move for a minute. */
async function waitForSlot({ source, clock, signal, slot, onStalled }: Feed, lsn: bigint): Promise<boolean> {
  let confirmed = -1n;
  for (let movedMs = clock.now(); clock.now() - movedMs < PATIENCE_MS; await clock.sleep(POLL_MS, signal)) {
    const state = await source.readSlot(slot);
    if (state === null) {
      onStalled(`the slot ${slot} is gone`);
      return false;
    }
    const now = state.confirmedFlushLsn ?? 0n;
    if (now >= lsn) return true;
    if (now > confirmed) movedMs = clock.now();
    confirmed = now;
  }
  onStalled(`the slot ${slot} stands at ${formatLsn(confirmed)} and was waited for to reach ${formatLsn(lsn)}`);
  return false;
}
