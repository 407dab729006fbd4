import type { SourceIdentity } from '../phases/ports.ts';
import { query, type Session, textOf } from './connect.ts';

/**
 * Which server, timeline and database this is. A version space of LSNs belongs to one of them (docs/servers.md P9). The timeline comes from
 * the current WAL file's name: the control file has the old one until the first checkpoint after a promotion.
 */
export async function readIdentity(session: Session): Promise<SourceIdentity> {
  const rows = await query(
    session,
    { doing: 'identifying the server' },
    `select (select system_identifier from pg_control_system())::text as system,
       case when pg_is_in_recovery() then (select timeline_id from pg_control_checkpoint())
         else ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int end::text as timeline,
       current_database() as database`,
  );
  return {
    systemIdentifier: textOf(rows[0], 'system'),
    timeline: Number(textOf(rows[0], 'timeline')),
    database: textOf(rows[0], 'database'),
    versionNumber: session.version,
  };
}
