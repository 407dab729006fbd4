import type { DocumentField } from '../encode/document-plan.ts';
import type { ValueForm } from '../encode/value-form.ts';
import type { Column } from '../table.ts';
import { fieldMappingOf } from './field-type.ts';

/** A field of which no row's value could ever be indexed. */
export interface MappingConflict {
  readonly field: string;
  readonly message: string;
  readonly fix: string;
}

type Parameters = { readonly [key: string]: unknown };
type Family = 'number' | 'boolean' | 'date' | 'ip' | 'text' | 'number range' | 'date range' | 'ip range' | 'object';

const FAMILIES: { readonly [type: string]: Family } = Object.fromEntries(
  (
    [
      ['number', 'long integer short byte double float half_float scaled_float unsigned_long'],
      ['boolean', 'boolean'],
      ['date', 'date date_nanos'],
      ['ip', 'ip'],
      ['text', 'keyword text wildcard match_only_text'],
      ['number range', 'integer_range long_range float_range double_range'],
      ['date range', 'date_range'],
      ['ip range', 'ip_range'],
      ['object', 'object nested flattened'],
    ] as const
  ).flatMap(([family, types]) => types.split(' ').map((type) => [type, family])),
);

const RANGES: readonly Family[] = ['number range', 'date range', 'ip range'];
/** Types whose text is never a date, an address, a number or a truth value; text and its like may be any of them. */
const NO_OTHER_FORM: ReadonlySet<string> = new Set(['money', 'uuid', 'macaddr', 'macaddr8', 'inet', 'cidr', 'tsvector', 'interval']);

/**
 * The fields whose mapping cannot take what the column gives, whatever the row: every row would be rejected, hours into the load. What some values may fit (a date in a
 * text column) is not judged. `settings` by full names.
 */
export function mappingConflicts(
  columns: readonly Column[],
  fields: readonly DocumentField[],
  mapping: Parameters,
  settings: Parameters,
): readonly MappingConflict[] {
  if (isTrue(settings['index.mapping.ignore_malformed'])) return [];
  return fields.flatMap(({ column: at, field }) => {
    const column = columns[at];
    const mapped = fieldAt(mapping, field);
    if (column === undefined || mapped === null || isTrue(mapped.ignore_malformed)) return [];
    const coerce = isTrue(mapped.coerce ?? settings['index.mapping.coerce']);
    return conflictOf(field, column, mapped, coerce);
  });
}

function conflictOf(field: string, column: Column, mapped: Parameters, coerce: boolean): readonly MappingConflict[] {
  const type = typeof mapped.type === 'string' ? mapped.type : mapped.properties === undefined ? '' : 'object';
  const family = FAMILIES[type];
  // What is not parsed takes everything.
  if (family === undefined || mapped.enabled === false || !refusedBy(column, coerce).includes(family)) return [];
  const gives = column.sql === undefined ? `column "${column.name}" is ${column.typeName}` : `its expression is ${column.typeName}`;
  const inferred = JSON.stringify(fieldMappingOf(column));
  return [
    {
      field,
      message: `field "${field}" is mapped as ${type}, but ${gives}: Elasticsearch would refuse the value of every row`,
      fix: `Map it as what is inferred, ${inferred}, or give it another value: fields.${field}: { sql: … }.`,
    },
  ];
}

/** The families that never take a value of this column. */
function refusedBy({ form, typeName, baseTypeName }: Column, coerce: boolean): readonly Family[] {
  const element = elementOf(form);
  switch (element.kind) {
    case 'number':
      return ['boolean', 'ip', ...RANGES, 'object'];
    case 'boolean':
      return ['number', 'date', 'ip', ...RANGES, 'object'];
    case 'date':
    case 'timestamp':
    case 'timestamptz':
      return ['number', 'boolean', 'ip', ...RANGES, 'object'];
    case 'string':
      return refusedByText((baseTypeName ?? typeName).replace(/[([].*$/, ''), coerce);
    case 'bytea':
      return ['number range', 'date range', 'object', ...(coerce ? [] : (['number'] as const))];
    case 'hstore':
    case 'composite':
      return ['number', 'boolean', 'date', 'ip', 'text'];
    case 'range':
    case 'multirange':
      return ['number', 'boolean', 'date', 'ip', 'text', ...(elementOf(element.bound).kind === 'number' ? [] : (['number range'] as const))];
    case 'json':
    case 'array':
      return [];
  }
}

function refusedByText(typeName: string, coerce: boolean): readonly Family[] {
  const always: readonly Family[] = ['number range', 'date range', 'object'];
  const isAddress = typeName === 'inet' || typeName === 'cidr';
  if (NO_OTHER_FORM.has(typeName)) return [...always, 'number', 'boolean', 'date', ...(isAddress ? [] : (['ip', 'ip range'] as const))];
  // Without coercion a JSON string is no number, whatever is in it.
  return coerce ? always : [...always, 'number'];
}

function elementOf(form: ValueForm): ValueForm {
  return form.kind === 'array' ? elementOf(form.element) : form;
}

/** The mapping of one field; a name with dots may be mapped as objects in objects. Null: it has none of its own. */
function fieldAt(mapping: Parameters, field: string): Parameters | null {
  const properties = objectOf(mapping.properties);
  if (Object.hasOwn(properties, field)) return objectOf(properties[field]);
  const dot = field.indexOf('.');
  const outer = field.slice(0, dot);
  return dot < 0 || !Object.hasOwn(properties, outer) ? null : fieldAt(objectOf(properties[outer]), field.slice(dot + 1));
}

function objectOf(value: unknown): Parameters {
  return typeof value === 'object' && value !== null ? (value as Parameters) : {};
}

function isTrue(value: unknown): boolean {
  return value === true || value === 'true';
}
