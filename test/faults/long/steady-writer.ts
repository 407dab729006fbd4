import { setTimeout as pause } from 'node:timers/promises';
import { type RunningWriter, startWriter, type Writer } from '../../e2e/writers.ts';

const AGAIN_AFTER_MS = 100;

/** A random writer like `startWriter`'s that connects again when its server was away; `stop` gives its commits. Whether the one that was cut had committed only the table knows. */
export function startSteadyWriter(url: string, seed: number, keys: number): Writer {
  let stopped = false;
  let current: RunningWriter | null = null;
  let commits = 0;
  const work = async (): Promise<number> => {
    for (let life = 0; !stopped; life++) {
      current = startWriter(url, seed + life * 7919, keys, () => commits++);
      try {
        await current.ended;
      } catch (error) {
        if (!isAway(error)) throw error;
        await pause(AGAIN_AFTER_MS);
      }
    }
    return commits;
  };
  const ended = work();
  ended.catch(() => {});
  const stop = (): Promise<number> => {
    stopped = true;
    current?.stop().catch(() => {});
    return ended;
  };
  return { stop };
}

/** A connection that broke has no SQLSTATE or one of a server that goes down or comes up (57P01, 57P02, 57P03). */
function isAway(error: unknown): boolean {
  const code = (error as { readonly code?: unknown }).code;
  return typeof code !== 'string' || code.startsWith('57P') || !/^[0-9A-Z]{5}$/.test(code);
}
