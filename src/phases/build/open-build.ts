import { type Build, type Built, resume } from '../../core/build.ts';
import { Failure } from '../../core/failure.ts';
import type { BuildPhase, BuildState } from '../../core/plan/build-state.ts';
import { type BuildNames, buildAliasOf, buildNames } from '../../core/plan/names.ts';
import type { IndexPlan } from '../../core/plan/plan-index.ts';
import type { SourceTable } from '../../core/table.ts';
import { nameInSql } from '../../core/table.ts';
import { removeBuild, removeOrphans } from '../generations/abort.ts';
import { requireFollower } from '../generations/displaced.ts';
import { planWith, requireNoFailure, runPreflight } from '../preflight.ts';
import type { Generation } from '../sink-ports.ts';
import { findNothingToDo, findUnfollowed, type NothingToDo, whyBuiltAnyway } from './nothing-to-do.ts';
import type { BuildContext } from './run-state.ts';

/** Where this run begins, and with what. */
export interface OpenedBuild {
  readonly build: Build;
  readonly names: BuildNames;
  readonly table: SourceTable;
  readonly plan: IndexPlan;
  readonly previous: string | null;
  readonly resumed: boolean;
  /** Why it begins at all, where that could be asked; empty otherwise. */
  readonly note: string;
  readonly rejectedIds: readonly string[];
}

/**
 * Finds an unfinished build of this alias and goes on with it, or starts a new one after the preflight. `--fresh` removes the unfinished one first. Call it with the
 * alias's lock held.
 */
export async function openBuild(context: BuildContext): Promise<OpenedBuild | NothingToDo> {
  const { source, sink, config, options } = context;
  await removeOrphans(source, sink, config.alias);
  const generations = await sink.generations(config.alias);
  const nothing = options.fresh ? null : await findNothingToDo(context, generations);
  if (nothing !== null) return nothing;
  const unfinished = generations.filter(({ state }) => isUnfinished(state.phase));
  if (!options.fresh && unfinished[0] !== undefined) return resumeBuild(context, unfinished[0]);
  for (const generation of unfinished) await removeBuild(source, sink, generation);
  const unfollowed = options.fresh ? null : await findUnfollowed(context, generations);
  if (unfollowed !== null) return resumeBuild(context, unfollowed);
  const note = options.fresh ? '' : await whyBuiltAnyway(context, generations);
  return { ...(await startBuild(context)), note };
}

/** A followed generation is built: the next build runs beside its follower. */
export function isUnfinished(phase: BuildPhase): boolean {
  return phase !== 'finished' && phase !== 'failed' && phase !== 'follow';
}

async function startBuild(context: BuildContext): Promise<OpenedBuild> {
  const { findings, table, plan, mistakes, previous } = await runPreflight(context);
  for (const finding of findings) {
    if (finding.level !== 'warn') continue;
    context.reporter.report({ type: 'warning', code: finding.code, message: finding.message, hint: finding.fix ?? '' });
  }
  requireNoFailure({ findings, mistakes });
  await requireFollower(context, previous);
  if (table === null || plan === null) throw new RangeError('BUG: a preflight without failures has a table and a plan');
  const names = buildNames(context.config.alias, context.newBuildId(), context.clock.date());
  return { build: { at: 'slot' }, names, table, plan, previous, resumed: false, note: '', rejectedIds: [] };
}

async function resumeBuild(context: BuildContext, generation: Generation): Promise<OpenedBuild> {
  const { state, index, uuid, aliases } = generation;
  const { runKey } = context.options;
  // It is proved as it is at the end of this run, so it is this run's.
  const built: Built = { state: runKey === null ? state : { ...state, runKey }, uuid };
  const table = await context.source.describeTable(context.config.table);
  const swapped = aliases.includes(state.alias);
  const build = resume(built, swapped);
  if (table === null) throw new Failure('source-changed', `${context.config.table} does not exist any more`, { hint: hintFresh });
  if (build === null) throw new Failure('alias-changed', `${state.alias} has left ${index}, which cannot be followed any more`, { hint: hintFresh });
  await requireSameServer(context, generation);
  const plan = await planWith(context.source, table, context.config, state.settings);
  // What is swapped in already is only cleaned up, whatever the config says now.
  if (!swapped) requireSamePlan(table, plan, generation);
  await requireSlot(context, generation, build);
  if (!swapped) await requireAlias(context);
  const names: BuildNames = { index, buildAlias: buildAliasOf(state.alias, state.build), slot: state.slot, publication: state.publication };
  return { build, names, table, plan, previous: state.previous, resumed: true, note: 'resuming', rejectedIds: state.rejectedIds };
}

const hintFresh = 'Run the same command with --fresh: it removes the unfinished build and starts a new one.';

async function requireSameServer(context: BuildContext, { state, index }: Generation): Promise<void> {
  const now = await context.source.identity();
  if (now.systemIdentifier === state.systemIdentifier && now.timeline === state.timeline && now.database === state.database) return;
  throw new Failure(
    'slot-lost',
    `the unfinished build ${index} was made from another server, timeline or database than the one connected to (failover or restore)`,
    {
      hint: hintFresh,
    },
  );
}

/** A build of a name that is an index needs the flag at its end as well; better told now, with the build as it was, than by a swap that is refused. */
async function requireAlias({ sink, config, options }: BuildContext): Promise<void> {
  if (options.adopt || (await sink.readAlias(config.alias)).kind !== 'index') return;
  throw new Failure('preflight-refused', `${config.alias} is an index, not an alias; the unfinished build stays as it is`, {
    hint: `Go on with it, and replace the index in the swap, with: realign rebuild ${config.alias} --adopt`,
    lacks: 'adopt',
  });
}

function requireSamePlan(table: SourceTable, plan: IndexPlan, { state, index }: Generation): void {
  if (table.oid !== state.table.oid || table.fingerprint !== state.catalogFingerprint) {
    throw new Failure('source-changed', `${nameInSql(table)} is not the table any more that the unfinished build ${index} was made from`, {
      hint: hintFresh,
    });
  }
  if (plan.fingerprint !== state.planFingerprint) {
    throw new Failure('plan-changed', `the config of ${state.alias} has changed since the unfinished build ${index} was started`, {
      hint: `${hintFresh} Or restore the config to resume it.`,
    });
  }
}

/** Readers are on it and nothing can bring what was committed while the alias moved: only a new build can. */
function notDrained({ alias, slot }: BuildState, index: string, why: string): Failure {
  return new Failure('slot-lost', `${alias} serves ${index}, but the changes committed around the swap are missing: its slot ${slot} ${why}`, {
    hint: 'Run the same command with --fresh: it makes a new build from the table as it is now; until then readers stay where they are.',
  });
}

async function requireSlot(context: BuildContext, { state, index }: Generation, build: Build): Promise<void> {
  const slot = await context.source.readSlot(state.slot);
  if (slot !== null && slot.walStatus !== 'lost') return;
  // After the drain the slot goes first: without it only the rest of the clean-up is left.
  if (build.at === 'cleanup' && state.drained === true) return;
  const why = slot === null ? 'does not exist any more' : 'was invalidated (wal_status lost)';
  if (build.at === 'cleanup') throw notDrained(state, index, why);
  throw new Failure('slot-lost', `the unfinished build ${index} cannot be resumed: its slot ${state.slot} ${why}`, { hint: hintFresh });
}
