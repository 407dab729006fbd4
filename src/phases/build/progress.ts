import type { PhaseName } from '../../core/events.ts';
import { Failure } from '../../core/failure.ts';
import type { LeafProgress } from '../../core/plan/build-state.ts';
import { loadedShare } from '../../core/plan/chunks.ts';
import type { Replay } from '../replay.ts';
import type { SlotWatch } from '../steering/slot-watch.ts';
import { startLoop } from './loop.ts';
import type { Run } from './run-state.ts';

const EVERY_MS = 500;

interface Progress {
  /** Does the work of the phase, and ends the figures with it. Its failure is the run's: whatever is met while the figures are ended comes after it. */
  during<T>(work: () => Promise<T>): Promise<T>;
}

/** Reports the figures of a phase twice a second while its work is done; the output decides how often it shows them. A source that is away for a while only delays them. */
export function startProgress(options: {
  readonly run: Run;
  readonly phase: PhaseName;
  readonly replay: Replay;
  readonly slot: SlotWatch;
  readonly leaves: () => readonly LeafProgress[];
  readonly everyMs?: number;
}): Progress {
  const { run, phase, replay, slot } = options;
  const startedAt = run.clock.now();
  const firstShare = loadedShare(options.leaves());
  const firstChanges = run.counters.changes;
  let insertLsn = 0n;
  const tell = (): void => {
    const seconds = Math.max(0.001, (run.clock.now() - startedAt) / 1000);
    const share = loadedShare(options.leaves());
    const gained = share - firstShare;
    run.reporter.report({
      type: 'progress',
      phase,
      rows: run.counters.rows,
      rowsTotal: phase !== 'load' || share === 1 ? run.counters.rows : rowsToLoad(run.table.estimatedRows, firstShare),
      share,
      rowsPerSecond: phase === 'load' ? Math.round(run.counters.rows / seconds) : 0,
      etaSeconds: gained > 0 ? Math.round(((1 - share) / gained) * seconds) : -1,
      changes: run.counters.changes,
      changesPerSecond: Math.round((run.counters.changes - firstChanges) / seconds),
      lagBytes: String(insertLsn > replay.durableLsn ? insertLsn - replay.durableLsn : 0n),
      slotWalBytes: String(slot.retainedBytes()),
      slotWalLimitBytes: String(run.steering.limits.maxSlotWalBytes),
      rejected: run.rejected.ids.size,
      retries: run.counters.retries,
      throttle: run.throttle.reason === '' ? run.counters.throttle : run.throttle.reason,
    });
  };
  const report = async (): Promise<void> => {
    insertLsn = await run.source.insertLsn();
    tell();
  };
  // The last figures of a phase are its final ones, also where the source cannot be asked any more.
  const conclude = async (): Promise<void> => {
    try {
      await report();
    } catch (error) {
      if (!(error instanceof Failure)) run.abort(error);
      tell();
    }
  };
  const loop = startLoop(run, options.everyMs ?? EVERY_MS, report);
  return {
    during: async (work) => {
      try {
        return await work();
      } catch (error) {
        run.abort(error);
        throw error;
      } finally {
        await loop.stop();
        await conclude();
      }
    },
  };
}

/** A resumed load has the rest of the rows before it; its `rows` count from this run's beginning, too. */
function rowsToLoad(estimatedRows: number, firstShare: number): number {
  return estimatedRows < 0 ? -1 : Math.round(estimatedRows * (1 - firstShare));
}
