import { isTransient } from '../../core/failure.ts';
import type { Run } from './run-state.ts';

/**
 * Does `work` every `everyMs` beside the phases until stopped. What it throws aborts the run, except what passes (a lost connection, an overloaded cluster): the phases meet
 * the same trouble and have the retry policy for it.
 */
export function startLoop(run: Run, everyMs: number, work: () => Promise<void>): { stop(): Promise<void> } {
  const stopper = new AbortController();
  const signal = AbortSignal.any([stopper.signal, run.signal]);
  const loop = async (): Promise<void> => {
    while (!signal.aborted) {
      await forgivingLoss(work);
      await run.clock.sleep(everyMs, signal).catch(() => {});
    }
  };
  const finished = loop().catch((error: unknown) => run.abort(error));
  return {
    stop: async () => {
      stopper.abort();
      await finished;
    },
  };
}

async function forgivingLoss(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isTransient(error)) throw error;
  }
}
