import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Failure } from '../../src/core/failure.ts';
import type { Sink } from '../../src/phases/sink-ports.ts';
import { assertNoLeaks } from '../support/leak-check.ts';
import { assertIndexEqualsTable } from '../support/oracle.ts';
import { deleteIndicesLike, type FreshDatabase, freshDatabase } from '../support/servers.ts';
import { waitFor } from '../support/wait-for.ts';
import { expireTombstones, interceptBulks } from './bulk-inspection.ts';
import { buildInProcess, type InProcessBuild, type InProcessRun, uniqueAlias } from './in-process.ts';
import { assertPlaces, ordersSchema, ROUTED, startOrdersWriter } from './routing-world.ts';

const ROWS = 2000;
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
let database: FreshDatabase;
const alias = uniqueAlias();

before(async () => {
  database = await freshDatabase();
});

after(async () => {
  await assertNoLeaks({ database, indices: [] });
  await deleteIndicesLike(`${alias}*`);
  await database.drop();
});

const fill = (rows: number) => database.client.query(`drop table if exists orders; ${ordersSchema(rows)}`);

const build = (more: Partial<InProcessBuild> = {}): Promise<InProcessRun> =>
  buildInProcess({ database, alias, table: 'public.orders', config: ROUTED, ...more });

async function assertEqual(index: string): Promise<void> {
  await assertPlaces(database.client, index);
  const idOf = ([tenant, id]: readonly string[]) => `${tenant}:${id}`;
  await assertIndexEqualsTable({ client: database.client, table: 'public.orders', index, idOf });
}

test(`one document a row, in the shard of its row, under writers that move rows to other shards (seed ${seed})`, async () => {
  await fill(ROWS);
  const writers = [0, 1].map((n) => startOrdersWriter(database.url, seed * 2 + n, ROWS + 200));
  let commits = 0;
  try {
    const run = await build({
      options: { rate: 1000, chunkBlocks: 16 },
      // They write through load, catch-up, verification and swap; the drain behind it must bring the rest.
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
    await assertEqual(run.result.index);
  } finally {
    await Promise.allSettled(writers.map((writer) => writer.stop()));
  }
});

/** A row leaves its shard between its chunk's read and its chunk's write, the delete is applied there and forgotten, and only then the chunk is written. */
function moveBetweenReadAndWrite(sink: Sink): Sink {
  let index = '';
  let deleted = false;
  let held = false;
  const intercepted = interceptBulks(sink, {
    before: async (operations) => {
      if (held || !operations.some(({ kind, id }) => kind === 'index' && id === '6:5')) return;
      held = true;
      await database.client.query('update orders set tenant_id = 7 where id = 5');
      await waitFor('the delete to be applied', () => deleted);
      await expireTombstones(index, '6');
    },
    after: async (operations) => {
      const old = operations.find(({ kind, id }) => kind === 'delete' && id === '6:5');
      if (old === undefined) return;
      assert.equal(old.routing, '6');
      deleted = true;
    },
  });
  return {
    ...intercepted,
    createIndex: (request) => {
      index = request.index;
      return sink.createIndex(request);
    },
  };
}

test('R3: a row moved to another shard between read and write does not come back in the old one, though Elasticsearch forgot its delete', async () => {
  await fill(20);
  const run = await build({ wrapSink: moveBetweenReadAndWrite });
  await assertEqual(run.result.index);
});

test('transactions applied in parts and resolved by lookup keep to the shards as well', async () => {
  await fill(500);
  const during = (sink: Sink): Sink => ({
    ...sink,
    restoreSettings: async (...request) => {
      await database.client.query(
        `begin; update orders set tenant_id = 1 + (tenant_id + id) % 9; update orders set name = 'later' where id % 7 = 0; delete from orders where id % 5 = 0; commit`,
      );
      await sink.restoreSettings(...request);
    },
  });
  const run = await build({ options: { transactionBytes: 1 << 14 }, wrapSink: during });
  await assertEqual(run.result.index);
});

test('a build is not resumed with another routing, and goes on with its own', async () => {
  await fill(50);
  const broken = build({
    failpoint: async (name) => {
      if (name === 'load.finished') throw new Failure('stalled', 'stopped by the test');
    },
  });
  await assert.rejects(broken, (error) => error instanceof Failure && error.kind === 'stalled');
  for (const routing of ['id', null]) {
    const other = build({ config: { ...ROUTED, routing } });
    await assert.rejects(other, (error) => error instanceof Failure && error.kind === 'plan-changed');
  }
  const run = await build();
  assert.equal(run.events.find((event) => event.type === 'build.started')?.resumed, true);
  await assertEqual(run.result.index);
});
