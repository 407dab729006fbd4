import { createHash } from 'node:crypto';
import type { SourceLock } from '../phases/ports.ts';
import { connect, endSession, isTrue, type PostgresConfig, query } from './connect.ts';

/** Tries the advisory lock of an alias on a session of its own; null if somebody else holds it. The lock goes with the session. */
export async function tryLock(config: PostgresConfig, alias: string): Promise<SourceLock | null> {
  const session = await connect(config, { replication: false });
  try {
    const rows = await query(session, { doing: 'locking the alias' }, 'select pg_try_advisory_lock($1::int8) as locked', [
      lockNumber(alias).toString(),
    ]);
    if (isTrue(rows[0], 'locked')) return { release: () => endSession(session) };
  } catch (error) {
    await endSession(session);
    throw error;
  }
  await endSession(session);
  return null;
}

/** Advisory locks are numbers: the first 64 bits of a hash. A collision would only refuse a build that could have run. */
export function lockNumber(alias: string): bigint {
  return createHash('sha256').update(`realign alias ${alias}`).digest().readBigInt64BE(0);
}
