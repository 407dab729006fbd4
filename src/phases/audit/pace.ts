import { rateDelayMs } from '../../core/plan/rate.ts';
import type { Clock } from '../ports.ts';

/** A function that is told how much has just been read and waits so that `perSecond` is kept on average; without a rate it never waits. */
export function pacer(clock: Clock, perSecond: number | null, signal: AbortSignal): (count: number) => Promise<void> {
  const startedMs = clock.now();
  let total = 0;
  return async (count) => {
    if (perSecond === null || count === 0) return;
    total += count;
    const delayMs = rateDelayMs(total, clock.now() - startedMs, perSecond);
    // The clock's shortest sleeps are coarse; less than this is made up for by the next one.
    if (delayMs >= 5) await clock.sleep(delayMs, signal);
  };
}
