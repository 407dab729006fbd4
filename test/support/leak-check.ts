import assert from 'node:assert/strict';
import type { FreshDatabase } from './servers.ts';
import { indicesLike } from './servers.ts';
import { waitFor } from './wait-for.ts';

export interface LeakCheck {
  readonly database: FreshDatabase;
  /** The test's own index name patterns, e.g. `products_ab12*`. */
  readonly indices: readonly string[];
  /** What may stay: the generations that a finished rebuild serves and keeps. */
  readonly allowedIndices?: readonly string[];
}

const SLOTS = `select slot_name as name from pg_replication_slots where database = current_database()`;
const PUBLICATIONS = 'select pubname as name from pg_publication';
const SESSIONS = `select pid || ' ' || application_name || ' ' || state as name from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and backend_type in ('client backend', 'walsender')`;
const PREPARED = 'select gid as name from pg_prepared_xacts where database = current_database()';

/**
 * Everything left in the test's database (slots, publications, sessions, prepared transactions) and under its index names. Sessions get a moment:
 * the server notices a closed connection a little later than the client.
 */
async function leaks(check: LeakCheck): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [kind, sql] of Object.entries({ slot: SLOTS, publication: PUBLICATIONS, session: SESSIONS, prepared: PREPARED })) {
    const { rows } = await check.database.client.query<{ name: string }>(sql);
    found.push(...rows.map(({ name }) => `${kind} ${name}`));
  }
  const allowed = new Set(check.allowedIndices ?? []);
  for (const pattern of check.indices) {
    const indices = await indicesLike(pattern);
    found.push(...indices.filter((index) => !allowed.has(index)).map((index) => `index ${index}`));
  }
  return found;
}

/** Fails if anything is still there after a few seconds. */
export async function assertNoLeaks(check: LeakCheck): Promise<void> {
  let last: readonly string[] = [];
  const clean = async (): Promise<boolean> => {
    last = await leaks(check);
    return last.length === 0;
  };
  await waitFor('no leaks', clean, 5000).catch(() => undefined);
  assert.deepEqual(last, [], 'left behind on the servers');
}
