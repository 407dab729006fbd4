import { type Build, type Built, resume } from '../core/build.ts';
import { Failure } from '../core/failure.ts';
import { type BuildNames, buildAliasOf, buildNames } from '../core/plan/names.ts';
import type { IndexPlan } from '../core/plan/plan-index.ts';
import type { SourceTable } from '../core/table.ts';
import { removeBuild, removeOrphans } from './abort.ts';
import type { Generation } from './ports.ts';
import { planWith, requireNoFailure, runPreflight } from './preflight.ts';
import type { BuildContext } from './run-state.ts';

/** Where this run begins, and with what. */
export interface OpenedBuild {
  readonly build: Build;
  readonly names: BuildNames;
  readonly table: SourceTable;
  readonly plan: IndexPlan;
  readonly previous: string | null;
  readonly resumed: boolean;
  readonly rejectedIds: readonly string[];
}

/**
 * Finds an unfinished build of this alias and goes on with it, or starts a new one after the preflight. `--fresh` removes the unfinished one first. Call it with the
 * alias's lock held.
 */
export async function openBuild(context: BuildContext): Promise<OpenedBuild> {
  const { source, sink, config, options } = context;
  await removeOrphans(source, sink, config.alias);
  const unfinished = (await sink.generations(config.alias)).filter(({ state }) => state.phase !== 'finished' && state.phase !== 'failed');
  if (!options.fresh && unfinished[0] !== undefined) return resumeBuild(context, unfinished[0]);
  for (const generation of unfinished) await removeBuild(source, sink, generation);
  return startBuild(context);
}

async function startBuild(context: BuildContext): Promise<OpenedBuild> {
  const { findings, table, plan, previous } = await runPreflight(context);
  for (const finding of findings) {
    if (finding.level !== 'warn') continue;
    context.reporter.report({ type: 'warning', code: finding.code, message: finding.message, hint: finding.fix ?? '' });
  }
  requireNoFailure(findings);
  if (table === null || plan === null) throw new RangeError('BUG: a preflight without failures has a table and a plan');
  const names = buildNames(context.config.alias, context.newBuildId(), context.clock.date());
  return { build: { at: 'slot' }, names, table, plan, previous, resumed: false, rejectedIds: [] };
}

async function resumeBuild(context: BuildContext, generation: Generation): Promise<OpenedBuild> {
  const { state, index, uuid, aliases } = generation;
  const built: Built = { state, uuid };
  const table = await context.source.describeTable(context.config.table);
  const swapped = aliases.includes(state.alias);
  const build = resume(built, swapped);
  if (table === null || build === null) throw new Failure('source-changed', `${context.config.table} does not exist any more`, { hint: hintFresh });
  await requireSameServer(context, generation);
  const plan = planWith(table, context.config, state.settings);
  // What is swapped in already is only cleaned up, whatever the config says now.
  if (!swapped) requireSamePlan(table, plan, generation);
  await requireSlot(context, generation, build);
  const names: BuildNames = { index, buildAlias: buildAliasOf(state.alias, state.build), slot: state.slot, publication: state.publication };
  return { build, names, table, plan, previous: state.previous, resumed: true, rejectedIds: state.rejectedIds };
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

function requireSamePlan(table: SourceTable, plan: IndexPlan, { state, index }: Generation): void {
  if (table.oid !== state.table.oid || table.fingerprint !== state.catalogFingerprint) {
    throw new Failure('source-changed', `${table.schema}.${table.name} is not the table any more that the unfinished build ${index} was made from`, {
      hint: hintFresh,
    });
  }
  if (plan.fingerprint !== state.planFingerprint) {
    throw new Failure('plan-changed', `the config of ${state.alias} has changed since the unfinished build ${index} was started`, {
      hint: `${hintFresh} Or restore the config to resume it.`,
    });
  }
}

async function requireSlot(context: BuildContext, { state, index }: Generation, build: Build): Promise<void> {
  const slot = await context.source.readSlot(state.slot);
  if (slot !== null && slot.walStatus !== 'lost') return;
  // After the swap the slot goes first: without it only the rest of the clean-up is left.
  if (build.at === 'cleanup') return;
  const why = slot === null ? 'does not exist any more' : 'was invalidated (wal_status lost)';
  throw new Failure('slot-lost', `the unfinished build ${index} cannot be resumed: its slot ${state.slot} ${why}`, { hint: hintFresh });
}
