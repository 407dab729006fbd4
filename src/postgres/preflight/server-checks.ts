import type { Finding } from '../../core/finding.ts';
import { isTrue, query, textOf } from '../connect.ts';
import { type Check, fail, ok, warn } from './check.ts';

const OLDEST_VERSION = 140000;
const NEWEST_TESTED_VERSION = 190000;
const ENOUGH_WAL_KEEP_MB = 1024;

export const checkVersion: Check = async ({ session }) => {
  const text = `server ${Math.floor(session.version / 10000)}.${session.version % 10000}`;
  if (session.version < OLDEST_VERSION) return [fail('version', `${text}: too old`, 'Upgrade to PostgreSQL 14 or newer.')];
  if (session.version >= NEWEST_TESTED_VERSION)
    return [warn('version', `${text}: newer than what this tool was tested with`, 'Try it on a copy first.')];
  return [ok('version', text)];
};

/** A pooler hands sessions around: settings, snapshots and locks would be lost between statements (docs/servers.md P34). */
export const checkPooler: Check = async ({ session }) => {
  if (session.announcedPid === null || session.announcedPid === session.pid) return [ok('pooler', 'direct connection (no pooler)')];
  return [
    fail(
      'pooler',
      'the connection goes through a pooler',
      'Use the direct host and port of the server, not of PgBouncer, RDS Proxy or another pooler.',
    ),
  ];
};

/** Standby slots hang on an idle primary, and publications can be made on the primary only (docs/servers.md P33). */
export const checkPrimary: Check = async ({ session }) => {
  const rows = await query(session, { doing: 'checking for a standby' }, 'select pg_is_in_recovery() as standby');
  return isTrue(rows[0], 'standby')
    ? [fail('primary', 'the server is a standby', 'Connect to the primary.')]
    : [ok('primary', 'the server is the primary')];
};

export const checkEncoding: Check = async ({ session }) => {
  const rows = await query(
    session,
    { doing: 'reading the encoding' },
    `select pg_encoding_to_char(encoding) as encoding from pg_database where datname = current_database()`,
  );
  const encoding = textOf(rows[0], 'encoding');
  if (encoding !== 'SQL_ASCII') return [ok('encoding', `encoding ${encoding}`)];
  return [
    warn(
      'encoding',
      'encoding SQL_ASCII: the server does not check text; bytes that are not UTF-8 stop the load, and the stream could never pass them',
      'Make sure that all text is UTF-8, or move the database to encoding UTF8.',
    ),
  ];
};

/** What may take the slot away while the build runs (docs/servers.md P30, P31). `idle_replication_slot_timeout` exists from 18 on. */
export const checkSlotLimits: Check = async ({ session }) => {
  const rows = await query(
    session,
    { doing: 'reading the slot limits' },
    "select name, setting, unit from pg_settings where name in ('max_slot_wal_keep_size', 'idle_replication_slot_timeout')",
  );
  const setting = (name: string): number => Number(rows.find((row) => row.name === name)?.setting ?? 0);
  return [...walKeep(setting('max_slot_wal_keep_size')), ...idleTimeout(setting('idle_replication_slot_timeout'))];
};

function walKeep(megabytes: number): readonly Finding[] {
  if (megabytes === -1) return [ok('wal-keep-size', 'max_slot_wal_keep_size unlimited')];
  const text = `max_slot_wal_keep_size=${megabytes}MB`;
  if (megabytes >= ENOUGH_WAL_KEEP_MB) return [ok('wal-keep-size', text)];
  return [
    warn(
      'wal-keep-size',
      `${text}: the slot is lost as soon as the replay is that far behind`,
      "alter system set max_slot_wal_keep_size = '20GB'; select pg_reload_conf();",
    ),
  ];
}

function idleTimeout(seconds: number): readonly Finding[] {
  if (seconds === 0) return [];
  return [
    warn(
      'idle-slot-timeout',
      `idle_replication_slot_timeout=${seconds}s: an interrupted build must be resumed within it`,
      'alter system set idle_replication_slot_timeout = 0; select pg_reload_conf();',
    ),
  ];
}

/** The role should be able to do little: a config file with SQL in it is code when run by a superuser. */
export const checkSuperuser: Check = async ({ session, config }) => {
  const rows = await query(session, { doing: 'reading the role' }, 'select rolsuper from pg_roles where rolname = current_user');
  if (!isTrue(rows[0], 'rolsuper')) return [ok('superuser', `${config.user} is no superuser`)];
  return [
    warn('superuser', `${config.user} is a superuser`, 'Use a role of its own: create role realign login replication; plus select on the table.'),
  ];
};
