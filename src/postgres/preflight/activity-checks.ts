import { query, textOf } from '../connect.ts';
import { type Check, warn } from './check.ts';

const OLD_TRANSACTION_SECONDS = 2;

/** Slot creation waits for every transaction that writes, in any database (docs/servers.md P5). */
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
