import { counted } from '../../core/counted.ts';
import { policyOf } from '../../core/failure.ts';
import type { Finding } from '../../core/finding.ts';
import type { Source } from '../../phases/ports.ts';
import { runPreflight } from '../../phases/preflight.ts';
import type { Sink } from '../../phases/sink-ports.ts';
import type { Configuration, IndexEntry } from '../config/load.ts';
import { placeOf } from '../config/placed-mistakes.ts';
import { runOptions } from '../config/run-options.ts';
import { hookMistake } from '../hooks/require-runnable.ts';
import type { IndexResult } from '../output/output-event.ts';
import { announce, withServers } from '../servers.ts';
import { type CommandContext, type CommandOutcome, configurationOf, wantedIndices } from './command-context.ts';
import { resultOf } from './results.ts';

const REFUSED = 20;

/** `realign check [INDEX…]`: every finding of the preflight with its fix; exit 20 if a rebuild would be refused. Changes nothing. */
export async function check(context: CommandContext): Promise<CommandOutcome> {
  const configuration = configurationOf(context, true);
  const entries = wantedIndices(context, configuration);
  const mistake = hookMistake(configuration);
  const mistaken = mistake === null ? 0 : context.reportFailure(null, mistake);
  const seen = { failures: mistake === null ? 0 : 1, warnings: 0 };
  const indices = await withServers(configuration, context.toolVersion, async (servers) => {
    const results: IndexResult[] = [];
    for (const entry of entries) results.push(await checkOne(entry, configuration, { context, servers, seen }));
    return results;
  });
  const exitCode = mistaken || (indices.find(({ exit_code: code }) => code !== 0)?.exit_code ?? 0);
  return { exitCode, message: `${counted(seen.failures, 'failure')}, ${counted(seen.warnings, 'warning')}. Nothing was changed.`, indices };
}

interface CheckTools {
  readonly context: CommandContext;
  readonly servers: { readonly source: Source; readonly sink: Sink };
  /** Of all indices. */
  readonly seen: { failures: number; warnings: number };
}

async function checkOne({ config, run }: IndexEntry, configuration: Configuration, { context, servers, seen }: CheckTools): Promise<IndexResult> {
  const { alias } = config;
  try {
    const { findings, mistakes } = await runPreflight({ ...servers, config, options: runOptions(context.flags, run) });
    for (const side of ['postgres', 'elasticsearch'] as const) {
      announce(configuration, side, context.output);
      for (const finding of findings.filter((candidate) => candidate.side === side)) tell(alias, finding, configuration, context);
    }
    seen.failures += findings.filter(({ level }) => level === 'fail').length + (mistakes?.mistakes.length ?? 0);
    seen.warnings += findings.filter(({ level }) => level === 'warn').length;
    if (mistakes !== null) return resultFor(alias, context.reportFailure(alias, mistakes));
    return resultFor(alias, findings.some(({ level }) => level === 'fail') ? REFUSED : 0);
  } catch (error) {
    context.reportFailure(alias, error);
    return resultFor(alias, policyOf(error).exitCode);
  }
}

function tell(alias: string, finding: Finding, configuration: Configuration, { output }: CommandContext): void {
  const place = finding.level === 'ok' ? null : placeOf(finding, alias, configuration);
  const { path: _, ...said } = finding;
  output.emit(alias, { type: 'finding', ...said, ...(place === null ? {} : { place }) });
}

function resultFor(index: string, exitCode: number): IndexResult {
  return { index, result: resultOf(exitCode, 'check'), exit_code: exitCode, build: null, generation: null, previous: null };
}
