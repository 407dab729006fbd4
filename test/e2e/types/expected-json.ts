/** How a column's JSON is made, said by the test itself: no catalog is asked, and nothing of the encoder or of the verifier is used. */
export type Shape =
  | 'number'
  | 'boolean'
  | 'text'
  | 'date'
  | 'timestamp'
  | 'timestamptz'
  | 'json'
  | 'bytea'
  | 'hstore'
  | { readonly array: Shape }
  | { readonly range: Shape }
  | { readonly multirange: Shape }
  | { readonly composite: readonly (readonly [name: string, shape: Shape])[] };

const MAX_DIMENSIONS = 3;

/**
 * A SQL expression for the exact JSON text of `value` by the table of types: PostgreSQL's own functions take the value apart (subscripts, bounds, attributes), so that no
 * text of arrays, composites or ranges is ever parsed. `format('%s')` calls the type's output function, as COPY and the stream do; a cast to text is something else for
 * inet and char(n).
 */
export function expectedJson(value: string, shape: Shape, depth = 0): string {
  // For composites IS NULL would also be true of a row of NULLs.
  return `case when ${value} is not distinct from null then 'null' else ${present(value, shape, depth)} end`;
}

function present(value: string, shape: Shape, depth: number): string {
  const printed = `format('%s', ${value})`;
  if (typeof shape !== 'string') return presentParts(value, shape, depth);
  switch (shape) {
    case 'number':
      return printed;
    case 'boolean':
      return `case when ${value} then 'true' else 'false' end`;
    case 'text':
    case 'date':
      return `to_json(${printed})::text`;
    case 'timestamp':
      return `to_json(replace(${printed}, ' ', 'T'))::text`;
    case 'timestamptz':
      return `to_json(replace(regexp_replace(${printed}, '\\+00$', 'Z'), ' ', 'T'))::text`;
    case 'json':
      return `translate(${printed}, chr(10) || chr(13), '  ')`;
    case 'bytea':
      return `'"' || replace(encode(${value}, 'base64'), chr(10), '') || '"'`;
    case 'hstore':
      return list(
        `to_json(e.key)::text || ':' || coalesce(to_json(e.value)::text, 'null')`,
        `ext.each(${value}) with ordinality e(key, value, n)`,
        '{}',
      );
  }
}

function presentParts(value: string, shape: Exclude<Shape, string>, depth: number): string {
  if ('array' in shape) return arrayJson(value, shape.array, depth);
  if ('range' in shape) return rangeJson(value, shape.range, depth);
  if ('multirange' in shape) {
    const part = `m${depth}`;
    return list(expectedJson(`${part}.r`, { range: shape.multirange }, depth + 1), `unnest(${value}) with ordinality ${part}(r, n)`, '[]');
  }
  const fields = shape.composite.map(
    ([name, field]) => `'${JSON.stringify(name)}:' || ${expectedJson(`(${value})."${name.replaceAll('"', '""')}"`, field, depth)}`,
  );
  return `'{' || ${fields.join(` || ',' || `)} || '}'`;
}

function rangeJson(value: string, bound: Shape, depth: number): string {
  const lower = `case when lower_inf(${value}) then null else case when lower_inc(${value}) then '"gte":' else '"gt":' end || ${expectedJson(`lower(${value})`, bound, depth)} end`;
  const upper = `case when upper_inf(${value}) then null else case when upper_inc(${value}) then '"lte":' else '"lt":' end || ${expectedJson(`upper(${value})`, bound, depth)} end`;
  return `case when isempty(${value}) then 'null' else '{' || concat_ws(',', ${lower}, ${upper}) || '}' end`;
}

function arrayJson(value: string, element: Shape, depth: number): string {
  const dimensions = Array.from(
    { length: MAX_DIMENSIONS },
    (_, i) => `when ${i + 1} then ${cells(value, { element, depth, dimensions: i + 1 }, '')}`,
  );
  return `case coalesce(array_ndims(${value}), 0) when 0 then '[]' ${dimensions.join(' ')} end`;
}

interface Cells {
  readonly element: Shape;
  readonly depth: number;
  readonly dimensions: number;
}

function cells(value: string, shape: Cells, subscripts: string): string {
  const level = subscripts.split('[').length;
  if (level > shape.dimensions) return expectedJson(`(${value})${subscripts}`, shape.element, shape.depth + 1);
  const n = `n${shape.depth}_${level}`;
  const inner = cells(value, shape, `${subscripts}[${n}.n]`);
  return list(inner, `generate_subscripts(${value}, ${level}) ${n}(n)`, '[]', `${n}.n`);
}

function list(element: string, from: string, brackets: '[]' | '{}', order = 'n'): string {
  return `(select '${brackets[0]}' || coalesce(string_agg(${element}, ',' order by ${order}), '') || '${brackets[1]}' from ${from})`;
}
