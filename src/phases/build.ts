import { type Outcome, transition } from '../core/build.ts';
import type { VerifyReport } from '../core/events.ts';
import { Failure } from '../core/failure.ts';
import { seededRandom } from '../core/random.ts';
import { nameInSql } from '../core/table.ts';
import { endingWithGrace, giveUp, unlessStopped } from './build/give-up.ts';
import { type OpenedBuild, openBuild } from './build/open-build.ts';
import { persistentSink, persistentSource } from './build/persist.ts';
import { type BuildContext, newCounters, RejectList, type Run, throwIfAborted } from './build/run-state.ts';
import { BulkTuning } from './bulk/bulk-tuning.ts';
import { BulkWindow } from './bulk/bulk-window.ts';
import { Pipeline } from './pipeline.ts';
import type { SourceLock } from './ports.ts';
import { Steering } from './steering/steering.ts';
import { Throttle } from './steering/throttle.ts';

export type { BuildContext } from './build/run-state.ts';

const LOCK_POLL_MS = 500;
const DEFAULT_SLOT_WAL_BYTES = 20n << 30n;

export interface BuildResult {
  /** `already-done`, `unchanged`: nothing was done, and `index` is the generation that made it unnecessary. */
  readonly outcome: 'built' | 'already-done' | 'unchanged';
  readonly build: string;
  readonly index: string;
  readonly previous: string | null;
  /** Null if an earlier run had swapped already and only the clean-up was left. */
  readonly verify: VerifyReport | null;
  readonly deleted: readonly string[];
}

/**
 * Builds one index from its table, from nothing or from where an earlier run of the same command stopped: perform, transition, until finished; each
 * phase writes its checkpoints itself. Throws the `Failure` that stopped it; then the alias is untouched, unless the message says otherwise.
 */
export async function runBuild(context: BuildContext): Promise<BuildResult> {
  const lock = await lockAlias(context);
  try {
    return await buildLocked(context, () => lock.release());
  } finally {
    await lock.release();
  }
}

async function lockAlias({ source, config, options, clock, reporter, signal }: BuildContext): Promise<SourceLock> {
  for (let waited = false; ; waited = true) {
    const lock = await source.tryLock(config.alias);
    if (lock !== null) return lock;
    if (options.ifLocked !== 'wait') {
      throw new Failure('locked', `another build of ${config.alias} is running`, {
        hint: `Wait for it, or look at it with: realign status ${config.alias}`,
      });
    }
    if (!waited) reporter.report({ type: 'throttle', reason: 'locked', detail: `another build of ${config.alias} is running (--if-locked wait)` });
    await clock.sleep(LOCK_POLL_MS, signal);
  }
}

async function buildLocked(context: BuildContext, releaseAlias: () => Promise<void>): Promise<BuildResult> {
  const startedAt = context.clock.now();
  context.reporter.report({ type: 'phase.started', phase: 'preflight' });
  const opened = await openBuild(context);
  const finish = (detail: string): void =>
    context.reporter.report({ type: 'phase.finished', phase: 'preflight', durationMs: context.clock.now() - startedAt, detail });
  if ('why' in opened) {
    finish(opened.why === 'unchanged' ? 'the config and the definition of the table are what they were' : 'done already');
    const { index, state } = opened.generation;
    return { outcome: opened.why, build: state.build, index, previous: state.previous, verify: null, deleted: [] };
  }
  const run = await openRun(context, opened, releaseAlias);
  const { table, resumed } = opened;
  context.reporter.report({
    type: 'build.started',
    table: nameInSql(table),
    resumed,
    generation: run.names.index,
    slot: run.names.slot,
  });
  finish(opened.note);
  return await drive(run, opened);
}

async function openRun(context: BuildContext, opened: OpenedBuild, releaseAlias: () => Promise<void>): Promise<Run> {
  const controller = new AbortController();
  const { options, clock, reporter } = context;
  const maxSlotWalBytes = options.maxSlotWalBytes ?? (await context.source.slotWalKeepBytes()) ?? DEFAULT_SLOT_WAL_BYTES;
  const steering = new Steering({ ...options, maxSlotWalBytes });
  const bulkTuning = new BulkTuning(steering, options, reporter);
  const patience = { clock, options, reporter, counters: newCounters(), signal: AbortSignal.any([context.signal, controller.signal]) };
  return {
    ...context,
    ...patience,
    source: persistentSource(patience, context.source),
    sink: persistentSink(patience, context.sink),
    names: opened.names,
    table: opened.table,
    plan: opened.plan,
    documents: opened.plan.documentPlan,
    rejected: new RejectList(opened.rejectedIds, options.maxRejects, context.rejects, reporter),
    throttle: new Throttle(reporter),
    steering,
    bulkTuning,
    bulkWindow: new BulkWindow(
      () => bulkTuning.jobs,
      () => clock.now(),
      bulkTuning,
    ),
    random: seededRandom(`${opened.names.slot} ${clock.now()}`),
    releaseAlias,
    abort: (failure) => controller.abort(failure),
  };
}

/** The machine: one small loop. */
async function drive(run: Run, opened: OpenedBuild): Promise<BuildResult> {
  const pipeline = new Pipeline(run, opened.previous);
  let build = opened.build;
  let performing: Promise<unknown> = Promise.resolve();
  let stoppedAt = 0;
  run.signal.addEventListener(
    'abort',
    () => {
      stoppedAt = run.clock.now();
    },
    { once: true },
  );
  try {
    while (build.at !== 'finished') {
      throwIfAborted(run.signal);
      const outcome: Promise<Outcome> = pipeline.perform(build);
      performing = outcome;
      build = transition(build, await unlessStopped(run, build.at, outcome));
    }
  } catch (error) {
    // Whatever failed first aborts the rest, and the abort's reason is what is reported.
    run.abort(error);
    const reason: unknown = run.signal.reason ?? error;
    const ended = endingWithGrace(run.clock, stoppedAt, async () => {
      await performing.catch(() => {});
      await pipeline.close();
    });
    await giveUp({ run, build, checkpoint: () => pipeline.checkpoint, error: reason, ended });
    throw reason instanceof Failure && reason.kind === 'too-many-rejects' ? run.rejected.failure() : reason;
  }
  await pipeline.close();
  const { state } = build.built;
  return { outcome: 'built', build: state.build, index: run.names.index, previous: state.previous, verify: build.report, deleted: build.deleted };
}
