import { isTrue, query, textOf } from '../connect.ts';
import { quoteColumns, quoteFromRelation, quoteIdentifier, quoteQualified } from '../quote.ts';
import { sqlstateOf, toFailure } from '../sqlstate.ts';
import type { TableName } from '../table-name.ts';
import { type Check, fail, ok, tableCheck, warn } from './check.ts';

/**
 * SELECT by trying, on exactly the columns that will be read, with row_security off: row-level security that would hide rows from the load (but
 * not from the stream) is an error then (facts/postgres 4.6).
 */
export const checkSelect = tableCheck(async ({ session, relation, config, tableText, excludedColumns }) => {
  const rows = await query(
    session,
    { doing: 'reading the columns' },
    'select attname as name from pg_attribute where attrelid = $1 and attnum > 0 and not attisdropped order by attnum',
    [relation.oid],
  );
  const columns = rows.map((row) => ({ name: textOf(row, 'name') })).filter(({ name }) => !excludedColumns.includes(name));
  try {
    const from = quoteFromRelation({ ...relation, partitioned: relation.kind === 'p' });
    // The load reads by blocks: the system column ctid needs a grant of its own where there is none on the whole table.
    await session.client.query(`select ${quoteColumns('t', columns)} from ${from} t where t.ctid >= '(0,0)'::tid limit 0`);
  } catch (error) {
    if (sqlstateOf(error) !== '42501') throw toFailure(error, { doing: `reading ${tableText}` });
    const secured = await query(session, { doing: 'reading row security' }, 'select row_security_active($1::oid) as active', [relation.oid]);
    return [isTrue(secured[0], 'active') ? rowSecurity(config.user, tableText) : noSelect(config.user, relation, tableText)];
  }
  return [ok('select', `${config.user} may read ${columns.length} columns of ${tableText}`)];
});

function rowSecurity(user: string, tableText: string): ReturnType<typeof fail> {
  return fail(
    'row-security',
    `${tableText}: row-level security hides rows from ${user}; the stream would deliver them all the same`,
    `alter role ${quoteIdentifier(user)} bypassrls; or use a role that owns the table.`,
  );
}

function noSelect(user: string, relation: TableName, tableText: string): ReturnType<typeof fail> {
  const to = quoteIdentifier(user);
  const grant = `grant usage on schema ${quoteIdentifier(relation.schema)} to ${to}; grant select on ${quoteQualified(relation)} to ${to};`;
  return fail(
    'select',
    `${user} may not read ${tableText}`,
    `${grant} (for columns only: grant select (ctid, COLUMN, ...) on the table and on its partitions)`,
  );
}

/** CREATE PUBLICATION needs CREATE on the database and ownership of the table (facts/postgres 7.3). */
export const checkPublicationPrivileges = tableCheck(async ({ session, relation, config, tableText }) => {
  const rows = await query(
    session,
    { doing: 'reading privileges' },
    `select has_database_privilege(current_database(), 'CREATE') as may_create, current_database() as database,
       (select pg_has_role(c.relowner, 'USAGE') from pg_class c where c.oid = $1) as owner, (select pg_get_userbyid(relowner) from pg_class where oid = $1) as owner_name`,
    [relation.oid],
  );
  const user = quoteIdentifier(config.user);
  const findings = [];
  if (!isTrue(rows[0], 'may_create')) {
    const database = textOf(rows[0], 'database');
    findings.push(
      fail(
        'database-create',
        `${config.user} may not create a publication in ${database}`,
        `grant create on database ${quoteIdentifier(database)} to ${user};`,
      ),
    );
  }
  if (!isTrue(rows[0], 'owner')) {
    findings.push(
      fail(
        'table-owner',
        `${config.user} does not own ${tableText}, so it cannot publish it`,
        `grant ${quoteIdentifier(textOf(rows[0], 'owner_name'))} to ${user};`,
      ),
    );
  }
  return findings.length > 0 ? findings : [ok('publication', `${config.user} may publish ${tableText}`)];
});

const OLD_TRANSACTION_SECONDS = 2;

/** Slot creation waits for every transaction that writes, in any database (facts/postgres 1.5). */
export const checkOpenTransactions: Check = async ({ session }) => {
  const rows = await query(
    session,
    { doing: 'looking for open transactions' },
    `select pid::text, coalesce(usename, '?') as usename, coalesce(datname, '?') as datname,
       date_trunc('second', clock_timestamp() - xact_start)::text as age
     from pg_stat_activity where backend_xid is not null and pid <> pg_backend_pid() and clock_timestamp() - xact_start > $1 * interval '1 second'
     order by xact_start limit 1`,
    [OLD_TRANSACTION_SECONDS],
  );
  const row = rows[0];
  if (row === undefined) return [];
  const message = `oldest writing transaction: pid ${textOf(row, 'pid')} (${textOf(row, 'usename')}, database ${textOf(row, 'datname')}), ${textOf(row, 'age')}: creating the slot waits for it`;
  return [warn('open-transaction', message, 'End it, or run with a longer --slot-timeout.')];
};

export const checkPreparedTransactions: Check = async ({ session }) => {
  const rows = await query(
    session,
    { doing: 'looking for prepared transactions' },
    `select gid, owner::text, database::text, date_trunc('second', clock_timestamp() - prepared)::text as age from pg_prepared_xacts order by prepared limit 5`,
  );
  return rows.map((row) =>
    warn(
      'prepared-transaction',
      `prepared transaction ${JSON.stringify(textOf(row, 'gid'))} (${textOf(row, 'owner')}, database ${textOf(row, 'database')}), ${textOf(row, 'age')} old: creating the slot waits for it`,
      'commit prepared or rollback prepared it.',
    ),
  );
};
