import { query, type Session, textOf } from './connect.ts';

/**
 * The largest replay lag of the physical standbys, in milliseconds. Logical walsenders (ours too) are no standbys. A role without pg_read_all_stats sees
 * the rows of others with nothing in them: those are counted as hidden.
 */
export async function replicaLag(session: Session): Promise<{ readonly lagMs: number; readonly hidden: number }> {
  const rows = await query(
    session,
    { doing: 'reading the lag of the standbys' },
    `select coalesce(max(extract(epoch from r.replay_lag) * 1000), 0)::int8::text as lag, count(*) filter (where r.state is null)::text as hidden
     from pg_stat_replication r
     where not exists (select from pg_replication_slots s where s.active_pid = r.pid and s.slot_type = 'logical')`,
  );
  return { lagMs: Number(textOf(rows[0], 'lag')), hidden: Number(textOf(rows[0], 'hidden')) };
}

/** Who waits for, or holds, ACCESS EXCLUSIVE on one of the relations; null if nobody. */
export async function exclusiveLock(session: Session, oids: readonly number[]): Promise<string | null> {
  const rows = await query(
    session,
    { doing: 'looking for waiting locks' },
    `select format('pid %s %s ACCESS EXCLUSIVE on %s', pid, case when granted then 'holds' else 'waits for' end, relation::regclass) as who
     from pg_locks where locktype = 'relation' and mode = 'AccessExclusiveLock' and relation = any($1::oid[]) and pid <> pg_backend_pid()
       and database = (select oid from pg_database where datname = current_database()) limit 1`,
    [`{${oids.join(',')}}`],
  );
  return rows[0]?.who ?? null;
}

/** The oldest transaction that holds back vacuum or slots; null without one. Other users' are shown to pg_read_all_stats only. */
export async function oldestTransaction(session: Session): Promise<{ readonly who: string; readonly pid: number; readonly ageMs: number } | null> {
  const rows = await query(
    session,
    { doing: 'looking for the oldest transaction' },
    `select pid::text, (extract(epoch from clock_timestamp() - xact_start) * 1000)::int8::text as age,
       format('pid %s (%s, database %s, %s)', pid, coalesce(usename, '?'), coalesce(datname, '?'), coalesce(state, '?')) as who
     from pg_stat_activity where xact_start is not null and (backend_xmin is not null or backend_xid is not null) and pid <> pg_backend_pid()
     order by xact_start limit 1`,
  );
  const [row] = rows;
  return row === undefined ? null : { who: textOf(row, 'who'), pid: Number(textOf(row, 'pid')), ageMs: Number(textOf(row, 'age')) };
}

/** `max_slot_wal_keep_size` in bytes; null if it is unlimited (−1). */
export async function slotWalKeepBytes(session: Session): Promise<bigint | null> {
  const rows = await query(
    session,
    { doing: 'reading max_slot_wal_keep_size' },
    `select setting as mib from pg_settings where name = 'max_slot_wal_keep_size'`,
  );
  const mebibytes = BigInt(textOf(rows[0], 'mib'));
  return mebibytes < 0n ? null : mebibytes * 1048576n;
}
