import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { SourceTable } from '../../src/core/table.ts';
import { openSource } from '../../src/postgres/source.ts';
import { connect, databaseUrl, uniqueName } from '../support/servers.ts';
import { configOf, describe, type Fixture, openFixture } from './fixture.ts';

let fixture: Fixture;

before(async () => {
  fixture = await openFixture(`
    create extension ltree;
    create domain even as int check (value % 2 = 0);
    create table ints (id int primary key);
    create table evens (id even primary key);
    create table paths (id ltree primary key);
    create table pairs (a text, b uuid, primary key (a, b))`);
});

after(() => fixture.drop());

const keyOf = ({ key, columns }: SourceTable) =>
  key.map((name) => columns.find((column) => column.name === name)).filter((column) => column !== undefined);

const CASES: readonly (readonly [table: string, real: readonly string[], foreign: readonly string[]])[] = [
  ['ints', ['1'], ['abc']],
  ['ints', ['1'], ['99999999999']],
  ['evens', ['2'], ['3']],
  ['paths', ['a.b'], ['a b']],
  ['pairs', ['', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'], ['', 'x']],
];

test('a text is a key if it is a value of the column, whether or not there is such a row', async () => {
  for (const [name, real, foreign] of CASES) {
    const table = await describe(fixture.source, name);
    assert.equal(await fixture.source.canBeKeys(keyOf(table), [real]), true, `${name} ${real}`);
    assert.equal(await fixture.source.canBeKeys(keyOf(table), [real, foreign]), false, `${name} ${foreign}`);
    const refused = fixture.source.readReference({ table, key: keyOf(table), fields: [], snapshotName: null, rows: { keys: [real, foreign] } });
    await assert.rejects(refused, { kind: 'value-refused' }, `${name} ${foreign}`);
  }
});

test('a text that the encoding of the database cannot hold is no key; a row of it cannot be asked for', async () => {
  const name = uniqueName('realign_test');
  const server = await connect();
  await server.query(`create database ${name} encoding latin1 template template0 locale 'C'`);
  try {
    const url = new URL(databaseUrl());
    url.pathname = `/${name}`;
    const app = await connect(url.href);
    await app.query(`create table names (id text primary key); insert into names values ('é')`);
    await app.end();
    const source = await openSource(configOf(url.href));
    const table = await describe(source, 'names');
    const key = keyOf(table);
    assert.deepEqual([await source.canBeKeys(key, [['é']]), await source.canBeKeys(key, [['é'], ['日本']])], [true, false]);
    const request = { table, key, fields: [], snapshotName: null, rows: { keys: [['é'], ['日本']] } };
    await assert.rejects(source.readReference(request), { kind: 'source-changed' });
    await source.close();
  } finally {
    await server.query(`drop database ${name} with (force)`);
    await server.end();
  }
});
