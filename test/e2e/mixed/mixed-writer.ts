import type pg from 'pg';
import { connect } from '../../support/servers.ts';
import type { Writer } from '../writers.ts';
import { drawTransaction } from './change-sql.ts';
import type { Random, World } from './draw-world.ts';

/** Duplicate keys, deadlocks, rows that another transaction has moved to another partition or that have none any more are part of the game. */
const EXPECTED = ['23505', '40P01', '25P02', '40001', '23514'];
/** Between two transactions: writers that leave the server no time would measure nothing but their own backlog. */
const PAUSE_SECONDS = 0.05;

/** Writes drawn transactions until stopped, one of the first ones large. */
export function startMixedWriter(url: string, world: World, random: Random): Writer {
  let stopped = false;
  const work = async (): Promise<number> => {
    const client = await connect(url);
    const large = random(40);
    let commits = 0;
    try {
      for (let count = 0; !stopped; count++) {
        const committed = await transact(client, drawTransaction(world, random, count === large), random(8) > 0);
        if (committed) commits++;
        await client.query(`select pg_sleep(${PAUSE_SECONDS})`);
      }
    } finally {
      await client.end();
    }
    return commits;
  };
  const finished = work();
  finished.catch(() => {});
  return {
    stop: () => {
      stopped = true;
      return finished;
    },
  };
}

/** False if it was rolled back, by will or by one of the expected errors. */
export async function transact(client: pg.Client, statements: readonly string[], commit = true): Promise<boolean> {
  await client.query('begin');
  return finish(client, statements, commit);
}

/** The rest of an open transaction. */
export async function finish(client: pg.Client, statements: readonly string[], commit = true): Promise<boolean> {
  try {
    for (const statement of statements) await client.query(statement);
    await client.query(commit ? 'commit' : 'rollback');
    return commit;
  } catch (error) {
    await client.query('rollback');
    if (EXPECTED.includes((error as { code?: string }).code ?? '')) return false;
    throw error;
  }
}
