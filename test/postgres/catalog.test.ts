import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describe, type Fixture, openFixture } from './fixture.ts';

let fixture: Fixture;

before(async () => {
  fixture = await openFixture(`
    create extension hstore;
    create type mood as enum ('sad', 'ok');
    create type place as (city text, moods mood[]);
    create domain positive as int check (value > 0);
    create table every_type (
      n numeric(12,2), id bigint, b positive, m mood, p place[], r tstzrange, mr int4multirange, h hstore, v int2vector, j jsonb,
      g int generated always as (id * 2) stored, gone int, t text[] not null, primary key (m, id));
    alter table every_type drop column gone;
    create schema "Odd Schema";
    create table "Odd Schema"."Ta""ble" (id int primary key);
    create table parts (id int, region text, primary key (region, id)) partition by list (region);
    create table parts_eu partition of parts for values in ('eu') partition by hash (id);
    create table parts_eu_0 (region text not null, id int not null);
    alter table parts_eu attach partition parts_eu_0 for values with (modulus 1, remainder 0);
    create table parts_us partition of parts for values in ('us');
    insert into parts select g, 'us' from generate_series(1, 2000) g;
    create view looking as select 1 as id`);
});

after(() => fixture.drop());

test('columns have their forms, the key its index order, dropped columns are left out', async () => {
  const table = await describe(fixture.source, 'every_type');
  assert.deepEqual(
    table.columns.map(({ name, typeName, form }) => [name, typeName, form.kind]),
    [
      ['n', 'numeric(12,2)', 'number'],
      ['id', 'bigint', 'number'],
      ['b', 'public.positive', 'number'],
      ['m', 'public.mood', 'string'],
      ['p', 'public.place[]', 'array'],
      ['r', 'tstzrange', 'range'],
      ['mr', 'int4multirange', 'multirange'],
      ['h', 'public.hstore', 'hstore'],
      ['v', 'int2vector', 'string'],
      ['j', 'jsonb', 'json'],
      ['g', 'integer', 'number'],
      ['t', 'text[]', 'array'],
    ],
  );
  assert.deepEqual(table.key, ['m', 'id']);
  const byName = new Map(table.columns.map((column) => [column.name, column]));
  assert.equal(byName.get('g')?.generated, true);
  assert.equal(byName.get('t')?.notNull, true);
  assert.equal(byName.get('n')?.notNull, false);
  assert.deepEqual(byName.get('p')?.form, {
    kind: 'array',
    delimiter: ',',
    element: {
      kind: 'composite',
      attributes: [
        { name: 'city', form: { kind: 'string' } },
        { name: 'moods', form: { kind: 'array', delimiter: ',', element: { kind: 'string' } } },
      ],
    },
  });
});

test('names are read as in SQL; a name that is none is a configuration error', async () => {
  const table = await describe(fixture.source, '"Odd Schema"."Ta""ble"');
  assert.equal(table.schema, 'Odd Schema');
  assert.equal(table.name, 'Ta"ble');
  assert.equal((await describe(fixture.source, 'EVERY_TYPE')).name, 'every_type');
  assert.equal(await fixture.source.describeTable('public.nothing'), null);
  assert.equal(await fixture.source.nearestTable('public.evry_type'), 'public.every_type');
  assert.equal(await fixture.source.nearestTable('public."Ta""ble"'), '"Odd Schema"."Ta""ble"');
  assert.equal(await fixture.source.nearestTable('public.every_color_and_shape'), null);
  await assert.rejects(fixture.source.describeTable('a.b.c'), { kind: 'config' });
  await assert.rejects(fixture.source.describeTable('"open'), { kind: 'config' });
  await assert.rejects(fixture.source.describeTable('looking'), { kind: 'preflight-refused' });
});

test('a partitioned table has its leaves at every depth', async () => {
  const table = await describe(fixture.source, 'parts');
  assert.equal(table.partitioned, true);
  assert.deepEqual(table.leaves.map((leaf) => leaf.name).sort(), ['parts_eu_0', 'parts_us']);
  const us = table.leaves.find((leaf) => leaf.name === 'parts_us');
  assert.ok(us !== undefined && us.blocks > 5 && us.relfilenode > 0);
  assert.deepEqual(table.key, ['region', 'id']);
  assert.equal(table.estimatedRows, -1);
  await fixture.app.query('analyze parts');
  assert.equal((await describe(fixture.source, 'parts')).estimatedRows, 2000);
});

test('the fingerprint sees what sends no row message, and not VACUUM FULL', async () => {
  const { app, source } = fixture;
  await app.query(`
    create table watched (id int primary key, m mood, v varchar(5));
    insert into watched values (1, 'sad', 'x');
    alter table watched add column filled int not null default 7`);
  const print = async (): Promise<string> => (await describe(source, 'watched')).fingerprint;
  const seen = new Set([await print()]);
  for (const sql of ['vacuum full watched', 'cluster watched using watched_pkey', 'truncate watched', 'create index on watched (v)']) {
    await app.query(sql);
    assert.ok(seen.has(await print()), `${sql} must not change it`);
  }
  const changes = [
    'alter table watched add column n int default 7',
    'alter table watched rename column n to o',
    'alter table watched alter v type varchar(9)',
    'alter table watched drop column o',
    'alter table watched replica identity full',
    "alter type mood rename value 'sad' to 'low'",
    'alter table watched drop constraint watched_pkey, add primary key (id, filled)',
    'alter table watched set unlogged',
    'alter table watched set schema "Odd Schema"; alter table "Odd Schema".watched set schema public; alter table watched rename to seen; alter table seen rename to watched; alter table watched alter m set not null',
    'drop table watched; create table watched (id int primary key)',
  ];
  for (const sql of changes) {
    await app.query(sql);
    const now = await print();
    assert.ok(!seen.has(now), `${sql} must change it`);
    seen.add(now);
  }
  const before = (await describe(source, 'parts')).fingerprint;
  await app.query("create table parts_as partition of parts for values in ('as')");
  assert.notEqual((await describe(source, 'parts')).fingerprint, before);
});

test('the server identifies itself', async () => {
  const identity = await fixture.source.identity();
  assert.match(identity.systemIdentifier, /^\d{15,}$/);
  assert.ok(identity.timeline >= 1);
  assert.equal(identity.database, fixture.database.name);
  assert.ok(identity.versionNumber >= 140000);
});

test('one lock for each alias', async () => {
  const first = await fixture.source.tryLock('products');
  assert.ok(first !== null);
  assert.equal(await fixture.source.tryLock('products'), null);
  const other = await fixture.source.tryLock('customers');
  assert.ok(other !== null);
  await other.release();
  await first.release();
  const again = await fixture.source.tryLock('products');
  assert.ok(again !== null);
  await again.release();
});
