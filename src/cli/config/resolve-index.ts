import type { ValuePolicy } from '../../core/encode/document-plan.ts';
import type { IndexConfig } from '../../core/plan/index-config.ts';
import { type ResolveContext, readNamedFile } from './connection-files.ts';
import { tableProblem } from './index-names.ts';
import type { IndexFile } from './schema.ts';

type Parameters = { readonly [key: string]: unknown };

/** One entry of `indices` with its defaults; mistakes go to the context's problems. */
export function resolveIndex(alias: string, file: IndexFile, context: ResolveContext): IndexConfig {
  const path = ['indices', alias];
  const report = (key: string, problem: string | null) => {
    if (problem !== null) context.problems.add([...path, ...key.split('/')], problem);
  };
  report('table', tableProblem(file.table));
  for (const [field, parameters] of Object.entries(file.fields ?? {})) report(`fields/${field}`, fieldProblem(parameters));
  for (const [column, problem] of renameProblems(file.rename ?? {})) report(`rename/${column}`, problem);
  const { computed, fields } = splitFields(file.fields ?? {});
  if (file.mapping !== undefined && Object.keys(fields).length > 0) {
    report('fields', 'is written beside mapping: fields adjusts the inferred mapping, and a complete mapping replaces it; keep one');
  }
  return Object.freeze({
    alias,
    table: file.table,
    columns: columnsOf(file),
    rename: file.rename ?? {},
    where: file.where ?? null,
    computed,
    fields,
    mapping: readMapping(alias, file.mapping, context),
    settings: file.settings ?? {},
    id: typeof file.id === 'string' ? [file.id] : (file.id ?? null),
    idHash: file.idHash ?? 'none',
    routing: file.routing ?? null,
    onNonFinite: valuePolicyOf(file.onNonFinite),
    onUnrepresentable: valuePolicyOf(file.onUnrepresentable),
  });
}

/** `onNonFinite: null` without quotes is YAML's null, and means the same as the word. */
function valuePolicyOf(written: IndexFile['onNonFinite']): ValuePolicy {
  return written === null ? 'null' : (written ?? 'reject');
}

function columnsOf(file: IndexFile): IndexConfig['columns'] {
  if (Array.isArray(file.columns)) return { include: file.columns, exclude: [] };
  return { include: file.columns?.include ?? '*', exclude: file.columns?.exclude ?? [] };
}

function fieldProblem(parameters: Parameters): string | null {
  const { sql, ...mapping } = parameters;
  if (sql !== undefined && (typeof sql !== 'string' || sql.trim() === '')) return 'sql: expected an SQL expression';
  if (sql !== undefined && Object.keys(mapping).length === 0) return null;
  if (typeof parameters.type === 'string' || 'properties' in parameters) return null;
  return 'needs a type: it replaces the inferred mapping of the field, e.g. {type: keyword}';
}

/** `sql` is ours, the other parameters are Elasticsearch's. A field that has only `sql` keeps its inferred mapping. */
function splitFields(written: { readonly [field: string]: Parameters }): Pick<IndexConfig, 'computed' | 'fields'> {
  const entries = Object.entries(written).map(([field, { sql, ...mapping }]) => ({ field, sql, mapping }));
  return {
    computed: Object.fromEntries(entries.flatMap(({ field, sql }) => (typeof sql === 'string' ? [[field, sql]] : []))),
    fields: Object.fromEntries(entries.flatMap(({ field, mapping }) => (Object.keys(mapping).length > 0 ? [[field, mapping]] : []))),
  };
}

function renameProblems(rename: { readonly [column: string]: string }): readonly (readonly [string, string])[] {
  const seen = new Map<string, string>();
  const problems: [string, string][] = [];
  for (const [column, field] of Object.entries(rename)) {
    const other = seen.get(field);
    if (other !== undefined) problems.push([column, `the field name ${JSON.stringify(field)} is already given to ${other}`]);
    seen.set(field, column);
  }
  return problems;
}

function readMapping(alias: string, mapping: IndexFile['mapping'], context: ResolveContext): IndexConfig['mapping'] {
  const path = ['indices', alias, 'mapping'];
  const complete = typeof mapping === 'string' ? parseMapping(readNamedFile(context, path, mapping), mapping, context, path) : (mapping ?? null);
  if (complete !== null && !isParameters(complete.properties)) {
    context.problems.add(path, 'a complete mapping has "properties"; for single fields use fields');
  }
  return complete;
}

function parseMapping(text: string | null, name: string, context: ResolveContext, path: readonly string[]): Parameters | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    // What `GET index/_mapping` and the create API wrap around it is taken off.
    const mapping = isParameters(value) && isParameters(value.mappings) ? value.mappings : value;
    if (isParameters(mapping)) return mapping;
    context.problems.add(path, `${name} does not hold a JSON object`);
  } catch (error) {
    context.problems.add(path, `${name} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  return null;
}

function isParameters(value: unknown): value is Parameters {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
