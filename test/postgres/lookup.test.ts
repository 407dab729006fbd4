import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Column, SourceTable } from '../../src/core/table.ts';
import { connect, endSession } from '../../src/postgres/connect.ts';
import { readKeyOperators } from '../../src/postgres/key-rows.ts';
import { lookupSelect, PROBE_THE_INDEX } from '../../src/postgres/lookup.ts';
import { describe, type Fixture, openFixture, texts } from './fixture.ts';

let fixture: Fixture;

before(async () => {
  fixture = await openFixture(`
    create extension citext; create extension ltree;
    create table numbered (id bigint primary key, v text);
    insert into numbered select g, 'v' || g from generate_series(1, 50000) g;
    create table pairs (b text, a int, v text, primary key (a, b));
    insert into pairs select 'b' || g, g % 100, E'tab\\t' || g from generate_series(1, 20000) g;
    create table cased (name citext primary key, v int);
    insert into cased select 'Name' || g, g from generate_series(1, 20000) g;
    create type mood as enum ('sad', 'ok');
    create table odd (p ltree, m mood, f float8, t timestamptz, c varchar(5) collate "C", primary key (p, m, f, t, c));
    insert into odd values ('a.b', 'ok', 0.1, '2024-02-29 13:14:15.123456+00', 'it''s');
    create table parts (id numeric, v text, primary key (id)) partition by hash (id);
    create table parts_0 partition of parts for values with (modulus 2, remainder 0);
    create table parts_1 partition of parts for values with (modulus 2, remainder 1);
    insert into parts select g + 0.5, 'v' from generate_series(1, 10000) g;
    analyze`);
});

after(() => fixture.drop());

function keyOf(table: SourceTable): readonly Column[] {
  return table.key.map((name) => {
    const column = table.columns.find((candidate) => candidate.name === name);
    if (column === undefined) throw new Error(`no column ${name}`);
    return column;
  });
}

async function find(name: string, keys: readonly (readonly string[])[], snapshotName?: string): Promise<(string | null)[][]> {
  const table = await describe(fixture.source, name);
  const request = { table, columns: table.columns, key: keyOf(table), keys, ...(snapshotName === undefined ? {} : { snapshotName }) };
  const { rows } = await fixture.source.lookup(request);
  return rows.map((row) => texts(row, table.columns.length)).sort();
}

test('finds the rows that exist, each once, over more than one statement', async () => {
  const keys = Array.from({ length: 2500 }, (_, i) => [`${i + 49_000}`]);
  const rows = await find('numbered', [...keys, ['49000']]);
  assert.equal(rows.length, 1001);
  assert.deepEqual(await find('numbered', [['7'], ['-1']]), [['7', 'v7']]);
  assert.deepEqual(await find('numbered', []), []);
});

test('keys of several columns and of every kind of type', async () => {
  assert.deepEqual(
    await find('pairs', [
      ['7', 'b107'],
      ['8', 'b107'],
    ]),
    [['b107', '7', 'tab\t107']],
  );
  assert.deepEqual(await find('cased', [['Name7'], ['name8']]), [
    ['Name7', '7'],
    ['Name8', '8'],
  ]);
  const odd = ['a.b', 'ok', '0.1', '2024-02-29 13:14:15.123456+00', "it's"];
  assert.deepEqual(await find('odd', [odd]), [odd]);
  assert.deepEqual(await find('parts', [['3.5']]), [['3.5', 'v']]);
});

test('uses the index of the primary key', async () => {
  const session = await connect(fixture.config, { replication: false });
  const keysOf: Readonly<Record<string, readonly string[]>> = { numbered: ['7'], pairs: ['7', 'b107'], cased: ['Name7'], parts: ['3.5'] };
  for (const [name, key] of Object.entries(keysOf)) {
    const table = await describe(fixture.source, name);
    const columns = keyOf(table);
    const keys = Array.from({ length: 100 }, (_, i) => key.map((text) => text.replace('7', `${i}`).replace('3.', `${i}.`)));
    const select = lookupSelect({ table, columns: table.columns, key: columns, keys }, await readKeyOperators(session, table, columns), keys);
    await session.client.query(`begin; ${PROBE_THE_INDEX}`);
    const { rows } = await session.client.query<{ 'QUERY PLAN': string }>(`explain ${select}`);
    await session.client.query('commit');
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    assert.match(plan, /Index Scan|Bitmap Index Scan/, plan);
    assert.doesNotMatch(plan, /Seq Scan/, plan);
  }
  await endSession(session);
});

test('reads under an exported snapshot', async () => {
  const { source, app } = fixture;
  const kept = await source.keepSnapshot(null);
  await app.query("update numbered set v = 'changed' where id = 1");
  assert.deepEqual(await find('numbered', [['1']], kept.snapshotName), [['1', 'v1']]);
  assert.deepEqual(await find('numbered', [['1']]), [['1', 'changed']]);
  await kept.release();
});
