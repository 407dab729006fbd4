import { Failure } from '../core/failure.ts';
import { CONCRETE_INDEX, type Finding } from '../core/finding.ts';
import { ConfigMistakes } from '../core/plan/config-mistakes.ts';
import type { IndexConfig, RunOptions } from '../core/plan/index-config.ts';
import { buildNames } from '../core/plan/names.ts';
import { type IndexPlan, planIndex } from '../core/plan/plan-index.ts';
import { routingProblem } from '../core/plan/routing.ts';
import type { SourceTable } from '../core/table.ts';
import type { Source } from './ports.ts';
import type { AliasTarget, IndexSettings, Sink } from './sink-ports.ts';

export interface PreflightRequest {
  readonly source: Source;
  readonly sink: Sink;
  readonly config: IndexConfig;
  readonly options: RunOptions;
}

export interface PreflightReport {
  readonly findings: readonly Finding[];
  readonly table: SourceTable | null;
  /** Null while the table or the config do not allow a plan; the findings or the mistakes say why. */
  readonly plan: IndexPlan | null;
  /** What the table shows to be wrong in the config; null: nothing. */
  readonly mistakes: ConfigMistakes | null;
  /** The generation the alias is on; null if there is none. */
  readonly previous: string | null;
}

/** Looks at both sides without changing anything; all findings at once. */
export async function runPreflight(request: PreflightRequest): Promise<PreflightReport> {
  const { source, sink, config, options } = request;
  const { where, computed, id } = config;
  const asked = { excludedColumns: config.columns.exclude, where, computed, id, throttleQuery: options.throttles.query };
  const findings = [...(await source.preflight(config.table, asked))];
  // What is no table has no description; the finding says what it is.
  const table = findings.some(({ level, code }) => level === 'fail' && code === 'table') ? null : await source.describeTable(config.table);
  const target = await sink.readAlias(config.alias);
  const previous = previousOf(target);
  const keyless = table?.key.length === 0 && id === null;
  if (table !== null && !keyless) findings.push(...checkRouting(table, config));
  // Without a key, with SQL that the server refuses, or without a place for documents, there is nothing to plan; the findings say so already.
  const unplannable = keyless || findings.some(({ level, code }) => level === 'fail' && (code === 'expression' || code === 'routing'));
  const { plan, mistakes } = table === null || unplannable ? NO_PLAN : await tryPlan(request, table, target);
  const { index } = buildNames(config.alias, 'zzzz', new Date(0));
  findings.push(
    ...(await sink.preflight({
      alias: config.alias,
      index,
      settings: plan?.settings ?? config.settings,
      adopt: options.adopt,
      swapWhen: options.swapWhen,
      sourceBytes: table?.bytes ?? 0,
      ...(plan === null ? {} : { mapping: plan.mapping }),
    })),
    ...(plan?.conflicts ?? []).map(({ message, fix }): Finding => ({ level: 'fail', side: 'elasticsearch', code: 'mapping-conflict', message, fix })),
    ...(plan?.warnings ?? []).map((message): Finding => ({ level: 'warn', side: 'elasticsearch', code: 'plan', message })),
  );
  return { findings, table, plan, mistakes, previous };
}

const NO_PLAN = { plan: null, mistakes: null };

/** Mistakes of the config must not hide what the other checks see. */
async function tryPlan(request: PreflightRequest, table: SourceTable, target: AliasTarget): Promise<Pick<PreflightReport, 'plan' | 'mistakes'>> {
  try {
    return { plan: await planFor(request, table, target), mistakes: null };
  } catch (error) {
    if (error instanceof ConfigMistakes) return { plan: null, mistakes: error };
    throw error;
  }
}

function checkRouting(table: SourceTable, config: IndexConfig): readonly Finding[] {
  const problem = routingProblem(table, config);
  if (problem !== null) return [{ level: 'fail', side: 'elasticsearch', code: 'routing', ...problem }];
  if (config.routing === null) return [];
  return [{ level: 'ok', side: 'elasticsearch', code: 'routing', message: `documents are routed by column ${config.routing}, a part of the id` }];
}

/** The plan of one index: its table, its config, and the live index's settings where the config names none. Throws `config` with all mistakes. */
export async function planFor(request: PreflightRequest, table: SourceTable, target: AliasTarget): Promise<IndexPlan> {
  const { config, sink, source } = request;
  // On several indices there is no such thing as the live one's settings; the sink's preflight refuses that alias.
  const several = target.kind === 'alias' && target.indices.size !== 1;
  const live = target.kind === 'none' || several ? {} : await sink.readSettings(previousOf(target) ?? config.alias);
  return planWith(source, table, config, live);
}

/** The same over settings that are known already (a resume takes those of its own state). */
export async function planWith(source: Source, table: SourceTable, config: IndexConfig, live: IndexSettings): Promise<IndexPlan> {
  const withSql = config.where !== null || Object.keys(config.computed).length > 0;
  const computed = withSql ? await source.describeComputed(table, config) : [];
  return planIndex(table, { ...config, settings: mergeSettings(live, config.settings) }, computed);
}

/** Throws everything that stands against a build at once: `config` with the mistakes that the table shows, or `preflight-refused`, naming every failed check with its fix. */
export function requireNoFailure({ findings, mistakes }: Pick<PreflightReport, 'findings' | 'mistakes'>): void {
  const failed = findings.filter((finding) => finding.level === 'fail');
  if (mistakes !== null) {
    const besides = failed.map(({ side, message, fix }) => `\nBesides, ${side}: ${message}${fix === undefined ? '' : `\n  fix: ${fix}`}`);
    throw new ConfigMistakes(mistakes.alias, mistakes.mistakes, `${mistakes.hint ?? ''}${besides.join('')}`);
  }
  if (failed.length === 0) return;
  throw new Failure('preflight-refused', failed.map((finding) => `${finding.side}: ${finding.message}`).join('\n'), {
    hint: failed
      .map((finding) => finding.fix ?? '')
      .filter((fix) => fix !== '')
      .join('\n'),
    ...(failed.some(({ code }) => code === CONCRETE_INDEX) ? { lacks: 'adopt' as const } : {}),
  });
}

function previousOf(target: AliasTarget): string | null {
  return target.kind === 'alias' && target.indices.size === 1 ? ([...target.indices.keys()][0] ?? null) : null;
}

/** The config decides; what it does not name stays as the live index has it. Spellings are made one in `planIndex`, where the later one wins. */
function mergeSettings(live: IndexSettings, wanted: IndexSettings): IndexSettings {
  return { ...live, ...wanted };
}
