import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RunEvent } from '../../src/core/events.ts';
import { Failure } from '../../src/core/failure.ts';
import type { Sink } from '../../src/phases/sink-ports.ts';
import { assertNoLeaks } from '../support/leak-check.ts';
import { assertIndexEqualsTable } from '../support/oracle.ts';
import { deleteIndicesLike, elasticsearch, type FreshDatabase, freshDatabase, indicesLike } from '../support/servers.ts';
import { buildInProcess, type InProcessRun, uniqueAlias } from './in-process.ts';

let database: FreshDatabase;

before(async () => {
  database = await freshDatabase();
});

after(() => database.drop());

async function rejectedInState(alias: string): Promise<readonly string[]> {
  const [index = ''] = await indicesLike(`${alias}-*`);
  const { json } = await elasticsearch('GET', `/${index}/_mapping`);
  return json[index].mappings._meta.realign.rejectedIds;
}

/** Stops as a kill would: no checkpoint of the way out may help, so every later one is refused. */
function dying(error: Failure): { readonly wrapSink: (sink: Sink) => Sink; readonly death: Promise<never>; die(): never } {
  let dead = false;
  let end = (_: Failure): void => {};
  const death = new Promise<never>((_, reject) => {
    end = reject;
  });
  death.catch(() => {});
  return {
    death,
    wrapSink: (sink) => ({ ...sink, writeState: (index, state) => (dead ? Promise.reject(error) : sink.writeState(index, state)) }),
    die: () => {
      dead = true;
      end(error);
      throw error;
    },
  };
}

test('a row that the replay rejected is known to whoever resumes: it is written down before its change is acknowledged', async () => {
  const alias = uniqueAlias();
  await database.client.query(`create table t (id int primary key, v text); insert into t select g, '2024-01-01' from generate_series(1, 50) g`);
  const request = { database, alias, table: 'public.t', config: { fields: { v: { type: 'date' } } }, options: { maxRejects: 3 } };
  const death = dying(new Failure('interrupted', 'killed by the test'));
  let rejected = false;
  let inserted = false;
  const first = buildInProcess({
    ...request,
    wrapSink: death.wrapSink,
    onEvent: (event: RunEvent) => {
      if (event.type === 'rejected') rejected = true;
    },
    failpoint: async (name) => {
      if (name === 'catchup.applied' && !inserted) {
        inserted = true;
        await database.client.query(`insert into t values (100, 'poison'), (101, '2024-01-05'); update t set v = 'poison' where id = 7`);
      }
      // No further than here before it dies: a small table is verified and swapped between two acknowledgements.
      if (name === 'catchup.restored') await death.death;
      if (name !== 'replay.durable' || !rejected) return;
      assert.deepEqual((await rejectedInState(alias)).toSorted(), ['100', '7']);
      death.die();
    },
  });
  await assert.rejects(first, { kind: 'interrupted' });
  await database.client.query(`update t set v = '2024-01-08' where id = 7`);
  const second = await buildInProcess(request);
  assert.equal(second.result.verify?.rejected, 1);
  assert.deepEqual(second.rejects, [], 'written twice');
  await assertIndexEqualsTable({ client: database.client, table: 'public.t', where: "v <> 'poison'", index: second.result.index });
  assert.deepEqual(await rejectedInState(alias), ['100']);
  await assertNoLeaks({ database, indices: [`${alias}*`], allowedIndices: [second.result.index] });
  await deleteIndicesLike(`${alias}*`);
});

test('a key that changes all the time is read once a batch, and a filter costs no more reads than there are keys', async () => {
  const alias = uniqueAlias();
  await database.client.query(`create table hot (id int primary key, n int); insert into hot select g, 1 from generate_series(1, 50) g`);
  const asked: string[] = [];
  const run: InProcessRun = await buildInProcess({
    database,
    alias,
    table: 'public.hot',
    config: { where: 'n % 2 = 1' },
    wrapSource: (source) => ({
      ...source,
      createSlot: async (slot) => {
        const created = await source.createSlot(slot);
        if (!slot.temporary) {
          for (let i = 0; i < 300; i++) await database.client.query('update hot set n = n + 1 where id = 1');
          await database.client.query('update hot set n = 3 where id > 40');
        }
        return created;
      },
      lookup: (lookup) => {
        asked.push(...lookup.keys.map(([id]) => id ?? ''));
        return source.lookup(lookup);
      },
    }),
  });
  const hot = asked.filter((id) => id === '1').length;
  assert.ok(hot >= 1 && hot <= 30, `300 changes of one key were read ${hot} times`);
  await assertIndexEqualsTable({ client: database.client, table: 'public.hot', where: 'n % 2 = 1', index: run.result.index });
  await deleteIndicesLike(`${alias}*`);
});

test('a row of 50 MB goes alone, in load and replay, and takes nothing else with it', async () => {
  const alias = uniqueAlias();
  await database.client.query(`create table wide (id int primary key, body text, n int); alter table wide alter column body set storage external;
    insert into wide select g, 'small', g from generate_series(1, 100) g; insert into wide values (1000, repeat('0123456789', 5 * 1024 * 1024), 1)`);
  const run = await buildInProcess({
    database,
    alias,
    table: 'public.wide',
    config: { fields: { body: { type: 'keyword', index: false, doc_values: false } } },
    failpoint: async (name) => {
      if (name === 'load.finished') await database.client.query('update wide set n = 2 where id in (5, 1000)');
    },
  });
  assert.equal(run.result.verify?.differenceCount, 0);
  const { json } = await elasticsearch('GET', `/${run.result.index}/_doc/1000?_source_includes=n`);
  assert.equal(json._source.n, 2);
  assert.equal(Number((await elasticsearch('GET', `/${run.result.index}/_count`)).json.count), 101);
  await deleteIndicesLike(`${alias}*`);
});
