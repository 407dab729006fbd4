import { nameInSql } from '../../core/table.ts';
import { type BuildEstimate, estimateBuild } from '../../phases/estimate.ts';
import { systemClock } from '../clock.ts';
import type { IndexEntry } from '../config/load.ts';
import { runOptions } from '../config/run-options.ts';
import { requireRunnable } from '../hooks/require-runnable.ts';
import type { IndexResult, PlanFacts } from '../output/output-event.ts';
import { withServers } from '../servers.ts';
import { type CommandContext, type CommandOutcome, configurationOf, wantedIndices } from './command-context.ts';
import { resultOf } from './results.ts';

/** `realign plan INDEX…` and `rebuild --dry-run`: what a rebuild would do; changes nothing. */
export async function plan(context: CommandContext): Promise<CommandOutcome> {
  const configuration = configurationOf(context, true);
  requireRunnable(configuration);
  const entries = wantedIndices(context, configuration);
  const options = entries.map((entry) => runOptions(context.flags, entry.run));
  const indices = await withServers(configuration, context.toolVersion, async (servers) => {
    const results: IndexResult[] = [];
    for (const [at, entry] of entries.entries()) {
      const request = { ...servers, config: entry.config, options: options[at] ?? runOptions(context.flags, entry.run) };
      results.push(await planOne(entry, context, () => estimateBuild(request, systemClock)));
    }
    return results;
  });
  const failed = indices.find(({ exit_code: code }) => code !== 0 && code !== 2);
  return { exitCode: failed?.exit_code ?? indices[0]?.exit_code ?? 0, message: 'Nothing was changed.', indices };
}

async function planOne({ config: { alias } }: IndexEntry, context: CommandContext, estimate: () => Promise<BuildEstimate>): Promise<IndexResult> {
  try {
    const facts = planFacts(await estimate());
    context.output.emit(alias, { type: 'plan', ...facts });
    // A rebuild always has work; without the flag that is no difference worth a code.
    const exitCode = context.flags['detailed-exitcode'] === true ? 2 : 0;
    return {
      index: alias,
      result: resultOf(exitCode, 'plan'),
      exit_code: exitCode,
      build: facts.resumes,
      generation: null,
      previous: facts.previous,
    };
  } catch (error) {
    const exitCode = context.reportFailure(alias, error);
    return { index: alias, result: resultOf(exitCode, 'plan'), exit_code: exitCode, build: null, generation: null, previous: null };
  }
}

function planFacts(estimate: BuildEstimate): PlanFacts {
  const { table, plan: indexPlan, generation, previous, resumes, rows, bytes, estimates, steps, warnings } = estimate;
  const { columns, fields, routing } = indexPlan.documentPlan;
  return {
    table: nameInSql(table),
    generation,
    previous,
    resumes,
    rows,
    bytes,
    estimates,
    mapping: indexPlan.mapping,
    settings: indexPlan.settings,
    documentFields: fields.map(({ field }) => field),
    routing: routing === undefined ? null : (columns[routing]?.name ?? null),
    steps,
    warnings,
  };
}
