import { type Outcome, transition } from '../core/build.ts';
import type { VerifyReport } from '../core/events.ts';
import { Failure } from '../core/failure.ts';
import { giveUp } from './give-up.ts';
import { type OpenedBuild, openBuild } from './open-build.ts';
import { Pipeline } from './pipeline.ts';
import { type BuildContext, newCounters, RejectList, type Run, throwIfAborted } from './run-state.ts';

export type { BuildContext } from './run-state.ts';

export interface BuildResult {
  readonly build: string;
  readonly index: string;
  readonly previous: string | null;
  /** Null if an earlier run had swapped already and only the clean-up was left. */
  readonly verify: VerifyReport | null;
  readonly deleted: readonly string[];
}

/**
 * Builds one index from its table, from nothing or from where an earlier run of the same command stopped: perform, transition, checkpoint, until finished. Throws the
 * `Failure` that stopped it; then the alias is untouched, unless the message says otherwise.
 */
export async function runBuild(context: BuildContext): Promise<BuildResult> {
  const lock = await context.source.tryLock(context.config.alias);
  if (lock === null) {
    throw new Failure('locked', `another build of ${context.config.alias} is running`, { hint: 'Wait for it, or look at it with: realign status' });
  }
  try {
    return await buildLocked(context);
  } finally {
    await lock.release();
  }
}

async function buildLocked(context: BuildContext): Promise<BuildResult> {
  const startedAt = context.clock.now();
  context.reporter.report({ type: 'phase.started', phase: 'preflight' });
  const opened = await openBuild(context);
  const controller = new AbortController();
  const run: Run = {
    ...context,
    names: opened.names,
    table: opened.table,
    plan: opened.plan,
    documents: opened.plan.documentPlan,
    counters: newCounters(),
    rejected: new RejectList(opened.rejectedIds, context.options.maxRejects, context.rejects, context.reporter),
    signal: AbortSignal.any([context.signal, controller.signal]),
    abort: (failure) => controller.abort(failure),
  };
  const { table, resumed } = opened;
  context.reporter.report({
    type: 'build.started',
    table: `${table.schema}.${table.name}`,
    resumed,
    generation: run.names.index,
    slot: run.names.slot,
  });
  context.reporter.report({
    type: 'phase.finished',
    phase: 'preflight',
    durationMs: context.clock.now() - startedAt,
    detail: resumed ? 'resuming' : '',
  });
  return await drive(run, opened);
}

/** The machine: one small loop. */
async function drive(run: Run, opened: OpenedBuild): Promise<BuildResult> {
  const pipeline = new Pipeline(run, opened.previous);
  let build = opened.build;
  try {
    while (build.at !== 'finished') {
      throwIfAborted(run.signal);
      const outcome: Outcome = await pipeline.perform(build);
      build = transition(build, outcome);
    }
  } catch (error) {
    // Whatever failed first aborts the rest, and the abort's reason is what is reported.
    run.abort(error);
    const reason: unknown = run.signal.reason ?? error;
    await pipeline.close();
    await giveUp(run, build, pipeline.checkpoint, reason);
    throw reason;
  }
  await pipeline.close();
  const { state } = build.built;
  return { build: state.build, index: run.names.index, previous: state.previous, verify: build.report, deleted: build.deleted };
}
