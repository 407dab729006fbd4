import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../phases/ports.ts';

/** The machine's clock; a sleep that is aborted throws the signal's reason, not an `AbortError`. */
export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => new Date(),
  async sleep(ms, signal) {
    try {
      await wait(ms, undefined, { signal });
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
  },
};
