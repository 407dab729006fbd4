import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Failure } from '../../src/core/failure.ts';
import { parseLsn } from '../../src/core/lsn.ts';
import type { PgSnapshot } from '../../src/core/wal/snapshot.ts';
import type { Sink } from '../../src/phases/sink-ports.ts';
import { assertNoLeaks } from '../support/leak-check.ts';
import { assertIndexEqualsTable } from '../support/oracle.ts';
import { deleteIndicesLike, elasticsearch, type FreshDatabase, freshDatabase, indicesLike } from '../support/servers.ts';
import { waitFor } from '../support/wait-for.ts';
import { interceptBulks } from './bulk-inspection.ts';
import { buildInProcess, type InProcessRun, uniqueAlias } from './in-process.ts';
import { wrapStream } from './wrapped.ts';

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

async function insertLsn(): Promise<bigint> {
  const { rows } = await database.client.query<{ lsn: string }>('select pg_current_wal_insert_lsn()::text as lsn');
  return parseLsn(rows[0]?.lsn ?? '');
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
  let committed = 0n;
  const first = buildInProcess({
    ...request,
    wrapSink: death.wrapSink,
    failpoint: async (name) => {
      if (name === 'catchup.applied' && committed === 0n) {
        await database.client.query(`insert into t values (100, 'poison'), (101, '2024-01-05'); update t set v = 'poison' where id = 7`);
        committed = await insertLsn();
      }
      // No further than here before it dies: a small table is verified and swapped between two acknowledgements.
      if (name === 'catchup.restored') await death.death;
    },
    wrapSource: (source) => ({
      ...source,
      openStream: async (opened) => {
        const stream = await source.openStream(opened);
        return wrapStream(stream, {
          acknowledge: (lsn) => {
            if (committed !== 0n && lsn >= committed) death.die();
            stream.acknowledge(lsn);
          },
        });
      },
    }),
  });
  await assert.rejects(first, { kind: 'interrupted' });
  assert.deepEqual((await rejectedInState(alias)).toSorted(), ['100', '7']);
  await database.client.query(`update t set v = '2024-01-08' where id = 7`);
  const second = await buildInProcess(request);
  assert.equal(second.result.verify?.rejected, 1);
  assert.deepEqual(second.rejects, [], 'written twice');
  await assertIndexEqualsTable({ client: database.client, table: 'public.t', where: "v <> 'poison'", index: second.result.index });
  assert.deepEqual(await rejectedInState(alias), ['100']);
  await assertNoLeaks({ database, indices: [`${alias}*`], allowedIndices: [second.result.index] });
  await deleteIndicesLike(`${alias}*`);
});

test('a row that the load rejects after the replay has mended or deleted it is no reject', async () => {
  const alias = uniqueAlias();
  await database.client.query(
    `create table late (id int primary key, v text); insert into late select g, case when g in (7, 8, 9) then 'poison' else '2024-01-01' end from generate_series(1, 50) g`,
  );
  const overtaken = new Set<string>();
  let held = false;
  const run = await buildInProcess({
    database,
    alias,
    table: 'public.late',
    config: { fields: { v: { type: 'date' } } },
    options: { maxRejects: 3 },
    wrapSink: (sink) =>
      interceptBulks(sink, {
        before: async (operations) => {
          if (held || !operations.some(({ id }) => id === '7')) return;
          held = true;
          await database.client.query(`update late set v = '2024-01-07' where id = 7; delete from late where id = 8`);
          await waitFor('the replay to overtake the load', () => overtaken.has('7') && overtaken.has('8'));
        },
        after: async (operations) => {
          if (operations.length < 10) for (const { id } of operations) overtaken.add(id);
        },
      }),
  });
  assert.equal(run.result.verify?.rejected, 1);
  assert.deepEqual(await rejectedInState(alias), ['9']);
  await assertIndexEqualsTable({ client: database.client, table: 'public.late', where: "v <> 'poison'", index: run.result.index });
  await deleteIndicesLike(`${alias}*`);
});

test('a row that was rejected while its commit is not visible yet (synchronous standby) stays on the list', async () => {
  const alias = uniqueAlias();
  await database.client.query(
    `create table hidden (id int primary key, v text); insert into hidden select g, '2024-01-01' from generate_series(1, 20) g`,
  );
  let hidden: bigint | null = null;
  let rejected = false;
  let asked = 0;
  const without = (snapshot: PgSnapshot): PgSnapshot =>
    hidden === null ? snapshot : { ...snapshot, inProgress: new Set([...snapshot.inProgress, hidden]) };
  const run = await buildInProcess({
    database,
    alias,
    table: 'public.hidden',
    config: { fields: { v: { type: 'date' } } },
    options: { maxRejects: 1 },
    onEvent: (event) => {
      if (event.type === 'rejected') rejected = true;
    },
    failpoint: async (name) => {
      if (name !== 'catchup.applied') return;
      const { rows } = await database.client.query(`insert into hidden values (99, 'poison') returning pg_current_xact_id()::text as xid`);
      hidden = BigInt(rows[0].xid);
      await waitFor('the row to be rejected', () => rejected);
    },
    wrapSource: (source) => ({
      ...source,
      currentSnapshot: async () => without(await source.currentSnapshot()),
      lookup: async (request) => {
        const { snapshot, rows } = await source.lookup(request);
        if (hidden === null) return { snapshot, rows };
        const early = { snapshot: without(snapshot), rows: [] };
        if (++asked === 3) hidden = null;
        return early;
      },
    }),
  });
  assert.equal(asked, 3);
  assert.equal(run.result.verify?.rejected, 1);
  assert.deepEqual(await rejectedInState(alias), ['99']);
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
