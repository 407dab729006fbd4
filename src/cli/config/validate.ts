import type { z } from 'zod';
import { didYouMean } from '../../core/nearest-name.ts';
import type { ConfigPath, Problems } from './problems.ts';
import {
  type ConfigFile,
  configJsonSchema,
  configSchema,
  type ElasticsearchFile,
  type HooksFile,
  type IndexFile,
  indexSchema,
  type MetricsFile,
  type PostgresFile,
} from './schema.ts';
import type { YamlSource } from './yaml-source.ts';

type Issue = z.core.$ZodIssue;
interface JsonSchema {
  readonly properties?: { readonly [name: string]: JsonSchema };
  readonly additionalProperties?: JsonSchema | boolean;
  readonly anyOf?: readonly JsonSchema[];
}

/** The sections that have the right form; the others are null or left out, so that their content can still be checked in the same run. */
export interface CheckedFile {
  readonly postgres: PostgresFile | null;
  readonly elasticsearch: ElasticsearchFile | null;
  readonly defaults: ConfigFile['defaults'];
  readonly hooks: HooksFile;
  readonly metrics: MetricsFile;
  readonly indices: { readonly [alias: string]: IndexFile };
  /** All names under `indices`, those of broken entries too. */
  readonly aliases: readonly string[];
}

/** Checks the parsed file against the schema; every mistake goes to `problems` with its place. */
export function validateConfig(source: YamlSource, problems: Problems): CheckedFile {
  const result = configSchema.safeParse(source.value);
  if (result.success) return checkedFile(result.data);
  for (const issue of result.error.issues) report(issue, [], source, problems);
  return rightParts(source.value);
}

export function checkedFile(file: ConfigFile): CheckedFile {
  return {
    postgres: file.postgres ?? {},
    elasticsearch: file.elasticsearch ?? {},
    defaults: file.defaults,
    hooks: file.hooks ?? {},
    metrics: file.metrics ?? {},
    indices: file.indices,
    aliases: Object.keys(file.indices),
  };
}

function rightParts(value: unknown): CheckedFile {
  const { postgres, elasticsearch, defaults, hooks, metrics } = configSchema.shape;
  const section = (name: string) => valueAt(value, [name]);
  const indices = Object.entries(section('indices') ?? {}).flatMap(([alias, entry]) => {
    const checked = indexSchema.safeParse(entry);
    return checked.success ? [[alias, checked.data] as const] : [];
  });
  const postgresPart = postgres.safeParse(section('postgres'));
  const elasticsearchPart = elasticsearch.safeParse(section('elasticsearch'));
  return {
    postgres: postgresPart.success ? (postgresPart.data ?? {}) : null,
    elasticsearch: elasticsearchPart.success ? (elasticsearchPart.data ?? {}) : null,
    defaults: defaults.safeParse(section('defaults')).data,
    hooks: hooks.safeParse(section('hooks')).data ?? {},
    metrics: metrics.safeParse(section('metrics')).data ?? {},
    indices: Object.fromEntries(indices),
    aliases: Object.keys(section('indices') ?? {}),
  };
}

function report(issue: Issue, parent: ConfigPath, source: YamlSource, problems: Problems): void {
  const path = [...parent, ...issue.path] as (string | number)[];
  if (issue.code === 'invalid_union') {
    reportUnion(issue.errors, path, source, problems);
  } else if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) reportUnknownKey(path, key, source, problems);
  } else {
    const seen = source.written(path);
    const missing = issue.code === 'invalid_type' && issue.input === undefined && valueAt(source.value, path) === undefined;
    if (missing) reportMissing(path, source, problems);
    else problems.add(path, `${describe(issue)}${seen === null ? '' : `, not ${shorten(seen)}`}`);
  }
}

function reportMissing(path: ConfigPath, source: YamlSource, problems: Problems): void {
  const parent = path.slice(0, -1);
  const { line, column } = source.locateKey(parent.slice(0, -1), String(parent.at(-1) ?? ''));
  problems.addAt(line, column, `${path.join('.')}: is missing`);
}

/** Of the ways a value may be written, the one that was meant: the one whose own kind (text, list, map) fits. */
function reportUnion(branches: readonly (readonly Issue[])[], path: ConfigPath, source: YamlSource, problems: Problems): void {
  const meant = branches.find(
    (issues) => !issues.some((issue) => issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value')),
  );
  if (meant === undefined) {
    const expected = branches.map((issues) => (issues[0] === undefined ? '' : kindOf(issues[0])));
    const seen = source.written(path);
    problems.add(path, `expected ${expected.join(' or ')}${seen === null ? '' : `, not ${shorten(seen)}`}`);
    return;
  }
  for (const issue of meant) report(issue, path, source, problems);
}

function reportUnknownKey(path: ConfigPath, key: string, source: YamlSource, problems: Problems): void {
  const { line, column } = source.locateKey(path, key);
  const name = [...path, key].join('.');
  if (/^(password|apiKey|secret)$/i.test(key)) {
    problems.addAt(line, column, `${name}: secrets are not written into this file; use ${key}File, or an environment variable`);
    return;
  }
  const known = keysAt(configJsonSchema() as JsonSchema, path);
  const hint = didYouMean(key, known) || (known.length === 0 ? '' : ` (known here: ${known.join(', ')})`);
  problems.addAt(line, column, `${name}: unknown key${hint}`);
}

/** The keys the schema knows at a path. */
function keysAt(schema: JsonSchema, path: ConfigPath): readonly string[] {
  let here: readonly JsonSchema[] = [schema];
  for (const key of path) here = here.flatMap(alternatives).flatMap((branch) => childAt(branch, String(key)));
  return here.flatMap(alternatives).flatMap((branch) => Object.keys(branch.properties ?? {}));
}

function alternatives(schema: JsonSchema): readonly JsonSchema[] {
  return schema.anyOf ?? [schema];
}

function childAt(schema: JsonSchema, key: string): readonly JsonSchema[] {
  const child = schema.properties?.[key] ?? schema.additionalProperties;
  return typeof child === 'object' ? [child] : [];
}

function describe(issue: Issue): string {
  return /^expected /.test(issue.message) ? issue.message : `expected ${kindOf(issue)}`;
}

function kindOf(issue: Issue): string {
  if (issue.code === 'invalid_value') return issue.values.map(String).join(' or ');
  if (issue.code !== 'invalid_type') return issue.message;
  const names: { readonly [kind: string]: string } = { array: 'a list', object: 'a map', record: 'a map', string: 'text' };
  return names[issue.expected] ?? issue.expected;
}

function valueAt(value: unknown, path: ConfigPath): unknown {
  return path.reduce<unknown>((at, key) => (typeof at === 'object' && at !== null ? (at as { [key: string]: unknown })[key] : undefined), value);
}

function shorten(written: string): string {
  const line = written.replace(/\s+/g, ' ');
  if (line === '') return 'empty';
  return line.length <= 60 ? line : `${line.slice(0, 57)}…`;
}
