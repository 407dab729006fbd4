import { Failure, isTransient } from '../../core/failure.ts';
import type { Source } from '../ports.ts';
import type { Sink } from '../sink-ports.ts';
import type { Run } from './run-state.ts';

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 5_000;

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
      if (!isTransient(error) || run.signal.aborted) throw error;
      if (run.clock.now() - startedAt > run.options.stallTimeoutMs) throw lastingFailure(error);
      const delayMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(attempt - 1, 10));
      run.counters.retries++;
      run.reporter.report({ type: 'retry', operation, errorType: error.kind, attempt, delayMs });
      await run.clock.sleep(delayMs, run.signal);
    }
  }
}

/**
 * `again`: made twice without harm, so it is tried again while it fails for a passing reason. `once`: belongs to one of the streams of rows, changes and
 * bulks, to a lock, or to a command beside the build; whoever calls it has the policy for it.
 */
type Calls<T> = { readonly [name in keyof T]: 'again' | 'once' };

const SOURCE_CALLS: Calls<Source> = {
  identity: 'again',
  describeTable: 'again',
  createPublication: 'again',
  readPublication: 'again',
  dropPublication: 'again',
  readSlot: 'again',
  dropSlot: 'again',
  insertLsn: 'again',
  nearestTable: 'once',
  describeComputed: 'once',
  preflight: 'once',
  tryLock: 'once',
  listPublications: 'once',
  createSlot: 'once',
  listSlots: 'once',
  openStream: 'once',
  notYetVisible: 'once',
  currentSnapshot: 'once',
  openChunk: 'once',
  openTable: 'once',
  lookup: 'once',
  readReference: 'once',
  canBeKeys: 'once',
  keepSnapshot: 'once',
  readComment: 'once',
  changeComment: 'again',
  isLocked: 'again',
  serverTime: 'again',
  replicaLag: 'once',
  throttleQuery: 'once',
  exclusiveLock: 'once',
  writingTransactions: 'once',
  oldestTransaction: 'once',
  slotWalKeepBytes: 'once',
};
const SINK_CALLS: Calls<Sink> = {
  identity: 'again',
  readAlias: 'again',
  generations: 'again',
  ourIndices: 'once',
  createIndex: 'again',
  indexUuid: 'again',
  writeState: 'again',
  runningBulkTasks: 'again',
  runningRequests: 'again',
  restoreSettings: 'again',
  waitForHealth: 'again',
  finishSettings: 'again',
  refresh: 'again',
  freeze: 'again',
  swap: 'again',
  removeBuildAlias: 'again',
  deleteIndex: 'again',
  readSettings: 'again',
  indexBytes: 'again',
  preflight: 'once',
  bulk: 'once',
  readMapping: 'once',
  openRepair: 'once',
  repairAliases: 'once',
};

export const persistentSource = (run: Patience, source: Source): Source => persistent(run, source, SOURCE_CALLS);

export const persistentSink = (run: Patience, sink: Sink): Sink => persistent(run, sink, SINK_CALLS);

type Call = (...values: unknown[]) => Promise<unknown>;

function persistent<T extends object>(run: Patience, target: T, calls: Calls<T>): T {
  const names = (Object.keys(calls) as (keyof T)[]).filter((name) => calls[name] === 'again');
  const repeated = names.map((name) => {
    const call = target[name] as Call;
    const again: Call = (...values) => persist(run, String(name), () => call.apply(target, values));
    return [name, again] as const;
  });
  return { ...target, ...Object.fromEntries(repeated) };
}
