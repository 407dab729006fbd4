import type { Column, SourceTable } from '../core/table.ts';
import { query, type Session, type TextRow, textOf } from './connect.ts';
import { quoteIdentifier, quoteLiteral } from './quote.ts';

/** `OPERATOR(schema.=)` of each key column, in key order. */
export type KeyOperators = readonly string[];

/**
 * The equality that the index over the key uses. It must be named with its schema: under search_path pg_catalog a citext key would silently
 * compare as text, without the index, and an ltree key not at all.
 */
export async function readKeyOperators(session: Session, table: SourceTable, key: readonly Column[]): Promise<KeyOperators> {
  const rows = await query(session, { doing: 'reading the key operators' }, EQUALITY, [table.oid, JSON.stringify(key.map(({ name }) => name))]);
  const byColumn = new Map(
    rows.map((row: TextRow) => [textOf(row, 'name'), `operator(${quoteIdentifier(textOf(row, 'schema'))}.${textOf(row, 'operator')})`]),
  );
  return key.map((column) => byColumn.get(column.name) ?? 'operator(pg_catalog.=)');
}

/** `(values …) as k(k0, …)`: the wanted keys as a table, literals cast to the columns' own types so that the index over them is used. */
export function keyValues(key: readonly Column[], keys: readonly (readonly string[])[]): string {
  const rows = keys.map((texts) => `(${texts.map((text, i) => typed(text, key[i])).join(', ')})`);
  return `(values ${rows.join(', ')}) as k(${key.map((_, i) => `k${i}`).join(', ')})`;
}

/** `t."id" = k.k0 and …`: the row `t` has the key `k`. */
export function matchesKey(key: readonly Column[], operators: KeyOperators): string {
  return key.map((column, i) => `t.${quoteIdentifier(column.name)} ${operators[i]} k.k${i}`).join(' and ');
}

/** At most `size` keys in each part: a statement stays small enough to plan quickly. */
export function* inParts<T>(keys: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < keys.length; at += size) yield keys.slice(at, at + size);
}

function typed(text: string, column: Column | undefined): string {
  if (column === undefined) throw new RangeError('a key with more parts than the table has key columns');
  return `${quoteLiteral(text)}::${column.typeName}`;
}

/** Of the unique indexes over exactly the key's columns the primary key's, else any. */
const EQUALITY = `
  with chosen as (
    select i.* from pg_index i
    where i.indrelid = $1 and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null
      and (select array_agg(a.attname::text order by a.attname::text) from unnest(i.indkey::int2[]) with ordinality as k(attnum, place)
        join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum where k.place <= i.indnkeyatts)
      = (select array_agg(name order by name) from json_array_elements_text($2::json) as name)
    order by i.indisprimary desc, i.indexrelid limit 1)
  select a.attname as name, n.nspname as schema, o.oprname as operator
  from chosen i cross join lateral unnest(i.indkey::int2[], i.indclass::oid[]) with ordinality as part(attnum, opclass, place)
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = part.attnum
    join pg_opclass c on c.oid = part.opclass
    join pg_amop m on m.amopfamily = c.opcfamily and m.amoplefttype = c.opcintype and m.amoprighttype = c.opcintype and m.amopstrategy = 3
    join pg_operator o on o.oid = m.amopopr join pg_namespace n on n.oid = o.oprnamespace
  where part.place <= i.indnkeyatts`;
