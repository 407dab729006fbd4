import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { assertIndexEqualsTable } from '../support/oracle.ts';
import { type RealignRun, runRealign } from '../support/run-realign.ts';
import { connect, deleteIndicesLike, elasticsearch } from '../support/servers.ts';
import { waitFor } from '../support/wait-for.ts';
import { type CommandWorld, commandWorld, movesAlias, onceBefore } from './command-world.ts';
import type { ProxiedCall } from './elasticsearch-proxy.ts';

/** Logs every statement that makes a publication or changes a table, whoever runs it and whatever is dropped later. */
const WATCH = `
  create table ddl_log (tag text);
  create function log_ddl() returns event_trigger language plpgsql as $$ begin insert into public.ddl_log values (tg_tag); end $$;
  create event trigger log_ddl on ddl_command_end when tag in ('CREATE PUBLICATION', 'ALTER PUBLICATION', 'ALTER TABLE') execute function log_ddl()`;

const REFUSED: readonly (readonly [what: string, sql: string])[] = [
  ['without a primary key', 'create table goods (id int, name text)'],
  ['with a deferrable primary key', 'create table goods (id int, name text, primary key (id) deferrable initially deferred)'],
  ['with REPLICA IDENTITY NOTHING', 'create table goods (id int primary key, name text); alter table goods replica identity nothing'],
  [
    'with REPLICA IDENTITY USING INDEX over another key',
    'create table goods (id int primary key, name text not null unique); alter table goods replica identity using index goods_name_key',
  ],
  ['that is unlogged', 'create unlogged table goods (id int primary key, name text)'],
  ['that is a view', 'create table base (id int primary key, name text); create view goods as select * from base'],
  ['that is a materialized view', `create table base (id int primary key, name text); create materialized view goods as select * from base`],
];

let world: CommandWorld;

before(async () => {
  world = await commandWorld('public.goods', WATCH);
});

beforeEach(async () => {
  await deleteIndicesLike(`${world.alias}*`);
  await world.database.client.query(`drop table if exists base cascade`);
  await world.database.client.query('drop table if exists goods cascade');
});

afterEach(() => {
  world.proxy.hooks = {};
});

after(() => world.dispose());

const goods = (rows: number): Promise<unknown> =>
  world.database.client.query(
    `create table goods (id int primary key, name text); insert into goods select i, 'name ' || i from generate_series(1, ${rows}) i`,
  );

for (const [what, sql] of REFUSED) {
  test(`a table ${what} is refused (20) before any publication exists, and UPDATE and DELETE go on`, async () => {
    const { client } = world.database;
    await client.query(`${sql}; truncate ddl_log`);
    const materialized = what.includes('materialized');
    if (!materialized) await client.query(`insert into goods values (1, 'one'), (2, 'two')`);
    const { code, events } = await world.rebuild();
    assert.equal(code, 20);
    assert.equal(
      events.some(({ type }) => type === 'build.started'),
      false,
    );
    assert.deepEqual((await client.query('select tag from ddl_log')).rows, []);
    await world.assertLeft([]);
    if (materialized) return;
    assert.equal((await client.query(`update goods set name = 'uno' where id = 1`)).rowCount, 1);
    assert.equal((await client.query('delete from goods where id = 2')).rowCount, 1);
  });
}

test('the table itself is never altered: a whole build makes one publication, and nothing is left after it', async () => {
  await goods(500);
  await world.database.client.query('truncate ddl_log');
  assert.equal((await world.rebuild()).code, 0);
  assert.deepEqual((await world.database.client.query('select tag from ddl_log')).rows, [{ tag: 'CREATE PUBLICATION' }]);
  await world.assertServed();
});

test('a failed build (24) leaves neither slot nor publication, and its index until abort', async () => {
  await goods(500);
  world.proxy.hooks = {
    before: onceBefore(
      ({ path }) => path.includes('_bulk'),
      async () => void (await world.database.client.query('alter table goods add column x int')),
    ),
  };
  assert.equal((await world.rebuild()).code, 24);
  const kept = await world.indices();
  assert.equal(kept.length, 1);
  await world.assertLeft(kept);
  assert.equal((await world.abort()).code, 0);
  await world.assertLeft([]);
});

/** Ends the run with SIGKILL at the first event that is `phase.started` of this phase. */
async function killIn(run: RealignRun, phase: string): Promise<void> {
  await run.event(`the phase ${phase}`, (event) => event.type === 'phase.started' && event.phase === phase);
  run.kill('SIGKILL');
  assert.equal((await run.ended).signal, 'SIGKILL', `it ended before it was killed in ${phase}`);
}

/** The server has noticed that the killed program is no more. */
async function clientIsGone(): Promise<void> {
  const sessions = `select 1 from pg_stat_activity where datname = current_database() and application_name like 'realign %'`;
  await waitFor('the dead client to be noticed', async () => (await world.database.client.query(sessions)).rows.length === 0);
}

function killAtSwap(run: RealignRun, call: ProxiedCall): 'cut' | undefined {
  if (!movesAlias(call)) return undefined;
  run.kill('SIGKILL');
  return 'cut';
}

async function killedBehindTheSwap(): Promise<void> {
  const killed = world.start();
  world.proxy.hooks = { after: (call) => killAtSwap(killed, call) };
  await killed.ended;
  world.proxy.hooks = {};
}

for (const phase of ['slot', 'index', 'load', 'catchup', 'verify', 'swap', 'cleanup']) {
  test(`abort after SIGKILL in ${phase} leaves nothing but what is served`, async () => {
    await goods(500);
    await killIn(world.start(), phase);
    const aborted = await world.abort();
    assert.equal(aborted.code, 0, aborted.stderr);
    const served = await world.served();
    assert.equal(served.length > 0, phase === 'cleanup' || (phase === 'swap' && served.length > 0));
    await world.assertLeft(served);
  });
}

/** The flags that bring a build into this phase and keep it there. */
const STAYING = { hold: '--hold', follow: '--follow' } as const;

for (const [phase, flag] of Object.entries(STAYING)) {
  const killed = async (): Promise<void> => {
    await goods(500);
    await killIn(world.start(flag), phase);
    await clientIsGone();
  };

  test(`abort after SIGKILL in ${phase} leaves nothing but what is served`, async () => {
    await killed();
    const aborted = await world.abort();
    assert.equal(aborted.code, 0, aborted.stderr);
    const served = await world.served();
    assert.equal(served.length, phase === 'follow' ? 1 : 0);
    await world.assertLeft(served);
  });

  test(`SIGKILL in ${phase}: the same command goes on, with what was changed meanwhile`, async () => {
    await killed();
    await world.database.client.query(`update goods set name = 'meanwhile' where id % 7 = 0; delete from goods where id % 11 = 0`);
    const again = world.start(flag);
    await again.event(`the phase ${phase}`, (event) => event.type === 'phase.started' && event.phase === phase);
    if (phase === 'hold') {
      assert.equal((await runRealign(world.request('ctl', 'swap-now'))).code, 0);
      const { code, events, stderr } = await again.ended;
      assert.equal(code, 0, stderr);
      assert.equal(events.find(({ type }) => type === 'build.started')?.resumed, true);
      return await world.assertServed();
    }
    const [index = ''] = await world.served();
    await waitFor('what was changed', async () => {
      await elasticsearch('POST', `/${index}/_refresh`);
      return (await elasticsearch('GET', `/${index}/_count`)).json.count === 455;
    });
    await assertIndexEqualsTable({ client: world.database.client, table: 'goods', index });
    assert.equal((await runRealign(world.request('ctl', 'stop'))).code, 0);
    await again.ended;
    assert.equal((await world.abort()).code, 0);
    await world.assertServed();
  });
}

test('abort may run twice, with nothing to remove, and the next run is a new build', async () => {
  await goods(500);
  await killIn(world.start(), 'catchup');
  for (let i = 0; i < 2; i++) assert.equal((await world.abort()).code, 0);
  await world.database.client.query(`update goods set name = 'x' where id = 1; delete from goods where id = 2`);
  const { code, stderr, events } = await world.rebuild();
  assert.equal(code, 0, stderr);
  assert.equal(events.find(({ type }) => type === 'build.started')?.resumed, false);
  await world.assertServed();
});

test('SIGKILL while the slot waits for an open transaction: abort leaves no slot, also not when that transaction ends', async () => {
  await goods(500);
  const blocker = await connect(world.database.url);
  await blocker.query(`begin; update goods set name = 'held' where id = 1`);
  const killed = world.start();
  await waitFor('the creation to wait', async () => {
    const { rows } = await world.database.client.query(
      `select 1 from pg_locks l join pg_stat_activity a using (pid) where a.datname = current_database() and a.backend_type = 'walsender' and not l.granted`,
    );
    return rows.length > 0;
  });
  killed.kill('SIGKILL');
  await killed.ended;
  const aborted = await world.abort();
  assert.equal(aborted.code, 0, aborted.stderr);
  await blocker.query('commit');
  await blocker.end();
  await world.assertLeft([]);
});

test('SIGKILL between the answer to the swap and the clean-up, then abort: the index stays served and loses its build alias', async () => {
  await goods(500);
  await killedBehindTheSwap();
  assert.equal((await world.abort()).code, 0);
  await world.assertServed();
  const next = await world.rebuild();
  assert.deepEqual([next.code, next.events.find(({ type }) => type === 'build.started')?.resumed], [0, false]);
  await world.assertServed(await world.indices());
});

test('SIGKILL after the swap, and the slot has grown beyond --max-slot-wal: it is dropped (26), the next run says what is missing (24), --fresh builds anew', async () => {
  await goods(500);
  await killedBehindTheSwap();
  await clientIsGone();
  const { client } = world.database;
  await client.query(`create table noise as select repeat(md5(g::text), 50) as v from generate_series(1, 5000) g; drop table noise`);
  await client.query(`update goods set name = 'late' where id = 1`);
  // Nothing is drained before the watch has looked.
  world.proxy.hooks = { before: async ({ path }) => (path.includes('_bulk') ? 'cut' : undefined) };
  const stopped = await world.rebuild('--max-slot-wal', '1MiB');
  world.proxy.hooks = {};
  assert.equal(stopped.code, 26, stopped.stderr + stopped.stdout.slice(-1500));
  const error = stopped.events.find(({ type }) => type === 'error');
  assert.match(String(error?.unchanged), /swap is done.*dropped/);
  assert.match(JSON.stringify(error?.next), /--fresh/);
  await world.assertLeft(await world.served());
  assert.equal((await world.rebuild()).code, 24);
  assert.equal((await world.rebuild('--fresh')).code, 0);
  await world.assertServed(await world.indices());
});

test('SIGKILL after the swap, and the slot is lost: not taken for done (24); --fresh builds anew, and so does the next run', async () => {
  await goods(500);
  await killedBehindTheSwap();
  await clientIsGone();
  const { client } = world.database;
  await client.query(`update goods set name = 'late' where id = 1`);
  await client.query('select pg_drop_replication_slot(slot_name) from pg_replication_slots where database = current_database()');
  const refused = await world.rebuild();
  assert.equal(refused.code, 24);
  assert.match(String(refused.events.find(({ type }) => type === 'error')?.hint), /--fresh/);
  assert.equal((await world.rebuild('--fresh')).code, 0);
  await world.assertServed(await world.indices());
  assert.equal((await world.rebuild()).code, 0);
  assert.equal((await world.indices()).length, 2);
  await world.assertServed(await world.indices());
});
