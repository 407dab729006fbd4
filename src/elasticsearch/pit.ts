import { setTimeout as pause } from 'node:timers/promises';
import { isTransient } from '../core/failure.ts';
import type { Http } from './connect.ts';

/** An open point in time. `id` changes: the newest one is always used (docs/servers.md E29). */
export interface Pit {
  readonly http: Http;
  readonly index: string;
  readonly keepAlive: string;
  readonly retryPausesMs: readonly number[];
  id: string;
}

/** Runs a read, and again after each of the pauses while the failure is one that may pass: a cut connection must not cost a whole comparison. */
export async function repeated<T>(pit: Pit, read: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await read();
    } catch (error) {
      const pauseMs = pit.retryPausesMs[attempt];
      if (pauseMs === undefined || !isTransient(error)) throw error;
      await pause(pauseMs);
    }
  }
}
