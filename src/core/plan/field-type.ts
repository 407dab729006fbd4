import type { ValueForm } from '../encode/value-form.ts';
import type { Column } from '../table.ts';

/** The mapping of one field, as Elasticsearch takes it. */
export type FieldMapping = { readonly [parameter: string]: unknown };

/** Lucene refuses terms over 32,766 bytes; 8,191 characters of four bytes stay below (docs/servers.md E13). */
const KEYWORD: FieldMapping = { type: 'keyword', ignore_above: 8191 };
const TEXT: FieldMapping = { type: 'text', fields: { keyword: { type: 'keyword', ignore_above: 256 } } };
const DATE: FieldMapping = { type: 'date', format: 'strict_date' };
const TIME: FieldMapping = { type: 'date', format: 'strict_date_optional_time' };
/** Takes every JSON value, scalars and odd keys too; searchable json is a choice for the config (`flattened`, or properties of its own). */
const STORED_ONLY: FieldMapping = { type: 'object', enabled: false };

const BY_NAME: ReadonlyMap<string, FieldMapping> = new Map<string, FieldMapping>([
  ['smallint', { type: 'short' }],
  ['integer', { type: 'integer' }],
  ['bigint', { type: 'long' }],
  ['oid', { type: 'long' }],
  ['real', { type: 'float' }],
  ['double precision', { type: 'double' }],
  ['text', TEXT],
  ['xml', TEXT],
  ['citext', { ...KEYWORD, normalizer: 'lowercase' }],
  ['inet', { type: 'ip' }],
  ['cidr', { type: 'ip_range' }],
  ['int4range', { type: 'integer_range' }],
  ['int4multirange', { type: 'integer_range' }],
  ['int8range', { type: 'long_range' }],
  ['int8multirange', { type: 'long_range' }],
  ['tsvector', { type: 'keyword', index: false, doc_values: false }],
  ['geometry', { type: 'keyword', index: false, doc_values: false }],
  ['geography', { type: 'keyword', index: false, doc_values: false }],
]);

interface TypeName {
  /** Without schema, quotes, modifiers and array brackets. */
  readonly base: string;
  readonly modifiers: readonly number[];
}

/** The inferred mapping of a column: by the name of its type where that says more than its form. */
export function fieldMappingOf(column: Column): FieldMapping {
  const name = parseTypeName(column.baseTypeName ?? column.typeName);
  const element = elementForm(column.form);
  if (element.kind === 'number' && name.base === 'numeric') return numericMapping(name.modifiers);
  if (element.kind === 'string' && name.base === 'character varying' && name.modifiers.length === 0) return TEXT;
  return BY_NAME.get(name.base) ?? mappingOfForm(element);
}

/** Arrays have the mapping of their elements: Elasticsearch has no array type. */
function elementForm(form: ValueForm): ValueForm {
  return form.kind === 'array' ? elementForm(form.element) : form;
}

/** `double` finds by value; the exact digits stay in `_source`. A whole number of up to 18 digits always fits a long. */
function numericMapping(modifiers: readonly number[]): FieldMapping {
  const [precision, scale] = modifiers;
  return precision !== undefined && scale === 0 && precision <= 18 ? { type: 'long' } : { type: 'double' };
}

function mappingOfForm(form: ValueForm): FieldMapping {
  switch (form.kind) {
    case 'number':
      return { type: 'double' };
    case 'boolean':
      return { type: 'boolean' };
    case 'string':
      return KEYWORD;
    case 'date':
      return DATE;
    case 'timestamp':
    case 'timestamptz':
      return TIME;
    case 'json':
      return STORED_ONLY;
    case 'bytea':
      return { type: 'binary' };
    case 'hstore':
      return { type: 'flattened' };
    case 'array':
      return mappingOfForm(form.element);
    case 'range':
    case 'multirange':
      return rangeMapping(form.bound);
    case 'composite':
      return { properties: Object.fromEntries(form.attributes.map(({ name, form: attribute }) => [name, mappingOfForm(attribute)])) };
  }
}

function rangeMapping(bound: ValueForm): FieldMapping {
  switch (bound.kind) {
    case 'number':
      return { type: 'double_range' };
    case 'date':
    case 'timestamp':
    case 'timestamptz':
      return { ...mappingOfForm(bound), type: 'date_range' };
    default:
      return STORED_ONLY;
  }
}

/** Reads `numeric(12,2)[]`, `timestamp(3) without time zone`, `public.citext`, `"Odd".mood` as `format_type` prints them. */
function parseTypeName(text: string): TypeName {
  const plain = text.replace(/(\[\])+$/, '');
  const modifiers = /\((-?\d+(?:,-?\d+)*)\)/.exec(plain);
  const base = plain.replace(/\(.*?\)/, '').replace(/^(?:"(?:[^"]|"")*"|[^".]+)\./, '');
  return { base, modifiers: modifiers?.[1] === undefined ? [] : withScale(modifiers[1].split(',').map(Number)) };
}

/** `numeric(8)` is printed as `numeric(8,0)`; a lone modifier of another type has no scale to speak of. */
function withScale(modifiers: readonly number[]): readonly number[] {
  return modifiers.length === 1 ? [...modifiers, 0] : modifiers;
}
