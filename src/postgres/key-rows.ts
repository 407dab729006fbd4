import type { Column, SourceTable } from '../core/table.ts';
import { query, type Session, type TextRow, textOf } from './connect.ts';
import { quoteIdentifier, quoteLiteral } from './quote.ts';

/** `OPERATOR(schema.=)` of each key column, in key order. */
export type KeyOperators = readonly string[];

/**
 * The equality that the primary key's index uses. It must be named with its schema: under search_path pg_catalog a citext key would silently
 * compare as text, without the index, and an ltree key not at all.
 */
export async function readKeyOperators(session: Session, table: SourceTable, key: readonly Column[]): Promise<KeyOperators> {
  const rows = await query(session, { doing: 'reading the key operators' }, EQUALITY, [table.oid]);
  const byColumn = new Map(
    rows.map((row: TextRow) => [textOf(row, 'name'), `operator(${quoteIdentifier(textOf(row, 'schema'))}.${textOf(row, 'operator')})`]),
  );
  return key.map((column) => byColumn.get(column.name) ?? 'operator(pg_catalog.=)');
}

/**
 * A join that keeps the rows of `t` with one of the keys, written so that the primary key's index is used: literals are cast to the columns'
 * own types.
 */
export function joinKeys(key: readonly Column[], operators: KeyOperators, keys: readonly (readonly string[])[]): string {
  const rows = keys.map((texts) => `(${texts.map((text, i) => typed(text, key[i])).join(', ')})`);
  const names = key.map((_, i) => `k${i}`);
  const conditions = key.map((column, i) => `t.${quoteIdentifier(column.name)} ${operators[i]} k.k${i}`);
  return `join (values ${rows.join(', ')}) as k(${names.join(', ')}) on ${conditions.join(' and ')}`;
}

/** At most `size` keys in each part: a statement stays small enough to plan quickly. */
export function* inParts<T>(keys: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < keys.length; at += size) yield keys.slice(at, at + size);
}

function typed(text: string, column: Column | undefined): string {
  if (column === undefined) throw new RangeError('a key with more parts than the table has key columns');
  return `${quoteLiteral(text)}::${column.typeName}`;
}

const EQUALITY = `
  select a.attname as name, n.nspname as schema, o.oprname as operator
  from pg_index i cross join lateral unnest(i.indkey::int2[], i.indclass::oid[]) with ordinality as part(attnum, opclass, place)
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = part.attnum
    join pg_opclass c on c.oid = part.opclass
    join pg_amop m on m.amopfamily = c.opcfamily and m.amoplefttype = c.opcintype and m.amoprighttype = c.opcintype and m.amopstrategy = 3
    join pg_operator o on o.oid = m.amopopr join pg_namespace n on n.oid = o.oprnamespace
  where i.indrelid = $1 and i.indisprimary and part.place <= i.indnkeyatts`;
