import { Failure, policyOf } from '../../core/failure.ts';
import type { Source } from '../ports.ts';
import type { Sink } from '../sink-ports.ts';
import type { Run } from './run-state.ts';

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 5_000;

/** What passes by itself while a build runs. A server that refuses connections is one that restarts: at the start of a run that is a failure, here it is waited for. */
export function isPassing(error: unknown): error is Failure {
  return error instanceof Failure && (error.kind === 'unreachable' || policyOf(error).action === 'retry');
}

/** The failure after waiting in vain: the build exists and can be resumed, so it is not "unreachable, nothing changed" (exit 69). */
export function lastingFailure(error: Failure): Failure {
  if (error.kind !== 'unreachable') return error;
  return new Failure('connection-lost', error.message, { ...(error.hint === undefined ? {} : { hint: error.hint }), cause: error });
}

type Patience = Pick<Run, 'clock' | 'signal' | 'options' | 'counters' | 'reporter'>;

/**
 * Does `work`, which must be safe to do twice, again and again while it fails for a passing reason, at most `stallTimeoutMs`: a rolling restart or a cut connection must
 * not end a build of hours.
 */
export async function persist<T>(run: Patience, operation: string, work: () => Promise<T>): Promise<T> {
  const startedAt = run.clock.now();
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error) || run.signal.aborted) throw error;
      if (run.clock.now() - startedAt > run.options.stallTimeoutMs) throw lastingFailure(error);
      const delayMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(attempt - 1, 10));
      run.counters.retries++;
      run.reporter.report({ type: 'retry', operation, errorType: error.message, attempt, delayMs });
      await run.clock.sleep(delayMs, run.signal);
    }
  }
}

/** The calls of a build beside its streams of rows, changes and bulks, which have retries of their own: each may be made twice (phases/ports.ts). */
const SOURCE_CALLS: readonly (keyof Source)[] = [
  'identity',
  'describeTable',
  'createPublication',
  'readPublication',
  'dropPublication',
  'readSlot',
  'dropSlot',
  'insertLsn',
];
const SINK_CALLS: readonly (keyof Sink)[] = [
  'identity',
  'readAlias',
  'generations',
  'createIndex',
  'indexUuid',
  'writeState',
  'runningBulkTasks',
  'runningRequests',
  'restoreSettings',
  'waitForHealth',
  'finishSettings',
  'refresh',
  'freeze',
  'swap',
  'removeBuildAlias',
  'deleteIndex',
  'readSettings',
];

export const persistentSource = (run: Patience, source: Source): Source => persistent(run, source, SOURCE_CALLS);

export const persistentSink = (run: Patience, sink: Sink): Sink => persistent(run, sink, SINK_CALLS);

type Call = (...values: unknown[]) => Promise<unknown>;

function persistent<T extends object>(run: Patience, target: T, names: readonly (keyof T)[]): T {
  const calls = names.map((name) => {
    const call = target[name] as Call;
    const again: Call = (...values) => persist(run, String(name), () => call.apply(target, values));
    return [name, again] as const;
  });
  return { ...target, ...Object.fromEntries(calls) };
}
