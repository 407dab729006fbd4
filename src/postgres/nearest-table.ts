import { nearest } from '../core/nearest-name.ts';
import { isTrue, query, type Session, type TextRow, textOf } from './connect.ts';
import { parseTableName } from './table-name.ts';

/** Of more tables than these only some are looked at: it is a hint. */
const MAX_TABLES = 20_000;

/** A table that may be meant by a name that no table has, written as in SQL: the same name in another schema, else the one most like it; null if there is none. */
export async function nearestTable(session: Session, qualifiedName: string): Promise<string | null> {
  const { schema, name } = await parseTableName(session, qualifiedName);
  const rows = await query(
    session,
    { doing: 'looking for tables of a similar name' },
    `select format('%I.%I', n.nspname, c.relname) as written, c.relname as name, n.nspname = $2 as beside
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and not c.relispartition and n.nspname <> 'information_schema' and n.nspname !~ '^pg_'
     order by c.relname = $1 desc, n.nspname = $2 desc, n.nspname, c.relname limit ${MAX_TABLES}`,
    [name, schema],
  );
  const names = (some: readonly TextRow[]): readonly string[] => some.map((row) => textOf(row, 'name'));
  // Of the whole name the schema would be most: any other short one beside it would look like it.
  const similar =
    names(rows).find((other) => other === name) ?? nearest(name, names(rows.filter((row) => isTrue(row, 'beside')))) ?? nearest(name, names(rows));
  const row = rows.find((candidate) => textOf(candidate, 'name') === similar);
  return row === undefined ? null : textOf(row, 'written');
}
