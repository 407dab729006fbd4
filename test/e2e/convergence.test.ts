import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertNoLeaks } from '../support/leak-check.ts';
import { assertIndexEqualsTable } from '../support/oracle.ts';
import { deleteIndicesLike, type FreshDatabase, freshDatabase } from '../support/servers.ts';
import { buildInProcess, uniqueAlias } from './in-process.ts';
import { seedRows, startWriter, WORKLOAD_SCHEMA } from './writers.ts';

/** `SEED=n` repeats one round, `ROUNDS=n` runs more of them. */
const rounds = Number(process.env.ROUNDS ?? 3);
const firstSeed = Number(process.env.SEED ?? Date.now() % 1_000_000);
const ROWS = Number(process.env.ROWS ?? 20_000);
const RATE = Number(process.env.RATE ?? 4000);

let database: FreshDatabase;

before(async () => {
  database = await freshDatabase();
});

after(() => database.drop());

for (let round = 0; round < rounds; round++) {
  const seed = firstSeed + round;
  test(`20,000 rows loaded under four writers equal the table (seed ${seed})`, async () => {
    const alias = uniqueAlias();
    await database.client.query(`drop table if exists things; ${WORKLOAD_SCHEMA}`);
    await database.client.query(seedRows(ROWS));
    const writers = [0, 1, 2, 3].map((n) => startWriter(database.url, seed * 4 + n, ROWS + 500));
    let commits = 0;
    try {
      const run = await buildInProcess({
        database,
        alias,
        table: 'public.things',
        options: { rate: RATE, chunkBlocks: 64 },
        // They write through load, catch-up, verification and up to the swap; the drain behind it must bring the rest.
        wrapSink: (sink) => ({
          ...sink,
          swap: async (request) => {
            const outcome = await sink.swap(request);
            commits = (await Promise.all(writers.map((writer) => writer.stop()))).reduce((sum, count) => sum + count, 0);
            return outcome;
          },
        }),
      });
      assert.equal(run.result.verify?.differenceCount, 0);
      assert.ok(commits > 100, `only ${commits} transactions were written`);
      await assertIndexEqualsTable({ client: database.client, table: 'public.things', index: run.result.index });
      await assertNoLeaks({ database, indices: [`${alias}*`], allowedIndices: [run.result.index] });
    } finally {
      await Promise.allSettled(writers.map((writer) => writer.stop()));
      await deleteIndicesLike(`${alias}*`);
    }
  });
}
