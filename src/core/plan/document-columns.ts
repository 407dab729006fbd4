import type { DocumentField } from '../encode/document-plan.ts';
import type { Column, SourceTable } from '../table.ts';
import type { IndexConfig } from './index-config.ts';
import { didYouMean } from './nearest-name.ts';

export interface DocumentColumns {
  /** Document columns in table order, then key columns that are not in the document. */
  readonly columns: readonly Column[];
  readonly fields: readonly DocumentField[];
  readonly key: readonly number[];
  /** Mistakes of the config, one sentence each. */
  readonly problems: readonly string[];
}

/** Fields of the document root that Elasticsearch keeps for itself (facts/elasticsearch 6.2). */
const RESERVED: ReadonlySet<string> = new Set(
  [
    '_id',
    '_index',
    '_source',
    '_version',
    '_routing',
    '_seq_no',
    '_primary_term',
    '_type',
    '_ignored',
    '_field_names',
    '_nested_path',
    '_doc_count',
    '_size',
    '_tier',
  ].concat('_data_stream_timestamp', '_ignored_source', '_tsid'),
);

/** Picks the columns of the document and of the key, and names the fields. Needs no look at the forms. */
export function documentColumns(table: SourceTable, config: IndexConfig): DocumentColumns {
  const chosen = table.columns.filter(({ name }) => isChosen(name, config));
  const outside = table.key
    .filter((name) => !chosen.some((column) => column.name === name))
    .flatMap((name) => table.columns.filter((column) => column.name === name));
  const columns = [...chosen, ...outside];
  const fields = chosen.map(({ name }, column) => ({ column, field: fieldName(name, config) }));
  const key = table.key.map((name) => columns.findIndex((column) => column.name === name));
  const names = table.columns.map(({ name }) => name);
  const unreadable = table.key
    .filter((name) => !names.includes(name))
    .map((name) => `table: the key column "${name}" cannot be read; grant select on it`);
  return { columns, fields, key, problems: [...unreadable, ...unknownNames(names, config), ...badFields(columns, fields)] };
}

function isChosen(name: string, config: IndexConfig): boolean {
  const { include, exclude } = config.columns;
  return (include === '*' || include.includes(name)) && !exclude.includes(name);
}

function fieldName(column: string, config: IndexConfig): string {
  return Object.hasOwn(config.rename, column) ? (config.rename[column] ?? column) : column;
}

function unknownNames(names: readonly string[], config: IndexConfig): readonly string[] {
  const { include, exclude } = config.columns;
  const mentions: readonly (readonly [string, readonly string[]])[] = [
    ['columns.include', include === '*' ? [] : include],
    ['columns.exclude', exclude],
    ['rename', Object.keys(config.rename)],
  ];
  const problems = mentions.flatMap(([place, mentioned]) =>
    mentioned.filter((name) => !names.includes(name)).map((name) => `${place}: the table has no column "${name}"${didYouMean(name, names)}`),
  );
  const unused = Object.keys(config.rename).filter((name) => names.includes(name) && !isChosen(name, config));
  return [...problems, ...unused.map((name) => `rename: column "${name}" is not in the document`)];
}

function badFields(columns: readonly Column[], fields: readonly DocumentField[]): readonly string[] {
  const problems: string[] = [];
  if (fields.length === 0) problems.push('columns: no column is left for the document');
  const owners = new Map<string, string>();
  for (const { column, field } of fields) {
    const name = columns[column]?.name ?? '';
    const fault = faultOf(field);
    if (fault !== undefined) problems.push(`column "${name}": the field name "${field}" ${fault}; choose another under rename`);
    const owner = owners.get(field);
    if (owner !== undefined) problems.push(`rename: the columns "${owner}" and "${name}" would both be field "${field}"`);
    owners.set(field, name);
  }
  return [...problems, ...nestedConflicts([...owners.keys()])];
}

function faultOf(field: string): string | undefined {
  if (RESERVED.has(field)) return 'is reserved by Elasticsearch';
  if (field.split('.').some((part) => part.trim() === '')) return 'has an empty part, which Elasticsearch refuses';
  return undefined;
}

/** `a` and `a.b` cannot both be fields: a dot makes an object (facts/elasticsearch 6.2). */
function nestedConflicts(fields: readonly string[]): readonly string[] {
  return fields
    .filter((field) => fields.some((other) => other.startsWith(`${field}.`)))
    .map((field) => `rename: field "${field}" would be a value and, because of the dot in another field, an object`);
}
