import type { Build } from '../../core/build.ts';
import { Failure, followingActionOf, policyOf } from '../../core/failure.ts';
import { retire } from '../generations/retire.ts';
import type { Source } from '../ports.ts';
import type { Sink } from '../sink-ports.ts';
import type { Checkpoint } from './checkpoint.ts';
import { persist, persistentSink, persistentSource } from './persist.ts';
import type { Run } from './run-state.ts';

/** What is in flight when a run is stopped may end; who stopped it does not wait longer than this (README.md, "Operations": stopping and resuming). A kill is as safe. */
const GRACE_MS = 10_000;
/** A server that restarts just now must not be left with the slot; but whoever waits for the exit code must not wait for ever. */
const RELEASE_TIMEOUT_MS = 30_000;

/** What a build stopped with, and in what state. */
export interface Stopped {
  readonly run: Run;
  readonly build: Build;
  /** Null before the index exists. */
  readonly checkpoint: () => Checkpoint | null;
  readonly error: unknown;
  /** Resolves when the phase and what runs beside it have ended: true; or after ten seconds: false. Never rejects. */
  readonly ended: () => Promise<boolean>;
}

/** The servers for whoever gives up: the run is aborted, so its own calls are not tried again any more; these are, for a while. */
interface Patient {
  readonly source: Source;
  readonly sink: Sink;
  persist<T>(operation: string, work: () => Promise<T>): Promise<T>;
}

/**
 * What happens to a build that stopped: the one table in core/failure.ts says whether it can ever be finished. Before the index exists nothing can be resumed, so
 * nothing is left behind whatever happened. Production comes first: a slot that nobody needs goes at once, though a chunk or a bulk may hang for minutes still. Everything
 * else waits for the end of what is in flight.
 */
export async function giveUp(stopped: Stopped): Promise<void> {
  const { run, build } = stopped;
  try {
    if (build.at === 'follow') return await giveUpFollowing(stopped);
    const patient = patientServers(run);
    const hopeless = isHopeless(stopped.error, build.at);
    // Behind the swap only the clean-up is left, and the same command finishes it; if it never can, production comes first there too.
    if (build.at === 'cleanup') return hopeless ? await dropSlotAndPublication(run, patient) : undefined;
    if (!hopeless && !(await nothingToResume(stopped, patient))) return;
    if (hopeless && build.at === 'swap' && (await isSwapped(stopped, patient))) return;
    await dropSlotAndPublication(run, patient);
    await stopped.ended();
    const checkpoint = stopped.checkpoint();
    if (checkpoint === null) return;
    await patient.persist('writeState', async () => {
      if ((await run.sink.indexUuid(run.names.index)) === checkpoint.uuid) await checkpoint.enter('failed');
    });
  } catch (cause) {
    tellLeftBehind(run, cause);
  } finally {
    await stopped.ended();
  }
}

async function dropSlotAndPublication({ names, failpoint }: Run, { source }: Patient): Promise<void> {
  await source.dropSlot(names.slot);
  await failpoint?.('failed.slot-dropped');
  await source.dropPublication(names.publication);
}

/**
 * The phase's outcome, or what the run was stopped with, whichever is first: what a phase waits for (an answer of Elasticsearch, a row of a COPY) may come much later. What
 * ends the build for good counts at once, anything else after ten seconds. A swap that was asked for is waited for: if it takes place, the slot is what the drain needs.
 */
export async function unlessStopped<T>({ signal, clock }: Pick<Run, 'signal' | 'clock'>, at: Build['at'], outcome: Promise<T>): Promise<T> {
  if (at === 'swap') return await outcome;
  const over = new AbortController();
  const stopped = new Promise<never>((_, reject) => {
    const onAbort = (): void => {
      if (isHopeless(signal.reason, at) && at !== 'cleanup') reject(signal.reason);
      else
        clock.sleep(GRACE_MS, over.signal).then(
          () => reject(signal.reason),
          () => {},
        );
    };
    signal.addEventListener('abort', onAbort, { once: true });
    over.signal.addEventListener('abort', () => signal.removeEventListener('abort', onAbort), { once: true });
  });
  try {
    return await Promise.race([outcome, stopped]);
  } finally {
    over.abort();
  }
}

/** Begins to end what is in flight when it is first asked, and waits for it no longer than the grace, which is counted from `stoppedAt`; true if it ended within that. */
export function endingWithGrace(clock: Run['clock'], stoppedAt: number, end: () => Promise<void>): () => Promise<boolean> {
  const begin = async (): Promise<boolean> => {
    const over = new AbortController();
    const leftMs = Math.max(0, stoppedAt + GRACE_MS - clock.now());
    const late = clock.sleep(leftMs, over.signal).then(
      () => false,
      () => false,
    );
    const ended = await Promise.race([end().then(() => true), late]);
    over.abort();
    return ended;
  };
  let ending: Promise<boolean> | null = null;
  return () => {
    ending ??= begin();
    return ending;
  };
}

/** Where readers are on the index, a rejected row can be mended. */
function isHopeless(error: unknown, at: Build['at']): boolean {
  return (at === 'follow' || at === 'cleanup' ? followingActionOf(error) : policyOf(error).action) === 'abandon';
}

function patientServers(run: Run): Patient {
  const { clock, counters, reporter } = run;
  const options = { ...run.options, stallTimeoutMs: RELEASE_TIMEOUT_MS };
  const patience = { clock, counters, reporter, options, signal: new AbortController().signal };
  return {
    source: persistentSource(patience, run.source),
    sink: persistentSink(patience, run.sink),
    persist: (operation, work) => persist(patience, operation, work),
  };
}

/**
 * The index may have been made though its phase did not end (a primary that was not placed in time), or be made still: then the next run goes on with it and needs the
 * slot, and whoever stopped this one must know.
 */
async function nothingToResume({ run, build, checkpoint, ended }: Stopped, { sink }: Patient): Promise<boolean> {
  const over = await ended();
  if (build.at === 'slot') return true;
  if (build.at !== 'index' || checkpoint() !== null) return false;
  if (over && (await sink.indexUuid(run.names.index)) === null) return true;
  run.reporter.report({
    type: 'warning',
    code: 'index-kept',
    message: `index ${run.names.index} was asked for and is made, or may be made still`,
    hint: 'The same command goes on with it.',
  });
  return false;
}

/** An answer to the swap that was lost is looked up: readers that are on the new index need its slot for what was committed around the swap. In doubt they are. */
async function isSwapped({ run, checkpoint }: Stopped, { sink }: Patient): Promise<boolean> {
  const { alias } = run.config;
  const target = await sink.readAlias(alias);
  if (target.kind !== 'alias' || !target.indices.has(run.names.index)) return false;
  run.reporter.report({ type: 'swap', alias, from: checkpoint()?.state.previous ?? null, to: run.names.index });
  return true;
}

/** Readers are on it: the index stays as it is, a finished generation that is fed no more. A rejected row can be mended, so its slot stays. */
async function giveUpFollowing({ run, checkpoint, error, ended }: Stopped): Promise<void> {
  const followed = checkpoint();
  if (!isHopeless(error, 'follow') || followed === null) return;
  const { source, sink } = patientServers(run);
  await retire(source, sink, { index: run.names.index, state: followed.state }, ended);
}

/** The first failure is what is reported; what could not be removed is named beside it. */
function tellLeftBehind(run: Run, cause: unknown): void {
  run.reporter.report({
    type: 'warning',
    code: 'left-behind',
    message: `slot ${run.names.slot}, publication ${run.names.publication} or the state of ${run.names.index} may be left as they were: ${cause instanceof Failure ? cause.message : 'unexpected error'}`,
    hint: `Remove them with: realign abort ${run.config.alias}`,
  });
}
