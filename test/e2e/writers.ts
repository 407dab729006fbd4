import type pg from 'pg';
import { connect } from '../support/servers.ts';

/** A small seeded generator (mulberry32): the same seed writes the same statements. */
export function randomOf(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

export const WORKLOAD_SCHEMA = `
  create table things (id int primary key, name text, n numeric(12,3), body text, tags text[], doc jsonb, at timestamptz);
  alter table things alter column body set storage external;`;

/** Rows of about 700 bytes; every seventh has a TOASTed body. */
export function seedRows(count: number): string {
  return `insert into things select g, 'name ' || g, g * 1.001, case when g % 7 = 0 then repeat(md5(g::text), 80) else repeat(md5(g::text), 15) end,
    array['a' || g % 10, null, 'b"\\' || g], jsonb_build_object('k', g, 'deep', jsonb_build_object('x', g * 0.1)), timestamptz '2024-01-01 00:00:00+00' + g * interval '1 minute'
    from generate_series(1, ${count}) g`;
}

export interface Writer {
  /** Ends after the transaction at hand; rejects if the writer broke. */
  stop(): Promise<number>;
}

export interface RunningWriter extends Writer {
  /** Resolves when it was stopped; rejects if the writer broke. */
  readonly ended: Promise<number>;
}

/**
 * Writes random transactions over keys `[1, keys]` until stopped: inserts, updates, deletes, re-inserts, key changes and swaps, TOAST updates, several changes of one key in
 * one transaction, savepoints, rollbacks, and now and then a long one.
 */
export function startWriter(url: string, seed: number, keys: number, committed: () => void = () => {}): RunningWriter {
  const random = randomOf(seed);
  let stopped = false;
  let commits = 0;
  const work = async (): Promise<number> => {
    const client = await connect(url);
    try {
      while (!stopped) {
        const count = await writeTransaction(client, random, keys);
        if (count > 0) committed();
        commits += count;
      }
    } finally {
      await client.end();
    }
    return commits;
  };
  const finished = work();
  finished.catch(() => {});
  return {
    ended: finished,
    stop: () => {
      stopped = true;
      return finished;
    },
  };
}

async function writeTransaction(client: pg.Client, random: (below: number) => number, keys: number): Promise<number> {
  try {
    await client.query('begin');
    for (let i = 1 + random(5); i > 0; i--) await change(client, random, keys);
    if (random(25) === 0) await client.query(`select pg_sleep(${(20 + random(150)) / 1000})`);
    if (random(8) === 0) {
      await client.query('rollback');
      return 0;
    }
    await client.query('commit');
    return 1;
  } catch (error) {
    await client.query('rollback');
    // Duplicate keys and deadlocks are part of the game.
    if (['23505', '40P01', '25P02'].includes((error as { code?: string }).code ?? '')) return 0;
    throw error;
  }
}

async function change(client: pg.Client, random: (below: number) => number, keys: number): Promise<void> {
  const id = 1 + random(keys);
  const other = 1 + random(keys);
  switch (random(9)) {
    case 0:
    case 1:
      await client.query('update things set name = $2, n = n + 1 where id = $1', [id, `u${random(1e9)}`]);
      return;
    case 2:
      await client.query(`update things set body = repeat($2, $3) where id = $1`, [id, `x${random(1e6)} `, 1 + random(600)]);
      return;
    case 3:
      await client.query('delete from things where id = $1', [id]);
      return;
    case 4:
      await client.query(
        `insert into things values ($1, $2, $3, repeat('q', $4), array['n'], '{"new": true}', now()) on conflict (id) do update set name = excluded.name`,
        [id, `n${random(1e9)}`, random(1e6), 10 + random(3000)],
      );
      return;
    case 5:
      await client.query('update things set id = $2 where id = $1', [id, other]);
      return;
    case 6:
      // A swap of two keys by way of a third.
      await client.query('update things set id = -$1::int where id = $1', [id]);
      await client.query('update things set id = $1 where id = $2', [id, other]);
      await client.query('update things set id = $2 where id = -$1::int', [id, other]);
      return;
    case 7:
      await client.query('delete from things where id = $1', [id]);
      await client.query(`insert into things (id, name, n) values ($1, 'again', 1)`, [id]);
      await client.query('update things set tags = null where id = $1', [id]);
      return;
    default:
      await client.query('savepoint s');
      await client.query('update things set doc = null where id = $1', [id]);
      await client.query(random(2) === 0 ? 'rollback to savepoint s' : 'release savepoint s');
  }
}
