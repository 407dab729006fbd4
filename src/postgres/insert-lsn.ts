import { Failure } from '../core/failure.ts';
import { parseLsn } from '../core/lsn.ts';
import { query, type Session, textOf } from './connect.ts';

/**
 * The insert position, not the flush position: others' commits may be in the WAL and not yet flushed (docs/servers.md P26). A server in recovery has none and
 * refuses the function with 55000 (P33), so it is not asked there; throws `connection-lost` (`inRecovery`).
 */
export async function readInsertLsn(session: Session): Promise<bigint> {
  const rows = await query(
    session,
    { doing: 'reading the WAL insert position' },
    'select case when not pg_is_in_recovery() then pg_current_wal_insert_lsn() end::text as lsn',
  );
  if (rows[0]?.lsn === null) throw inRecovery('reading the WAL insert position');
  return parseLsn(textOf(rows[0], 'lsn'));
}

/**
 * The address leads to a server in recovery: a standby, which a failover may promote in a moment. Until then it is a server that is away; afterwards its timeline
 * and its missing slot are told.
 */
export function inRecovery(doing: string, cause?: unknown): Failure {
  return new Failure('connection-lost', `${doing} failed: the server is in recovery`, {
    hint: 'It is a standby, or restores a backup: connect to the primary, or wait until it is promoted; then run the same command again.',
    cause,
  });
}
