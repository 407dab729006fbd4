import type { DocumentField } from '../encode/document-plan.ts';
import { didYouMean } from '../nearest-name.ts';
import type { Column, SourceTable } from '../table.ts';
import { type ConfigMistake, mistakeAt } from './config-mistakes.ts';
import type { IndexConfig } from './index-config.ts';

export interface DocumentColumns {
  /** Document columns in table order, then computed fields, then key columns that are not in the document. */
  readonly columns: readonly Column[];
  readonly fields: readonly DocumentField[];
  readonly key: readonly number[];
  /** Mistakes of the config, each with its place. */
  readonly problems: readonly ConfigMistake[];
  /** False while two fields have one name, or one has a name that Elasticsearch refuses: asked about such a mapping it would tell the same again. */
  readonly wellNamed: boolean;
}

/** Fields of the document root that Elasticsearch keeps for itself (docs/servers.md E35). */
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

/** Picks the columns of the document and of the key, and names the fields. Needs no look at the forms. `computed` has the fields that are SQL expressions. */
export function documentColumns(table: SourceTable, config: IndexConfig, computed: readonly Column[]): DocumentColumns {
  // A computed field takes the place of the column that would have its name.
  const chosen = table.columns.filter(({ name }) => isChosen(name, config) && !isComputed(fieldName(name, config), computed));
  const id = config.id ?? table.key;
  const outside = id
    .filter((name) => !chosen.some((column) => column.name === name))
    .flatMap((name) => table.columns.filter((column) => column.name === name));
  const columns = [...chosen, ...computed, ...outside];
  const fields = [...chosen.map(({ name }) => fieldName(name, config)), ...computed.map(({ name }) => name)].map((field, column) => ({
    column,
    field,
  }));
  const key = id.map((name) => columns.findIndex((column) => column.name === name && column.sql === undefined));
  const names = table.columns.map(({ name }) => name);
  const misnamed = badFields(columns, fields);
  const problems = [...badKey(id, names, config), ...unknownNames(names, config), ...misnamed];
  return { columns, fields, key, problems, wellNamed: misnamed.length === 0 };
}

function badKey(id: readonly string[], names: readonly string[], config: IndexConfig): readonly ConfigMistake[] {
  const unreadable = id
    .filter((name) => !names.includes(name))
    .map((name) =>
      config.id === null
        ? mistakeAt('table', `the key column "${name}" cannot be read; grant select on it`)
        : mistakeAt('id', `the table has no column "${name}"${didYouMean(name, names)}`, id.indexOf(name)),
    );
  const twice = id.flatMap((name, at) => (id.indexOf(name) === at ? [] : [mistakeAt('id', `column "${name}" is named twice`, at)]));
  // The document would show another value than the one that its _id was made of.
  const changed = id
    .map((name) => fieldName(name, config))
    .filter((field) => Object.hasOwn(config.computed, field))
    .map((field) => ({
      path: ['fields', field, 'sql'],
      text: `fields.${field}.sql: the field is a column of the key, which an expression may not change; choose another name`,
    }));
  return [...unreadable, ...twice, ...changed];
}

function isComputed(field: string, computed: readonly Column[]): boolean {
  return computed.some(({ name }) => name === field);
}

function isChosen(name: string, config: IndexConfig): boolean {
  const { include, exclude } = config.columns;
  return (include === '*' || include.includes(name)) && !exclude.includes(name);
}

function fieldName(column: string, config: IndexConfig): string {
  return Object.hasOwn(config.rename, column) ? (config.rename[column] ?? column) : column;
}

function unknownNames(names: readonly string[], config: IndexConfig): readonly ConfigMistake[] {
  const { include, exclude } = config.columns;
  const mentions: readonly (readonly [string, readonly string[]])[] = [
    ['columns.include', include === '*' ? [] : include],
    ['columns.exclude', exclude],
    ['rename', Object.keys(config.rename)],
  ];
  const problems = mentions.flatMap(([place, mentioned]) =>
    mentioned
      .filter((name) => !names.includes(name))
      .map((name) =>
        mistakeAt(place, `the table has no column "${name}"${didYouMean(name, names)}`, place === 'rename' ? name : mentioned.indexOf(name)),
      ),
  );
  const unused = Object.keys(config.rename).filter((name) => names.includes(name) && !isChosen(name, config));
  return [...problems, ...unused.map((name) => mistakeAt('rename', `column "${name}" is not in the document`, name))];
}

function badFields(columns: readonly Column[], fields: readonly DocumentField[]): readonly ConfigMistake[] {
  const problems: ConfigMistake[] = [];
  if (fields.length === 0) problems.push(mistakeAt('columns', 'no column is left for the document'));
  const owners = new Map<string, string>();
  for (const { column, field } of fields) {
    const { name = '', sql } = columns[column] ?? {};
    const fault = faultOf(field);
    if (fault !== undefined && sql !== undefined)
      problems.push({ path: ['fields', field], text: `fields.${field}: the field name "${field}" ${fault}` });
    else if (fault !== undefined)
      problems.push(mistakeAt('rename', `column "${name}": the field name "${field}" ${fault}; choose another under rename`, name));
    const owner = owners.get(field);
    if (owner !== undefined) problems.push(mistakeAt('rename', `the columns "${owner}" and "${name}" would both be field "${field}"`, name));
    owners.set(field, name);
  }
  return [...problems, ...nestedConflicts(owners)];
}

function faultOf(field: string): string | undefined {
  if (RESERVED.has(field)) return 'is reserved by Elasticsearch';
  if (field.split('.').some((part) => part.trim() === '')) return 'has an empty part, which Elasticsearch refuses';
  return undefined;
}

/** `a` and `a.b` cannot both be fields: a dot makes an object (docs/servers.md E35). */
function nestedConflicts(owners: ReadonlyMap<string, string>): readonly ConfigMistake[] {
  const fields = [...owners.keys()];
  return fields
    .filter((field) => fields.some((other) => other.startsWith(`${field}.`)))
    .map((field) =>
      mistakeAt('rename', `field "${field}" would be a value and, because of the dot in another field, an object`, owners.get(field) ?? field),
    );
}
