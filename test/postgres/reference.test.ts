import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { SourceTable } from '../../src/core/table.ts';
import type { ReferenceRequest, ReferenceRow } from '../../src/phases/ports.ts';
import { describe, type Fixture, openFixture } from './fixture.ts';

let fixture: Fixture;

before(async () => {
  fixture = await openFixture(`
    create extension hstore;
    create type mood as enum ('sad', 'ok');
    create type place as (city text, at timestamptz, raw bytea);
    create domain price as numeric(10,2);
    create domain span as int4range;
    create table forms (id int primary key, c text);
    create table t (id int primary key, v text); insert into t select g, 'v' || g from generate_series(1, 30000) g; analyze t;
    create table few (a text, b int, primary key (b, a)); insert into few select 'a' || g, g from generate_series(1, 50) g`);
});

after(() => fixture.drop());

function request(table: SourceTable, rows: ReferenceRequest['rows'], snapshotName: string | null = null): ReferenceRequest {
  const key = table.key.map((name) => table.columns.find((column) => column.name === name)).filter((column) => column !== undefined);
  return { table, fields: table.columns.map((column) => ({ field: column.name, column })), key, snapshotName, rows };
}

const CASES: readonly (readonly [type: string, sql: string, json: string])[] = [
  ['bigint', '9223372036854775807', '9223372036854775807'],
  ['numeric', '1.10', '1.10'],
  ['price', '7', '7.00'],
  ['float8', '0.1::float8', '0.1'],
  ['oid', '4000000000', '4000000000'],
  ['boolean', 'true', 'true'],
  ['text', `E'a"b\\\\ \\u00e4\\n'`, '"a\\"b\\\\ ä\\n"'],
  ['char(3)', `'x'`, '"x  "'],
  ['char(3)[]', `array['x'::char(3)]`, '["x  "]'],
  ['uuid', `'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'`, '"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"'],
  ['mood', `'ok'`, '"ok"'],
  ['money', `'12.50'`, '"$12.50"'],
  ['interval', `'1 day 02:03'`, '"1 day 02:03:00"'],
  ['date', `'2024-02-29'`, '"2024-02-29"'],
  ['timestamp', `'2024-02-29 13:14:15.123456'`, '"2024-02-29T13:14:15.123456"'],
  ['timestamptz', `'2024-02-29 13:14:15+02'`, '"2024-02-29T11:14:15Z"'],
  ['json', `'{"b": 1.50,  "a": 12345678901234567890}'`, '{"b": 1.50,  "a": 12345678901234567890}'],
  ['jsonb', `'null'`, 'null'],
  ['bytea', `decode(repeat('00ff', 60), 'hex')`, `"${Buffer.from('00ff'.repeat(60), 'hex').toString('base64')}"`],
  ['int4range', `'[1,5)'`, '{"gte":1,"lt":5}'],
  ['int4range', `'empty'`, 'null'],
  ['span', `'[1,)'`, '{"gte":1}'],
  ['tstzrange', `'(2024-01-01 00:00+00,2024-02-01 00:00+00]'`, '{"gt":"2024-01-01T00:00:00Z","lte":"2024-02-01T00:00:00Z"}'],
  ['int4multirange', `'{[1,3),[5,7)}'`, '[{"gte":1,"lt":3},{"gte":5,"lt":7}]'],
  ['int4multirange', `'{}'`, '[]'],
  ['hstore', `'a=>1, b=>NULL'`, '{"a": "1", "b": null}'],
  ['int[]', `'{{1,NULL},{3,4}}'`, '[[1,null],[3,4]]'],
  ['int[]', `'[0:1]={7,8}'`, '[7,8]'],
  ['text[]', `'{}'`, '[]'],
  ['bytea[]', `array['\\x01'::bytea, null]`, '["AQ==",null]'],
  ['numrange[]', `array['[1.5,2)'::numrange, 'empty']`, '[{"gte":1.5,"lt":2},null]'],
  ['place', `row('Y"x', '2024-01-01 00:00+00', '\\x01')`, '{"city":"Y\\"x","at":"2024-01-01T00:00:00Z","raw":"AQ=="}'],
  ['place', 'row(null, null, null)', '{"city":null,"at":null,"raw":null}'],
  ['place[]', `array[row('a', null, null)::place]`, '[{"city":"a","at":null,"raw":null}]'],
  ['int2vector', `'1 2'`, '"1 2"'],
  ['xml', `'<a/>'`, '"<a/>"'],
  ['text', 'null', 'null'],
  ['place', 'null', 'null'],
  ['int[]', 'null', 'null'],
  ['tstzrange', 'null', 'null'],
  ['int4multirange', 'null', 'null'],
  ['bytea', 'null', 'null'],
];

test('each type has the JSON that a document must hold', async () => {
  const { app, source } = fixture;
  const columns = CASES.map(([type], i) => `c${i} ${type}`);
  const values = CASES.map(([type, sql]) => `(${sql})::${type}`);
  await app.query(`create table every (id int primary key, ${columns.join(', ')}); insert into every values (1, ${values.join(', ')})`);
  const table = await describe(source, 'every');
  for (const [i, [type, sql, json]] of CASES.entries()) {
    const column = table.columns[i + 1];
    assert.ok(column !== undefined);
    const [row] = await source.readReference({ ...request(table, { keys: [['1']] }), fields: [{ field: 'f', column }] });
    assert.equal(row?.json, `{"f":${json}}`, `${type} ${sql}`);
  }
});

test('named rows, those that exist', async () => {
  const table = await describe(fixture.source, 'few');
  const rows = await fixture.source.readReference(
    request(table, {
      keys: [
        ['7', 'a7'],
        ['7', 'a8'],
      ],
    }),
  );
  assert.deepEqual(rows, [{ key: ['7', 'a7'], json: '{"a":"a7","b":7}' }]);
});

test('the same seed gives the same rows under a snapshot, another seed others', async () => {
  const { source } = fixture;
  const kept = await source.keepSnapshot(null);
  for (const name of ['t', 'few']) {
    const table = await describe(source, name);
    const sample = async (seed: string): Promise<readonly string[]> =>
      ids(await source.readReference(request(table, { random: 20, seed }, kept.snapshotName)));
    const first = await sample('one');
    assert.equal(new Set(first).size, 20);
    assert.deepEqual(await sample('one'), first);
    assert.notDeepEqual(await sample('two'), first);
  }
  await kept.release();
});

test('a sample larger than the table is the table', async () => {
  const table = await describe(fixture.source, 'few');
  assert.equal((await fixture.source.readReference(request(table, { random: 1000, seed: 's' }))).length, 50);
});

function ids(rows: readonly ReferenceRow[]): readonly string[] {
  return rows.map((row) => row.key.join(' ')).sort();
}

test('a key that is no value of its column, and an expression that cannot be computed, are told from bugs', async () => {
  const { source } = fixture;
  const table = await describe(source, 't');
  await assert.rejects(source.readReference(request(table, { keys: [['1'], ['abc']] })), { kind: 'value-refused' });
  const where = '1 / (id - 1) > 0';
  await assert.rejects(source.readReference({ ...request(table, { keys: [['1']] }), where }), { kind: 'value-refused', hint: /nullif/ });
  assert.equal((await source.readReference(request(table, { keys: [['1']] }))).length, 1);
});
