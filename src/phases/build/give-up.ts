import type { Build } from '../../core/build.ts';
import { Failure, followingActionOf, policyOf } from '../../core/failure.ts';
import { retire } from '../generations/retire.ts';
import type { Checkpoint } from './checkpoint.ts';
import { persist } from './persist.ts';
import type { Run } from './run-state.ts';

/** What is in flight when a run is stopped may end; who stopped it does not wait longer than this (cli.md, first Ctrl-C). A kill is as safe. */
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
  /** Resolves when the phase and what runs beside it have ended, or after ten seconds. Never rejects. */
  readonly ended: () => Promise<void>;
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
    // Behind the swap only the clean-up is left, and the same command finishes it.
    if (build.at === 'cleanup') return;
    const hopeless = isHopeless(stopped.error, build.at);
    if (!hopeless) await stopped.ended();
    if (!hopeless && !(await nothingToResume(stopped))) return;
    await releaseSource(run);
    await stopped.ended();
    const checkpoint = stopped.checkpoint();
    if (checkpoint !== null && (await run.sink.indexUuid(run.names.index)) === checkpoint.uuid) await checkpoint.enter('failed');
  } catch (cause) {
    tellLeftBehind(run, cause);
  } finally {
    await stopped.ended();
  }
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

/** Begins to end what is in flight when it is first asked, and waits for it no longer than the grace, which is counted from `stoppedAt`. */
export function endingWithGrace(clock: Run['clock'], stoppedAt: number, end: () => Promise<void>): () => Promise<void> {
  const begin = async (): Promise<void> => {
    const over = new AbortController();
    const leftMs = Math.max(0, stoppedAt + GRACE_MS - clock.now());
    await Promise.race([end(), clock.sleep(leftMs, over.signal).catch(() => {})]);
    over.abort();
  };
  let ending: Promise<void> | null = null;
  return () => {
    ending ??= begin();
    return ending;
  };
}

function isHopeless(error: unknown, at: Build['at']): boolean {
  return (at === 'follow' ? followingActionOf(error) : policyOf(error).action) === 'abandon';
}

/** The run is aborted, so its own calls are not tried again any more; these are. */
async function releaseSource(run: Run): Promise<void> {
  const { clock, counters, reporter, source, names } = run;
  const patience = {
    clock,
    counters,
    reporter,
    options: { ...run.options, stallTimeoutMs: RELEASE_TIMEOUT_MS },
    signal: new AbortController().signal,
  };
  await persist(patience, 'dropSlot', () => source.dropSlot(names.slot));
  await run.failpoint?.('failed.slot-dropped');
  await persist(patience, 'dropPublication', () => source.dropPublication(names.publication));
}

/** The index may have been made though its phase did not end (a primary that was not placed in time): then the next run goes on with it and needs the slot. */
async function nothingToResume({ run, build, checkpoint }: Stopped): Promise<boolean> {
  if (build.at === 'slot') return true;
  return build.at === 'index' && checkpoint() === null && (await run.sink.indexUuid(run.names.index)) === null;
}

/** Readers are on it: the index stays as it is, a finished generation that is fed no more. A rejected row can be mended, so its slot stays. */
async function giveUpFollowing({ run, checkpoint, error, ended }: Stopped): Promise<void> {
  const followed = checkpoint();
  if (!isHopeless(error, 'follow') || followed === null) return;
  await retire(run.source, run.sink, { index: run.names.index, state: followed.state }, ended);
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
