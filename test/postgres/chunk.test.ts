import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isVisible } from '../../src/core/wal/snapshot.ts';
import { openSource } from '../../src/postgres/source.ts';
import { waitFor } from '../support/wait-for.ts';
import { configOf, createRole, describe, type Fixture, openFixture, openSession, readAll } from './fixture.ts';

let fixture: Fixture;

before(async () => {
  fixture = await openFixture(`
    create table t (id int primary key, v text, twice int generated always as (id * 2) stored);
    insert into t select g, E'a\\tb\\\\c\\n' || g from generate_series(1, 3000) g;
    create table parts (id int, v text, primary key (id)) partition by hash (id);
    create table parts_0 (v text, gone int, id int not null);
    alter table parts_0 drop column gone;
    alter table parts attach partition parts_0 for values with (modulus 2, remainder 0);
    create table parts_1 partition of parts for values with (modulus 2, remainder 1);
    insert into parts select g, 'v' || g from generate_series(1, 100) g`);
});

after(() => fixture.drop());

test('chunks of a table together are the table, each row once', async () => {
  const { source } = fixture;
  const table = await describe(source, 't');
  const [leaf] = table.leaves;
  assert.ok(leaf !== undefined && leaf.blocks > 10);
  const rows: (string | null)[][] = [];
  for (const [from, to] of [
    [0, 3],
    [3, 9],
    [9, null],
  ] as const) {
    const reader = await source.openChunk({ leaf, from, to, columns: table.columns });
    assert.equal(reader.relfilenode, leaf.relfilenode);
    rows.push(...(await readAll(reader, 3)));
  }
  assert.equal(rows.length, 3000);
  rows.sort((a, b) => Number(a[0]) - Number(b[0]));
  assert.deepEqual(rows[6], ['7', 'a\tb\\c\n7', '14']);
  assert.equal(new Set(rows.map((row) => row[0])).size, 3000);
});

test('a leaf with another column order is read by name', async () => {
  const { source } = fixture;
  const table = await describe(source, 'parts');
  const rows: (string | null)[][] = [];
  for (const leaf of table.leaves) rows.push(...(await readAll(await source.openChunk({ leaf, from: 0, to: null, columns: table.columns }), 2)));
  const whole = await readAll(await source.openTable({ table, columns: table.columns, snapshotName: null }), 2);
  const sorted = (list: (string | null)[][]): (string | null)[][] => list.sort((a, b) => Number(a[0]) - Number(b[0]));
  assert.deepEqual(
    sorted(rows),
    Array.from({ length: 100 }, (_, i) => [`${i + 1}`, `v${i + 1}`]),
  );
  assert.deepEqual(sorted(whole), sorted(rows));
});

test("the snapshot is the chunk's own: a commit before it is visible, an open transaction is not", async () => {
  const { source } = fixture;
  const table = await describe(source, 't');
  const [leaf] = table.leaves;
  assert.ok(leaf !== undefined);
  const writer = await openSession(fixture);
  await writer.query('begin');
  const { rows } = await writer.query<{ xid: string }>("insert into t values (9001, 'x') returning pg_current_xact_id()::text as xid");
  const xid = BigInt(rows[0]?.xid ?? 0);
  const during = await source.openChunk({ leaf, from: 0, to: null, columns: table.columns });
  assert.equal(isVisible(during.snapshot, xid), false);
  await writer.query('commit');
  assert.ok(!(await readAll(during, 3)).some((row) => row[0] === '9001'));
  const later = await source.openChunk({ leaf, from: 0, to: null, columns: table.columns });
  assert.equal(isVisible(later.snapshot, xid), true);
  assert.ok((await readAll(later, 3)).some((row) => row[0] === '9001'));
  await writer.query('delete from t where id = 9001');
  await writer.end();
});

test('a rewrite shows in the relfilenode, a rename is followed, a dropped leaf is a change of the source', async () => {
  const { source, app } = fixture;
  await app.query('create table moving (id int primary key); insert into moving values (1)');
  const table = await describe(source, 'moving');
  const [leaf] = table.leaves;
  assert.ok(leaf !== undefined);
  await app.query('vacuum full moving; ');
  await app.query('alter table moving rename to "Moved"');
  const reader = await source.openChunk({ leaf, from: 0, to: null, columns: table.columns });
  assert.notEqual(reader.relfilenode, leaf.relfilenode);
  assert.deepEqual(await readAll(reader, 1), [['1']]);
  await app.query('drop table "Moved"');
  await assert.rejects(source.openChunk({ leaf, from: 0, to: null, columns: table.columns }), { kind: 'source-changed' });
});

test('a chunk waits for an ACCESS EXCLUSIVE lock to go, and sees what was done under it', async () => {
  const { source, app } = fixture;
  await app.query('create table locked (id int primary key)');
  const table = await describe(source, 'locked');
  const [leaf] = table.leaves;
  assert.ok(leaf !== undefined);
  const altering = await openSession(fixture);
  await altering.query('begin; lock table locked in access exclusive mode; insert into locked values (5)');
  const opening = source.openChunk({ leaf, from: 0, to: null, columns: table.columns });
  await waitFor(
    'the chunk to queue',
    async () => (await app.query("select from pg_locks where relation = 'locked'::regclass and not granted")).rowCount,
  );
  await altering.query('commit');
  await altering.end();
  assert.deepEqual(await readAll(await opening, 1), [['5']]);
});

test('a COPY cut in the middle is an error, never an end; closing one half read leaves nothing running', async () => {
  const { source, app } = fixture;
  await app.query("create table big (id int primary key, v text); insert into big select g, repeat('x', 1000) from generate_series(1, 40000) g");
  const table = await describe(source, 'big');
  const [leaf] = table.leaves;
  assert.ok(leaf !== undefined);
  const copying = "select pid from pg_stat_activity where datname = current_database() and query like 'copy (select%' and state = 'active'";
  const reader = await source.openChunk({ leaf, from: 0, to: null, columns: table.columns });
  await assert.rejects(
    async () => {
      let first = true;
      for await (const _ of reader.chunks()) {
        if (first) await app.query(`select pg_terminate_backend(pid, 5000) from (${copying}) a`);
        first = false;
      }
    },
    { kind: 'connection-lost' },
  );
  await reader.close();
  const half = await source.openChunk({ leaf, from: 0, to: null, columns: table.columns });
  for await (const chunk of half.chunks()) {
    assert.ok(chunk.length > 0);
    break;
  }
  await half.close();
  await half.close();
  const unread = await source.openChunk({ leaf, from: 0, to: null, columns: table.columns });
  await unread.close();
  await waitFor('no COPY left', async () => (await app.query(copying)).rowCount === 0);
  assert.equal((await readAll(await source.openChunk({ leaf, from: 0, to: null, columns: table.columns }), 2)).length, 40000);
});

test('an error of the query inside COPY is classified', async () => {
  const { source, app } = fixture;
  await app.query('create table shrinking (id int primary key, v text)');
  const table = await describe(source, 'shrinking');
  const [leaf] = table.leaves;
  assert.ok(leaf !== undefined);
  await app.query('alter table shrinking drop column v');
  const reader = await source.openChunk({ leaf, from: 0, to: null, columns: table.columns });
  await assert.rejects(readAll(reader, 2), { kind: 'source-changed' });
  await reader.close();
});

test('a role that may read some columns only reads these, and sees what was done before it got the lock', async () => {
  const { app, database } = fixture;
  await app.query("create table secret (id int primary key, v text, hidden text); insert into secret values (1, 'a', 'x')");
  const role = await createRole(app, '');
  await app.query(`grant select (ctid, id, v) on secret to ${role.name}`);
  const source = await openSource(configOf(database.url, { user: role.name, password: role.password }));
  const table = await describe(source, 'secret');
  const [leaf] = table.leaves;
  assert.ok(leaf !== undefined);
  const columns = table.columns.filter((column) => column.name !== 'hidden');
  const altering = await openSession(fixture);
  await altering.query("begin; truncate secret; insert into secret values (2, 'b', 'y')");
  const opening = source.openChunk({ leaf, from: 0, to: null, columns });
  await waitFor(
    'the chunk to queue',
    async () => (await app.query("select from pg_locks where relation = 'secret'::regclass and not granted")).rowCount,
  );
  await altering.query('commit');
  await altering.end();
  assert.deepEqual(await readAll(await opening, 2), [['2', 'b']]);
  assert.deepEqual(await readAll(await source.openTable({ table, columns, snapshotName: null }), 2), [['2', 'b']]);
  await source.close();
  await role.drop();
});

test('a table truncated after the snapshot is not read as empty', async () => {
  const { source, app } = fixture;
  await app.query(
    'create table emptied (id int, primary key (id)) partition by hash (id); create table emptied_0 partition of emptied for values with (modulus 1, remainder 0)',
  );
  await app.query('insert into emptied values (1)');
  const table = await describe(source, 'emptied');
  const kept = await source.keepSnapshot(null);
  await app.query('truncate emptied_0');
  await assert.rejects(source.openTable({ table, columns: table.columns, snapshotName: kept.snapshotName }), { kind: 'stalled' });
  await kept.release();
});
