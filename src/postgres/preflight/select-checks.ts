import { counted } from '../../core/counted.ts';
import type { Finding } from '../../core/finding.ts';
import { nameInSql } from '../../core/table.ts';
import type { Relation } from '../catalog.ts';
import { isTrue, query, type Session, textOf } from '../connect.ts';
import { quoteColumns, quoteIdentifier, quoteQualified } from '../quote.ts';
import { sqlstateOf, toFailure } from '../sqlstate.ts';
import { fail, ok, tableCheck } from './check.ts';

interface Readable {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
}

/**
 * SELECT by trying, on exactly the columns that will be read, with row_security off: row-level security that would hide rows from the load (but
 * not from the stream) is an error then (docs/servers.md P19). The load reads leaves by their own names, so each needs the right itself.
 */
export const checkSelect = tableCheck(async ({ session, relation, config, tableText, excludedColumns }) => {
  const columns = (await readColumnNames(session, relation.oid)).filter(({ name }) => !excludedColumns.includes(name));
  for (const target of [relation, ...(await readLeaves(session, relation))]) {
    if (await isReadable(session, target, columns)) continue;
    const text = target.oid === relation.oid ? tableText : `${tableText}: partition ${nameInSql(target)}`;
    return [await refusal(session, target, { user: config.user, text })];
  }
  return [ok('select', `${config.user} may read ${counted(columns.length, 'column')} of ${tableText}`)];
});

async function readColumnNames(session: Session, oid: number): Promise<readonly { readonly name: string }[]> {
  const rows = await query(
    session,
    { doing: 'reading the columns' },
    'select attname as name from pg_attribute where attrelid = $1 and attnum > 0 and not attisdropped order by attnum',
    [oid],
  );
  return rows.map((row) => ({ name: textOf(row, 'name') }));
}

async function readLeaves(session: Session, relation: Relation): Promise<readonly Readable[]> {
  if (relation.kind !== 'p') return [];
  const rows = await query(
    session,
    { doing: 'reading the partitions' },
    `select c.oid::text, n.nspname as schema, c.relname as name from pg_partition_tree($1) tree
       join pg_class c on c.oid = tree.relid join pg_namespace n on n.oid = c.relnamespace where c.relkind = 'r' order by c.oid`,
    [relation.oid],
  );
  return rows.map((row) => ({ oid: Number(textOf(row, 'oid')), schema: textOf(row, 'schema'), name: textOf(row, 'name') }));
}

async function isReadable(session: Session, target: Readable, columns: readonly { readonly name: string }[]): Promise<boolean> {
  try {
    // The load reads by blocks: the system column ctid needs a grant of its own where there is none on the whole table.
    await session.client.query(`select ${quoteColumns('t', columns)} from only ${quoteQualified(target)} t where t.ctid >= '(0,0)'::tid limit 0`);
    return true;
  } catch (error) {
    if (sqlstateOf(error) === '42501') return false;
    throw toFailure(error, { doing: `reading ${nameInSql(target)}` });
  }
}

async function refusal(session: Session, target: Readable, seen: { readonly user: string; readonly text: string }): Promise<Finding> {
  const rows = await query(session, { doing: 'reading row security' }, 'select row_security_active($1::oid) as active', [target.oid]);
  const to = quoteIdentifier(seen.user);
  if (isTrue(rows[0], 'active')) {
    const message = `${seen.text}: row-level security hides rows from ${seen.user}; the stream would deliver them all the same`;
    return fail('row-security', message, `alter role ${to} bypassrls; or use a role that owns the table.`);
  }
  const grant = `grant usage on schema ${quoteIdentifier(target.schema)} to ${to}; grant select on ${quoteQualified(target)} to ${to};`;
  return fail('select', `${seen.user} may not read ${seen.text}`, `${grant} (for some columns only: grant select (ctid, COLUMN, ...))`);
}
