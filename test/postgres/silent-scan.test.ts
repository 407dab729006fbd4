import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Column, SourceTable } from '../../src/core/table.ts';
import { openSource } from '../../src/postgres/source.ts';
import { configOf, createRole, describe, type Fixture, type OpenSource, openFixture, readAll } from './fixture.ts';

const SILENCE_MS = 1000;
/** Four rows to a block, two milliseconds for each: a scan of all is silent for four seconds at least. */
const ROWS = 2000;
const SLOW = `pg_sleep(0.002) is null or v = 'last'`;

let fixture: Fixture;
let source: OpenSource;

before(async () => {
  fixture = await openFixture(`
    create table slow (id int primary key, v text not null, pad text not null); alter table slow alter pad set storage plain;
    create table slow_parts (like slow including all) partition by hash (id);
    create table slow_parts_0 partition of slow_parts for values with (modulus 2, remainder 0);
    create table slow_parts_1 partition of slow_parts for values with (modulus 2, remainder 1);
    insert into slow select g, case when g > ${ROWS - 3} then 'last' else '' end, repeat('x', 1900) from generate_series(1, ${ROWS}) g;
    insert into slow_parts select * from slow; analyze slow; analyze slow_parts`);
  source = await openSource({ ...configOf(fixture.database.url), silenceMs: SILENCE_MS });
});

after(async () => {
  await source?.close();
  await fixture?.drop();
});

const LAST = [ROWS - 2, ROWS - 1, ROWS].map(String);
const keyOf = ({ columns }: SourceTable): readonly Column[] => columns.filter(({ name }) => name === 'id');

for (const name of ['slow', 'slow_parts']) {
  test(`${name}: a filter that few rows pass lets the whole table be read, though it is silent for longer than a stopped backend may be`, async () => {
    const table = await describe(source, name);
    const startedAt = performance.now();
    const rows = await readAll(await source.openTable({ table, columns: keyOf(table), where: SLOW, snapshotName: null }), 1);
    assert.ok(performance.now() - startedAt > 2 * SILENCE_MS);
    assert.deepEqual(rows.flat().sort(), LAST);
  });
}

test('the same for a random sample that finds too few rows in some blocks', async () => {
  const table = await describe(source, 'slow');
  const request = { table, key: keyOf(table), fields: [], where: SLOW, snapshotName: null, rows: { random: 2, seed: 's' } };
  const sampled = await source.readReference(request);
  assert.equal(sampled.length, 2);
  assert.ok(sampled.every(({ key }) => LAST.includes(key[0] ?? '')));
});

test('a role that may not read ctid reads the table in one, and so does whoever finds the rows by an index', async () => {
  const { app } = fixture;
  const role = await createRole(app, '');
  await app.query(`grant select (id, v) on slow to ${role.name}`);
  const limited = await openSource(configOf(fixture.database.url, { user: role.name, password: role.password }));
  const table = await describe(limited, 'slow');
  for (const where of [`v = 'last'`, `id > ${ROWS - 3}`]) {
    const rows = await readAll(await limited.openTable({ table, columns: keyOf(table), where, snapshotName: null }), 1);
    assert.deepEqual(rows.flat().sort(), LAST);
  }
  await limited.close();
  await role.drop();
});

test('an expression that fails for every row is told as one of the config, also where the planner computes it', async () => {
  const table = await describe(source, 'slow');
  const where = '1 / 0 = id';
  const request = { table, key: keyOf(table), fields: [], where, snapshotName: null, rows: { random: 2, seed: 's' } };
  await assert.rejects(source.openTable({ table, columns: keyOf(table), where, snapshotName: null }), { kind: 'source-changed', hint: /nullif/ });
  await assert.rejects(source.readReference(request), { kind: 'value-refused', hint: /nullif/ });
});
