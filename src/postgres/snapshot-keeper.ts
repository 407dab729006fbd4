import { isVisible } from '../core/wal/snapshot.ts';
import { connect, endSession, type PostgresConfig, query, textOf } from './connect.ts';
import type { SessionPool } from './session-pool.ts';
import { beginUnder, endTransaction, readSnapshot } from './snapshot-transaction.ts';

export interface KeptSnapshot {
  readonly snapshotName: string;
  release(): Promise<void>;
}

/** Holds a snapshot in a session of its own and exports it again: the new name lives on when the first exporter has gone (docs/servers.md P3). */
export async function keepSnapshot(config: PostgresConfig, snapshotName: string | null): Promise<KeptSnapshot> {
  const session = await connect(config, { replication: false });
  try {
    await beginUnder(session, snapshotName);
    const rows = await query(session, { doing: 'exporting the snapshot' }, 'select pg_export_snapshot() as name');
    return { snapshotName: textOf(rows[0], 'name'), release: () => endSession(session) };
  } catch (error) {
    await endSession(session);
    throw error;
  }
}

/**
 * The transactions that the exported snapshot sees as committed and a fresh snapshot does not see yet: in the WAL, but still waiting, e.g. for a
 * synchronous standby. Only those between the fresh one's list and the exported one's xmax can be.
 */
export async function notYetVisible(pool: SessionPool, snapshotName: string): Promise<readonly bigint[]> {
  const exported = await pool.use(async (session) => {
    await beginUnder(session, snapshotName);
    const snapshot = await readSnapshot(session);
    await endTransaction(session);
    return snapshot;
  });
  const fresh = await pool.use(readSnapshot);
  const candidates = [...fresh.inProgress];
  for (let xid = fresh.xmax; xid < exported.xmax; xid++) candidates.push(xid);
  return candidates.filter((xid) => isVisible(exported, xid)).sort((a, b) => (a < b ? -1 : 1));
}
