import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Finding } from '../../src/core/finding.ts';
import { openSource } from '../../src/postgres/source.ts';
import { waitFor } from '../support/wait-for.ts';
import { configOf, createRole, type Fixture, openFixture, openSession } from './fixture.ts';

let fixture: Fixture;

before(async () => {
  fixture = await openFixture(`
    create table good (id int primary key, v text);
    create table full_identity (id int primary key, v text); alter table full_identity replica identity full;
    create table covering (id int primary key, v int not null, unique (v, id)); alter table covering replica identity using index covering_v_id_key;
    create table elsewhere (id int primary key, v int not null unique); alter table elsewhere replica identity using index elsewhere_v_key;
    create table mute (id int primary key); alter table mute replica identity nothing;
    create table bare (id int);
    create table late (id int primary key deferrable);
    create unlogged table fleeting (id int primary key);
    create view looking as select * from good;
    create materialized view stored as select * from good;
    create foreign data wrapper dummy; create server away foreign data wrapper dummy;
    create foreign table remote (id int) server away;
    create sequence counter;
    create table parent (id int primary key); create table child (extra int) inherits (parent);
    create table generating (id int primary key, twice int generated always as (id * 2) stored);
    create table parts (id int, primary key (id)) partition by hash (id);
    create unlogged table parts_0 partition of parts for values with (modulus 2, remainder 0);
    create table parts_1 partition of parts for values with (modulus 2, remainder 1); alter table parts_1 replica identity nothing`);
});

after(() => fixture.drop());

async function problems(name: string, excludedColumns: readonly string[] = []): Promise<readonly string[]> {
  return codes(await fixture.source.preflight(name, { excludedColumns }));
}

function codes(findings: readonly Finding[]): readonly string[] {
  const mine = findings.filter(
    (finding) => finding.level !== 'ok' && !['superuser', 'open-transaction', 'prepared-transaction'].includes(finding.code),
  );
  for (const finding of mine) assert.ok(finding.fix !== undefined && finding.fix.length > 0, `${finding.code} has no fix`);
  return mine.map((finding) => `${finding.level} ${finding.code}`);
}

test('a good table passes, whatever identity carries its key', async () => {
  for (const name of ['good', 'full_identity', 'covering']) assert.deepEqual(await problems(name), [], name);
});

test('each table that cannot be followed is refused with its reason', async () => {
  const refusals: Readonly<Record<string, readonly string[]>> = {
    nothing_there: ['fail table'],
    looking: ['fail table'],
    stored: ['fail table'],
    remote: ['fail table'],
    counter: ['fail table'],
    good_pkey: ['fail table'],
    fleeting: ['fail table'],
    parent: ['fail inheritance'],
    bare: ['fail primary-key'],
    late: ['fail primary-key'],
    mute: ['fail replica-identity'],
    elsewhere: ['fail replica-identity'],
    // From 18 on the stream has stored ones.
    generating: (await fixture.source.identity()).versionNumber < 180000 ? ['warn generated-columns'] : [],
    parts: ['fail partition', 'fail replica-identity'],
  };
  for (const [name, expected] of Object.entries(refusals)) assert.deepEqual(await problems(name), expected, name);
  assert.deepEqual(await problems('generating', ['twice']), []);
});

test('a temporary table of another session is refused', async () => {
  const session = await openSession(fixture);
  await session.query('create temp table passing (id int primary key)');
  const { rows } = await session.query<{ schema: string }>('select pg_my_temp_schema()::regnamespace::text as schema');
  assert.deepEqual(await problems(`${rows[0]?.schema}.passing`), ['fail table']);
  await session.end();
});

test('a role without rights hears all that is missing at once, and row-level security is named', async () => {
  const { app, database } = fixture;
  await app.query('create table secured (id int primary key, v text); alter table secured enable row level security');
  const role = await createRole(app, '');
  const source = await openSource(configOf(database.url, { user: role.name, password: role.password }));
  const found = async (name: string, excludedColumns: readonly string[] = []): Promise<readonly string[]> =>
    codes(await source.preflight(name, { excludedColumns }));
  assert.deepEqual(await found('good'), ['fail replication', 'fail select', 'fail database-create', 'fail table-owner']);
  await app.query(`grant select (ctid, id) on good to ${role.name}; grant select on secured to ${role.name}; alter role ${role.name} replication;
    grant create on database ${database.name} to ${role.name}; alter table secured owner to postgres`);
  assert.deepEqual(await found('good'), ['fail select', 'fail table-owner']);
  assert.deepEqual(await found('good', ['v']), ['fail table-owner']);
  const owner = (await source.preflight('good', { excludedColumns: ['v'] })).find(({ code }) => code === 'table-owner');
  assert.match(owner?.fix ?? '', /^create role .* is a superuser/, 'a member of a superuser may do everything');
  assert.deepEqual(await found('secured'), ['fail row-security', 'fail table-owner']);
  await app.query(`alter table good owner to ${role.name}`);
  assert.deepEqual(await found('good'), []);
  assert.ok(!(await source.preflight('good', { excludedColumns: [] })).some((finding) => finding.code === 'superuser' && finding.level !== 'ok'));
  await app.query(`alter table good owner to postgres; create table halves (id int primary key) partition by hash (id);
    create table halves_0 partition of halves for values with (modulus 1, remainder 0); grant select on halves to ${role.name}`);
  assert.deepEqual(await found('halves'), ['fail select', 'fail table-owner']);
  await app.query(`grant select on halves_0 to ${role.name}`);
  assert.deepEqual(await found('halves'), ['fail table-owner']);
  await source.close();
  await app.query(`revoke create on database ${database.name} from ${role.name}`);
  await role.drop();
});

test('a transaction that will make the slot wait is named', async () => {
  const session = await openSession(fixture);
  await session.query("begin; insert into good values (1, 'x')");
  const pid = (await session.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;
  // Others' older transactions on the same server may hide ours for a while.
  const warning = await waitFor('the warning', async () =>
    (await fixture.source.preflight('good', { excludedColumns: [] })).find(
      ({ code, message }) => code === 'open-transaction' && message.includes(`pid ${pid} `),
    ),
  );
  assert.equal(warning.level, 'warn');
  await session.query('rollback');
  await session.end();
});

test('limits.query is asked once, read-only: the server says what is wrong with it', async () => {
  const ask = async (throttleQuery: string): Promise<string> => {
    const findings = await fixture.source.preflight('good', { excludedColumns: [], throttleQuery });
    return findings
      .filter(({ code }) => code === 'limits-query')
      .map(({ level, message }) => `${level} ${message}`)
      .join();
  };
  assert.equal(await ask('select false'), 'ok limits.query: the load may go on');
  assert.match(await ask('select true'), /^warn limits\.query is true/);
  assert.match(await ask('select pg_sleep(6) is null'), /^warn limits\.query takes longer than 5 s/);
  assert.equal(await ask('select bussy()'), 'fail limits.query cannot be used: function bussy() does not exist (SQLSTATE 42883)');
  assert.match(await ask('delete from public.good'), /^fail .*cannot execute DELETE in a read-only transaction \(SQLSTATE 25006\)$/);
  assert.match(await ask('select 1 as one'), /^fail .*its first column, "one", is not a boolean$/);
  // Words about values stay with the server: they may be a row's.
  assert.equal(await ask(`select 'canary'::text::int > 0`), 'fail limits.query cannot be used: (SQLSTATE 22P02)');
});
