import { createHash } from 'node:crypto';
import type { DocumentPlan } from '../encode/document-plan.ts';
import { Failure } from '../failure.ts';
import { type Column, nameInSql, type SourceTable } from '../table.ts';
import { type ConfigMistake, ConfigMistakes } from './config-mistakes.ts';
import { documentColumns } from './document-columns.ts';
import { mappedFieldCount } from './field-count.ts';
import type { IndexConfig } from './index-config.ts';
import { inferMapping, type Mapping } from './mapping.ts';
import { type MappingConflict, mappingConflicts } from './mapping-conflicts.ts';
import { type RoutingProblem, routingProblem, withRouting } from './routing.ts';

/** Elasticsearch's default of index.mapping.total_fields.limit. */
const USUAL_FIELD_LIMIT = 1000;

/** Raise it when the encoder writes other bytes for the same row: a build begun by another encoder must not be resumed. */
const ENCODING = 1;

/** What an index will be, worked out of the table and the config. */
export interface IndexPlan {
  readonly documentPlan: DocumentPlan;
  /** Complete, without `_meta`. */
  readonly mapping: Mapping;
  /** Full names (`index.number_of_shards`), the settings wanted at the end. */
  readonly settings: { readonly [name: string]: unknown };
  /** SHA-256 in hex over everything that shapes documents, mapping and settings, and the table's identity. */
  readonly fingerprint: string;
  readonly warnings: readonly string[];
  /** Mappings that no row's value can pass; a preflight refuses them. */
  readonly conflicts: readonly MappingConflict[];
}

/** A plan as far as table and config give one: with mistakes it is of no use to a build, but shows what else is wrong. */
export interface IndexSketch extends IndexPlan {
  readonly mistakes: readonly ConfigMistake[];
  /** Elasticsearch may be asked about the mapping: its answer would not be one of the mistakes again. */
  readonly wellNamed: boolean;
}

/**
 * Plans the index; `computed` has the config's computed fields as the server typed them. Throws `ConfigMistakes` with every mistake of the config at once,
 * `preflight-refused` for a table without a key, or for documents that cannot be routed as the config says.
 */
export function planIndex(table: SourceTable, config: IndexConfig, computed: readonly Column[] = []): IndexPlan {
  if (table.key.length === 0 && config.id === null) throw keyless(table);
  const misrouted = routingProblem(table, config);
  if (misrouted !== null) throw refusedRouting(misrouted);
  const { mistakes, wellNamed: _, ...plan } = sketchIndex(table, config, computed);
  if (mistakes.length > 0) throw new ConfigMistakes(config.alias, mistakes);
  return plan;
}

/**
 * The same with the mistakes beside what is right, also of a table without a key: what is wrong in one place must not hide another. Throws nothing.
 */
export function sketchIndex(table: SourceTable, config: IndexConfig, computed: readonly Column[]): IndexSketch {
  const { columns, fields, key, problems, wellNamed } = documentColumns(table, config, computed);
  const inferred = inferMapping(columns, fields, config);
  const { onNonFinite, onUnrepresentable, idHash } = config;
  const filter = config.where === null ? {} : { where: config.where };
  const routing = config.routing === null ? {} : { routing: columnNamed(columns, config.routing) };
  const documentPlan: DocumentPlan = { columns, fields, key, ...routing, ...filter, onNonFinite, onUnrepresentable, idHash };
  const mapping = withRouting(inferred.mapping, config.routing);
  // Without it an integer field takes 1.7 and finds it as 1 (docs/servers.md E32).
  const settings = { 'index.mapping.coerce': false, ...fieldLimit(mapping), ...flatSettings(config.settings) };
  return {
    documentPlan,
    mapping,
    settings,
    warnings: inferred.warnings,
    conflicts: mappingConflicts(columns, fields, mapping, settings),
    fingerprint: fingerprintOf(table, { documentPlan, mapping, settings }),
    mistakes: [...problems, ...inferred.problems],
    wellNamed,
  };
}

/** Stands for a computed field whose SQL the server refuses: a name of which nothing else is known, so that nothing else is said of it. */
export function unknownField(name: string, sql: string): Column {
  // Arrays of JSON may hold anything: no mapping contradicts them.
  const form = { kind: 'array', element: { kind: 'json' }, delimiter: ',' } as const;
  return { name, attnum: 0, typeName: 'jsonb[]', typeOid: 0, typmod: -1, notNull: false, generated: false, form, sql };
}

function keyless(table: SourceTable): Failure {
  return new Failure('preflight-refused', `table ${nameInSql(table)} has no primary key, so its rows have no identity`, {
    hint: 'Add a primary key: ALTER TABLE … ADD PRIMARY KEY (…); or name the columns of a unique index under id.',
  });
}

function refusedRouting({ message, fix }: RoutingProblem): Failure {
  return new Failure('preflight-refused', message, { hint: fix });
}

function columnNamed(columns: readonly Column[], name: string): number {
  return columns.findIndex((column) => column.name === name && column.sql === undefined);
}

/** A table may have 1,600 columns, and Elasticsearch refuses a mapping of more than 1,000 fields unless it is told otherwise. */
function fieldLimit(mapping: Mapping): { readonly [name: string]: number } {
  const count = mappedFieldCount(mapping);
  return count > USUAL_FIELD_LIMIT ? { 'index.mapping.total_fields.limit': count } : {};
}

/** `number_of_shards`, `index.number_of_shards` and `index: {…}` are one setting for Elasticsearch; one spelling keeps the default above replaceable. */
function flatSettings(settings: { readonly [name: string]: unknown }, prefix = ''): { [name: string]: unknown } {
  const flat: { [name: string]: unknown } = {};
  for (const [key, value] of Object.entries(settings)) {
    const name = `${prefix}${key}`;
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      Object.assign(flat, flatSettings(value as { [name: string]: unknown }, `${name}.`));
    else flat[name.startsWith('index.') ? name : `index.${name}`] = value;
  }
  return flat;
}

function fingerprintOf(table: SourceTable, plan: { readonly [part: string]: unknown }): string {
  const { oid, schema, name } = table;
  return createHash('sha256')
    .update(canonical({ encoding: ENCODING, oid, schema, name, ...plan }))
    .digest('hex');
}

/** JSON with sorted keys: the order in a config file shapes nothing. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
