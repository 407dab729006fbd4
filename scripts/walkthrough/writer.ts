import { setTimeout as pause } from 'node:timers/promises';
import { connect } from './servers.ts';

export interface WriterCounts {
  inserts: number;
  updates: number;
  deletes: number;
  keyChanges: number;
  transactions: number;
}

export interface Writer {
  readonly counts: Readonly<WriterCounts>;
  /** Ends after the transaction in hand; throws what went wrong in the background. */
  stop(): Promise<void>;
}

const TRANSACTIONS_PER_SECOND = 40;

/** Each row of this table is one statement of every transaction; `$1` is a random id, so that now and then a statement finds no row. */
const STATEMENTS: readonly { readonly counts: keyof WriterCounts; readonly sql: string }[] = [
  {
    counts: 'inserts',
    sql: `insert into places (name, codes, region, latitude, longitude, position, spot, added, updated)
      select name || ' (new)', codes, region, latitude, longitude, position, spot, now(), now() from places where id = $1`,
  },
  { counts: 'updates', sql: 'update places set visits = visits + 1, updated = clock_timestamp() where id between $1 and $1 + 4' },
  { counts: 'updates', sql: `update places set region = region || '{"seen": true}', codes = array_append(codes, 'seen') where id = $1` },
  { counts: 'deletes', sql: 'delete from places where id = $1' },
  { counts: 'keyChanges', sql: 'update places set id = -id where id = $1' },
];

/** A small shop's traffic: a few hundred row changes a second in short transactions, until stopped. */
export async function startWriter(rows: number): Promise<Writer> {
  const client = await connect('demo-writer');
  const counts: WriterCounts = { inserts: 0, updates: 0, deletes: 0, keyChanges: 0, transactions: 0 };
  let running = true;
  const write = async (): Promise<void> => {
    await client.query('begin');
    for (const statement of STATEMENTS) {
      const id = Math.ceil(Math.random() * rows);
      counts[statement.counts] += (await client.query(statement.sql, [id])).rowCount ?? 0;
    }
    await client.query('commit');
    counts.transactions += 1;
  };
  const work = (async (): Promise<void> => {
    try {
      while (running) await Promise.all([write(), pause(1000 / TRANSACTIONS_PER_SECOND)]);
    } finally {
      await client.end();
    }
  })();
  work.catch(() => undefined);
  const stop = (): Promise<void> => {
    running = false;
    return work;
  };
  return { counts, stop };
}
