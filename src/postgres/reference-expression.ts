import type { PgType } from '../core/encode/value-form.ts';
import { quoteIdentifier, quoteLiteral, quoteQualified } from './quote.ts';

const MAX_DIMENSIONS = 6;
/**
 * Types whose `to_json` is what the document must hold: JSON numbers, booleans, ISO dates and timestamps, and char(n), whose cast to text would strip the
 * padding that COPY and the stream keep, and inet, whose cast to text adds the mask that its output function leaves out. By OID: those never change.
 */
const AS_TO_JSON: ReadonlySet<number> = new Set([16, 20, 21, 23, 700, 701, 1700, 1082, 1114, 1042, 869]);
const OID_TYPE = 26;
const BYTEA = 17;
const TIMESTAMPTZ = 1184;
const JSON_TYPES: ReadonlySet<number> = new Set([114, 3802]);

/**
 * A SQL expression of type text: the JSON value that the document must hold for `value`, made by PostgreSQL's own functions. It shares nothing
 * with the encoder, not even the column's form, so that one mistake cannot hide in both. SQL NULL becomes `null`.
 */
export function referenceExpression(value: string, typeOid: number, types: ReadonlyMap<number, PgType>): string {
  return `coalesce(${bare(value, typeOid, types, 0)}, 'null')`;
}

/** Like `referenceExpression`, but NULL stays NULL. `depth` keeps the aliases of nested subqueries apart. */
function bare(value: string, typeOid: number, types: ReadonlyMap<number, PgType>, depth: number): string {
  if (AS_TO_JSON.has(typeOid)) return `to_json(${value})::text`;
  if (typeOid === OID_TYPE || JSON_TYPES.has(typeOid)) return `(${value})::text`;
  if (typeOid === BYTEA) return `'"' || translate(encode(${value}, 'base64'), E'\\n', '') || '"'`;
  if (typeOid === TIMESTAMPTZ) return `regexp_replace(to_json(${value})::text, '\\+00:00"$', 'Z"')`;
  const type = types.get(typeOid);
  return type === undefined ? asString(value) : ofType(value, type, types, depth);
}

function ofType(value: string, type: PgType, types: ReadonlyMap<number, PgType>, depth: number): string {
  if (type.elementOid !== 0) return arrayExpression(value, type.elementOid, types, depth);
  switch (type.kind) {
    case 'd':
      return bare(castToBase(value, type.baseOid, types), type.baseOid, types, depth);
    case 'c':
      return compositeExpression(value, type, types, depth);
    case 'r':
      return rangeExpression(value, type.subtypeOid, types, depth);
    case 'm':
      return multirangeExpression(value, type.subtypeOid, types, depth);
    case 'b':
    case 'e':
    case 'p':
      // Through text: to_json would follow a cast to json that some extensions define (PostGIS does). hstore's is the one that is wanted.
      return type.name === 'hstore' ? `to_json(${value})::text` : asString(value);
  }
}

function asString(value: string): string {
  return `to_json((${value})::text)::text`;
}

/** Functions of ranges and arrays do not take a domain over them. */
function castToBase(value: string, baseOid: number, types: ReadonlyMap<number, PgType>): string {
  const base = types.get(baseOid);
  return base === undefined ? value : `((${value})::${quoteQualified(base)})`;
}

function compositeExpression(value: string, type: PgType, types: ReadonlyMap<number, PgType>, depth: number): string {
  const parts = type.attributes.map((attribute) => {
    const inner = bare(`(${value}).${quoteIdentifier(attribute.name)}`, attribute.typeOid, types, depth);
    return `${quoteLiteral(`${JSON.stringify(attribute.name)}:`)} || coalesce(${inner}, 'null')`;
  });
  const body = parts.length === 0 ? "''" : parts.join(` || ',' || `);
  // IS NULL would also be true of a row of NULLs; IS DISTINCT FROM NULL is not.
  return `case when ${value} is distinct from null then '{' || ${body} || '}' end`;
}

function rangeExpression(value: string, boundOid: number, types: ReadonlyMap<number, PgType>, depth: number): string {
  const lower = `case when not lower_inf(${value}) then case when lower_inc(${value}) then '"gte":' else '"gt":' end || ${bare(`lower(${value})`, boundOid, types, depth)} end`;
  const upper = `case when not upper_inf(${value}) then case when upper_inc(${value}) then '"lte":' else '"lt":' end || ${bare(`upper(${value})`, boundOid, types, depth)} end`;
  return `case when not isempty(${value}) then '{' || concat_ws(',', ${lower}, ${upper}) || '}' end`;
}

function multirangeExpression(value: string, boundOid: number, types: ReadonlyMap<number, PgType>, depth: number): string {
  const range = rangeExpression(`m${depth}.r`, boundOid, types, depth + 1);
  return `case when ${value} is not null then (select '[' || coalesce(string_agg(${range}, ',' order by m${depth}.n), '') || ']'
    from unnest(${value}) with ordinality as m${depth}(r, n)) end`;
}

/** Arrays have no declared number of dimensions: one branch for each that PostgreSQL allows. */
function arrayExpression(value: string, elementOid: number, types: ReadonlyMap<number, PgType>, depth: number): string {
  const branches = Array.from(
    { length: MAX_DIMENSIONS },
    (_, i) => `when ${i + 1} then ${nested(value, { elementOid, types, depth, dimensions: i + 1 }, [])}`,
  );
  return `case when ${value} is not null then case coalesce(array_ndims(${value}), 0) when 0 then '[]' ${branches.join(' ')} end end`;
}

interface ArrayShape {
  readonly elementOid: number;
  readonly types: ReadonlyMap<number, PgType>;
  readonly depth: number;
  readonly dimensions: number;
}

function nested(value: string, shape: ArrayShape, subscripts: readonly string[]): string {
  if (subscripts.length === shape.dimensions) {
    const element = `(${value})${subscripts.map((name) => `[${name}]`).join('')}`;
    return `coalesce(${bare(element, shape.elementOid, shape.types, shape.depth + 1)}, 'null')`;
  }
  const name = `s${shape.depth}_${subscripts.length}`;
  const inner = nested(value, shape, [...subscripts, name]);
  return `(select '[' || string_agg(${inner}, ',' order by ${name}) || ']' from generate_subscripts(${value}, ${subscripts.length + 1}) as ${name})`;
}
