import type { DocumentField } from '../encode/document-plan.ts';
import { didYouMean } from '../nearest-name.ts';
import type { Column } from '../table.ts';
import { type ConfigMistake, mistakeAt } from './config-mistakes.ts';
import { type FieldMapping, fieldMappingOf } from './field-type.ts';
import type { IndexConfig } from './index-config.ts';

export interface Mapping {
  readonly [key: string]: unknown;
}

export interface InferredMapping {
  readonly mapping: Mapping;
  readonly warnings: readonly string[];
  /** Mistakes of the config, each with its place; the mapping is of no use if there are any. */
  readonly problems: readonly ConfigMistake[];
}

/**
 * The mapping of the new index: the config's own, or one inferred from the columns (`dynamic: strict`, so that nothing is mapped by the accident of
 * arrival order, docs/servers.md E33), with `fields` in place of single fields of either.
 */
export function inferMapping(columns: readonly Column[], fields: readonly DocumentField[], config: IndexConfig): InferredMapping {
  const names = fields.map(({ field }) => field);
  const problems = Object.keys(config.fields)
    .filter((name) => !names.includes(name))
    .map((name) => mistakeAt('fields', `the document has no field "${name}"${didYouMean(name, names)}`, name));
  const mapping = config.mapping === null ? inferred(columns, fields, config) : withOverrides(config.mapping, config.fields);
  if (config.mapping !== null) problems.push(...unmapped(mapping, names));
  return { mapping, warnings: config.mapping === null ? warningsFor(columns, fields, config) : [], problems };
}

function inferred(columns: readonly Column[], fields: readonly DocumentField[], config: IndexConfig): Mapping {
  const properties = Object.fromEntries(
    fields.map(({ column, field }) => [field, overrideOf(config, field) ?? fieldMappingOf(columnAt(columns, column))]),
  );
  return { dynamic: 'strict', properties };
}

/** Not by plain look-up: a field may be called `constructor`. */
function overrideOf(config: IndexConfig, field: string): FieldMapping | undefined {
  return Object.hasOwn(config.fields, field) ? config.fields[field] : undefined;
}

function withOverrides(mapping: Mapping, overrides: { readonly [field: string]: FieldMapping }): Mapping {
  if (Object.keys(overrides).length === 0) return mapping;
  return { ...mapping, properties: { ...propertiesOf(mapping), ...overrides } };
}

/** Under `dynamic: strict` every row would be rejected for a field the mapping does not have: better said before anything is built. */
function unmapped(mapping: Mapping, names: readonly string[]): readonly ConfigMistake[] {
  if (mapping.dynamic !== 'strict') return [];
  const mapped = Object.keys(propertiesOf(mapping));
  return names
    .filter((name) => !mapped.some((known) => known === name || name.startsWith(`${known}.`) || known.startsWith(`${name}.`)))
    .filter((name) => !mapped.includes(name.split('.', 1)[0] ?? ''))
    .map((name) =>
      mistakeAt('mapping', `it is dynamic: strict, but has no property "${name}"${didYouMean(name, mapped)}; add it, or exclude the column`),
    );
}

function propertiesOf(mapping: Mapping): { readonly [field: string]: unknown } {
  const { properties } = mapping;
  return typeof properties === 'object' && properties !== null ? (properties as { readonly [field: string]: unknown }) : {};
}

function warningsFor(columns: readonly Column[], fields: readonly DocumentField[], config: IndexConfig): readonly string[] {
  const warnings: string[] = [];
  for (const { column: index, field } of fields) {
    if (overrideOf(config, field) !== undefined) continue;
    const column = columnAt(columns, index);
    if (column.form.kind === 'json')
      warnings.push(`field "${field}" (${column.typeName}) is stored but not searchable; for searching set fields.${field}, e.g. {type: flattened}`);
    if (column.typeName === 'tsvector') warnings.push(`field "${field}" (tsvector) is stored but not searchable; columns.exclude leaves it out`);
    if (column.typeName === 'inet' || column.typeName === 'inet[]') {
      warnings.push(
        `field "${field}" (inet) is mapped as ip, which takes no network masks; if there are any set fields.${field} to {type: ip_range} or {type: keyword}`,
      );
    }
  }
  return warnings;
}

function columnAt(columns: readonly Column[], index: number): Column {
  const column = columns[index];
  if (column === undefined) throw new RangeError(`there is no column ${index}`);
  return column;
}
