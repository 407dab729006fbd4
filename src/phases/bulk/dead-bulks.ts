import { Failure } from '../../core/failure.ts';
import type { Run } from '../build/run-state.ts';

const POLL_MS = 100;

/** Rule R4: waits until no bulk of a process that died is still running on the index; it could otherwise be applied after what is sent now. */
export async function waitForDeadBulks(run: Run): Promise<void> {
  const startedAt = run.clock.now();
  for (;;) {
    const running = await run.sink.runningBulkTasks(run.names.index);
    if (running === 0) return;
    if (run.clock.now() - startedAt > run.options.stallTimeoutMs) {
      throw new Failure('stalled', `${running} bulk tasks of an earlier run are still running on ${run.names.index}`, {
        hint: 'Wait until they end (GET _tasks?actions=*bulk*), then run the same command again.',
      });
    }
    await run.clock.sleep(POLL_MS, run.signal);
  }
}
