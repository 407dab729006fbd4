import { type Finding, findingsOf } from '../core/finding.ts';
import { ConfigMistakes } from '../core/plan/config-mistakes.ts';
import type { IndexConfig, RunOptions } from '../core/plan/index-config.ts';
import { buildNames } from '../core/plan/names.ts';
import { type IndexPlan, type IndexSketch, planIndex, sketchIndex, unknownField } from '../core/plan/plan-index.ts';
import { PreflightRefused } from '../core/plan/preflight-refused.ts';
import { routingProblem } from '../core/plan/routing.ts';
import type { SourceTable } from '../core/table.ts';
import type { Source } from './ports.ts';
import type { AliasTarget, IndexSettings, Sink } from './sink-ports.ts';

const { ok, fail } = findingsOf('elasticsearch');

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

/** Looks at both sides without changing anything; all findings at once: no mistake hides another one. */
export async function runPreflight(request: PreflightRequest): Promise<PreflightReport> {
  const { source, sink, config, options } = request;
  const { where, computed, id } = config;
  const asked = { excludedColumns: config.columns.exclude, where, computed, id, throttleQuery: options.throttles.query };
  const ofSource = await source.preflight(config.table, asked);
  // What is no table has no description; the finding says what it is.
  const table = ofSource.some(({ level, code }) => level === 'fail' && code === 'table') ? null : await source.describeTable(config.table);
  const target = await sink.readAlias(config.alias);
  const keyless = table?.key.length === 0 && id === null;
  const findings = table === null || keyless ? ofSource : [...ofSource, ...checkRouting(table, config)];
  const sketch = table === null ? null : await sketchFor(request, table, { target, findings });
  const ofSink = await askSink(request, table, sketch);
  // Without a key, with SQL that the server refuses, or without a place for documents, there is nothing to build; the findings say so already.
  const unplannable = keyless || findings.some(({ level, code }) => level === 'fail' && (code === 'expression' || code === 'routing'));
  return {
    findings: [...findings, ...ofSink, ...(sketch === null ? [] : sketchFindings(sketch, config))],
    table,
    ...judged(sketch, config.alias, unplannable),
    previous: previousOf(target),
  };
}

function judged(sketch: IndexSketch | null, alias: string, unplannable: boolean): Pick<PreflightReport, 'plan' | 'mistakes'> {
  if (sketch === null) return { plan: null, mistakes: null };
  const { mistakes, wellNamed: _, ...plan } = sketch;
  const wrong = mistakes.length > 0;
  return { plan: wrong || unplannable ? null : plan, mistakes: wrong ? new ConfigMistakes(alias, mistakes) : null };
}

interface Seen {
  readonly target: AliasTarget;
  readonly findings: readonly Finding[];
}

/**
 * The index as far as the SQL that the server accepts goes: a field with a refused expression has a name, which may be right or wrong, and no type.
 */
async function sketchFor(request: PreflightRequest, table: SourceTable, { target, findings }: Seen): Promise<IndexSketch> {
  const { config, source } = request;
  const refused = findings.filter(({ level, code }) => level === 'fail' && code === 'expression').map(({ path }) => path ?? []);
  const isRefused = (...path: readonly string[]): boolean => refused.some((other) => other.join() === path.join());
  const accepted = Object.entries(config.computed).filter(([field]) => !isRefused('fields', field, 'sql'));
  const where = isRefused('where') ? null : config.where;
  const known =
    accepted.length === 0 && where === null ? [] : await source.describeComputed(table, { where, computed: Object.fromEntries(accepted) });
  const computed = Object.entries(config.computed).map(([field, sql]) => known.find(({ name }) => name === field) ?? unknownField(field, sql));
  const settings = mergeSettings(await liveSettings(request, target), config.settings);
  return sketchIndex(table, { ...config, settings }, computed);
}

async function askSink(
  { sink, config, options }: PreflightRequest,
  table: SourceTable | null,
  sketch: IndexSketch | null,
): Promise<readonly Finding[]> {
  const { index } = buildNames(config.alias, 'zzzz', new Date(0));
  const findings = await sink.preflight({
    alias: config.alias,
    index,
    settings: sketch?.settings ?? config.settings,
    adopt: options.adopt,
    swapWhen: options.swapWhen,
    sourceBytes: table?.bytes ?? 0,
    ...(sketch?.wellNamed === true ? { mapping: sketch.mapping } : {}),
  });
  // The sink knows the field, but not which key of the config its mapping comes from.
  return findings.map(({ path, ...finding }) => ({
    ...finding,
    ...(path?.[0] === 'fields' ? mappingPlace(String(path[1]), config) : path === undefined ? {} : { path }),
  }));
}

function sketchFindings({ conflicts, warnings }: IndexSketch, config: IndexConfig): readonly Finding[] {
  return [
    ...conflicts.map(({ field, message, fix }) => fail('mapping-conflict', message, fix, mappingPlace(field, config).path)),
    ...warnings.map((message): Finding => ({ level: 'warn', side: 'elasticsearch', code: 'plan', message })),
  ];
}

/** Where the mapping of a field is written; nowhere if it is inferred. */
function mappingPlace(field: string, { fields, computed, mapping }: IndexConfig): Pick<Finding, 'path'> {
  if (Object.hasOwn(fields, field) || Object.hasOwn(computed, field)) return { path: ['fields', field] };
  return mapping === null ? {} : { path: ['mapping', 'properties', field] };
}

function checkRouting(table: SourceTable, config: IndexConfig): readonly Finding[] {
  const problem = routingProblem(table, config);
  if (problem !== null) return [fail('routing', problem.message, problem.fix, [config.routing === null ? 'mapping' : 'routing'])];
  return config.routing === null ? [] : [ok('routing', `documents are routed by column ${config.routing}, a part of the id`)];
}

async function liveSettings({ config, sink }: PreflightRequest, target: AliasTarget): Promise<IndexSettings> {
  // On several indices there is no such thing as the live one's settings; the sink's preflight refuses that alias.
  const several = target.kind === 'alias' && target.indices.size !== 1;
  return target.kind === 'none' || several ? {} : await sink.readSettings(previousOf(target) ?? config.alias);
}

/**
 * The plan of one index over settings that are known already (a resume takes those of its own state). Throws `config` with all mistakes,
 * `preflight-refused`.
 */
export async function planWith(source: Source, table: SourceTable, config: IndexConfig, live: IndexSettings): Promise<IndexPlan> {
  const withSql = config.where !== null || Object.keys(config.computed).length > 0;
  const computed = withSql ? await source.describeComputed(table, config) : [];
  return planIndex(table, { ...config, settings: mergeSettings(live, config.settings) }, computed);
}

/** Throws everything that stands against a build at once: `config` with the mistakes that the table shows, or `preflight-refused`, naming every failed check with its fix. */
export function requireNoFailure({ findings, mistakes }: Pick<PreflightReport, 'findings' | 'mistakes'>): void {
  const failed = findings.filter((finding) => finding.level === 'fail');
  if (mistakes !== null) throw new ConfigMistakes(mistakes.alias, mistakes.mistakes, failed);
  if (failed.length > 0) throw new PreflightRefused(failed);
}

function previousOf(target: AliasTarget): string | null {
  return target.kind === 'alias' && target.indices.size === 1 ? ([...target.indices.keys()][0] ?? null) : null;
}

/** The config decides; what it does not name stays as the live index has it. Spellings are made one in `planIndex`, where the later one wins. */
function mergeSettings(live: IndexSettings, wanted: IndexSettings): IndexSettings {
  return { ...live, ...wanted };
}
