import { query, type Session, textOf } from './connect.ts';

/**
 * Who a slot creation waits for: transactions that hold an xid, in any database, prepared ones too (docs/servers.md P5). First the one
 * whose end `waitingPid` waits for; without `waitingPid` (or when it does not wait just now) every open writing transaction, oldest first.
 * A role without pg_monitor sees pids and users only, no ages.
 */
export async function describeBlockers(session: Session, waitingPid: number | null): Promise<readonly string[]> {
  const awaited = waitingPid === null ? [] : await readAwaited(session, waitingPid);
  return awaited.length > 0 ? awaited : readWriting(session);
}

async function readAwaited(session: Session, waitingPid: number): Promise<readonly string[]> {
  const rows = await query(
    session,
    { doing: 'looking for the blocking transaction' },
    `${PEOPLE}
     select who from people where xid in (select transactionid::text from pg_locks where pid = $1 and locktype = 'transactionid' and not granted)
       or pid in (select h.pid from pg_locks w join pg_locks h on h.locktype = 'transactionid' and h.granted and h.transactionid = w.transactionid
                  where w.pid = $1 and w.locktype = 'transactionid' and not w.granted)
     limit 5`,
    [waitingPid],
  );
  return rows.map((row) => textOf(row, 'who'));
}

async function readWriting(session: Session): Promise<readonly string[]> {
  const rows = await query(
    session,
    { doing: 'looking for open transactions' },
    `${PEOPLE} select who from people where xid is not null order by since nulls last limit 5`,
  );
  return rows.map((row) => textOf(row, 'who'));
}

const PEOPLE = `
  with people as (
    select pid, backend_xid::text as xid, xact_start as since,
      format('pid %s (%s%s)%s', pid, coalesce(usename, '?'), coalesce(', database ' || datname, ''),
        coalesce(', ' || date_trunc('second', clock_timestamp() - xact_start)::text, '')) as who
    from pg_stat_activity where pid <> pg_backend_pid()
    union all
    select null, transaction::text, prepared,
      format('prepared transaction %L (%s, database %s), %s', gid, owner, database, date_trunc('second', clock_timestamp() - prepared)::text)
    from pg_prepared_xacts
  )`;
