import type { PgSnapshot } from '../core/wal/snapshot.ts';
import { parseSnapshot } from '../core/wal/snapshot.ts';
import { query, type Session, textOf } from './connect.ts';
import { quoteLiteral } from './quote.ts';

/**
 * Two SQLSTATEs for one fact (docs/servers.md P3): the exporter of the snapshot is gone. Another snapshot would belong to another slot position,
 * so the step that made the snapshot starts over.
 */
const SNAPSHOT_GONE = { '22023': 'connection-lost', '42704': 'connection-lost' } as const;

/** Begins a read-only transaction that sees one snapshot: the exported one of that name, or a fresh one if null. */
export async function beginUnder(session: Session, snapshotName: string | null): Promise<void> {
  await query(session, { doing: 'beginning a read-only transaction' }, 'begin isolation level repeatable read read only');
  if (snapshotName === null) return;
  await query(
    session,
    { doing: 'importing the exported snapshot', overrides: SNAPSHOT_GONE },
    `set transaction snapshot ${quoteLiteral(snapshotName)}`,
  );
}

/** Ends a read-only transaction. */
export async function endTransaction(session: Session): Promise<void> {
  await query(session, { doing: 'ending a read-only transaction' }, 'commit');
}

/** `pg_current_snapshot()` of the running transaction, or a fresh one outside of it. */
export async function readSnapshot(session: Session): Promise<PgSnapshot> {
  const rows = await query(session, { doing: 'reading the snapshot' }, 'select pg_current_snapshot()::text as snapshot');
  return parseSnapshot(textOf(rows[0], 'snapshot'));
}
