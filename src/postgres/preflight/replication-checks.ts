import { Failure } from '../../core/failure.ts';
import type { Finding } from '../../core/finding.ts';
import { connect, endSession, query, textOf } from '../connect.ts';
import { type Check, fail, ok } from './check.ts';

export const checkWalLevel: Check = async ({ session }) => {
  const rows = await query(session, { doing: 'reading wal_level' }, "select current_setting('wal_level') as level");
  const level = textOf(rows[0], 'level');
  if (level === 'logical') return [ok('wal-level', 'wal_level=logical')];
  return [
    fail(
      'wal-level',
      `wal_level=${level}`,
      "alter system set wal_level = 'logical'; then restart PostgreSQL (RDS: rds.logical_replication=1, Cloud SQL: cloudsql.logical_decoding=on).",
    ),
  ];
};

/** A build needs one slot and one more for the verification, and two walsenders at a time (docs/servers.md P32). */
export const checkSlotsAndSenders: Check = async ({ session }) => {
  const rows = await query(
    session,
    { doing: 'counting slots and walsenders' },
    `select current_setting('max_replication_slots') as max_slots, (select count(*) from pg_replication_slots)::text as slots,
       current_setting('max_wal_senders') as max_senders, (select count(*) from pg_stat_activity where backend_type = 'walsender')::text as senders`,
  );
  const number = (column: string): number => Number(textOf(rows[0], column));
  return [
    room('slots', 'max_replication_slots', number('slots'), number('max_slots')),
    room('walsenders', 'max_wal_senders', number('senders'), number('max_senders')),
  ];
};

function room(what: string, setting: string, used: number, max: number): Finding {
  const message = `${what} ${used}/${max} used`;
  if (max - used >= 2) return ok(what, message);
  const fix = `alter system set ${setting} = ${used + 4}; then restart PostgreSQL, or free some that nobody uses.`;
  // One free slot is enough to build: the verification then compares by settling instead of at a fence.
  if (max - used === 1 && what === 'slots')
    return { level: 'warn', side: 'postgres', code: what, message: `${message}: one is free, two are better`, fix };
  return fail(what, `${message}: a build needs two`, fix);
}

/** By trying, because managed servers grant it by other means than the attribute (docs/servers.md P34). */
export const checkReplication: Check = async ({ config }) => {
  try {
    const walsender = await connect(config, { replication: true });
    await query(walsender, { doing: 'identifying the system' }, 'IDENTIFY_SYSTEM');
    await endSession(walsender);
    return [ok('replication', `${config.user} may replicate`)];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [refusal(config.user, error)];
  }
};

function refusal(user: string, error: Failure): Finding {
  if (error.kind !== 'denied') return fail('replication', error.message, error.hint ?? 'See the server log.');
  return fail(
    'replication',
    `${user} may not open a replication connection`,
    `alter role ${JSON.stringify(user)} replication; (RDS: grant rds_replication to it), and allow it in pg_hba.conf for this database.`,
  );
}
