import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Finding } from '../../src/core/finding.ts';
import type { RowExpressions } from '../../src/core/plan/index-config.ts';
import type { Column, SourceTable } from '../../src/core/table.ts';
import { connect, endSession } from '../../src/postgres/connect.ts';
import { readKeyOperators } from '../../src/postgres/key-rows.ts';
import { lookupSelect, PROBE_THE_INDEX } from '../../src/postgres/lookup.ts';
import { describe, type Fixture, openFixture, readAll, texts } from './fixture.ts';

let fixture: Fixture;

before(async () => {
  fixture = await openFixture(`
    create extension hstore;
    create type pair as (x int, y numeric);
    create domain price as numeric(12, 2);
    create table t (id bigint primary key, name text, p price, n int, tags text[], h hstore, doc jsonb, at timestamptz, ts timestamp, k0 int, secret text);
    insert into t select g, 'Name ' || g, g * 1.5, g % 10, array['a', 'b'], 'a=>1', '{"brand": "x"}', now(), '2024-01-01', g from generate_series(1, 20000) g;
    create table parts (a int, b text, v int, primary key (b, a)) partition by list (a);
    create table parts_1 partition of parts for values in (1); create table parts_2 partition of parts for values in (2);
    insert into parts select 1 + g % 2, 'b' || g, g from generate_series(1, 20000) g;
    create function public.stepped(int) returns int language sql stable as 'select $1 + (select max(n) from public.t)';
    create function public.shout(text) returns text language plpgsql stable as 'begin return upper($1); end';
    create table other (id int);
    analyze`);
});

after(() => fixture.drop());

const NONE: RowExpressions = { where: null, computed: {} };

async function findings(more: Partial<RowExpressions>, name = 't'): Promise<readonly Finding[]> {
  const found = await fixture.source.preflight(name, { excludedColumns: [], ...NONE, ...more });
  return found.filter(({ code }) => code.startsWith('expression'));
}

async function describeAll(computed: { readonly [field: string]: string }): Promise<readonly Column[]> {
  return fixture.source.describeComputed(await describe(fixture.source, 't'), { where: null, computed });
}

const keyOf = (table: SourceTable): readonly Column[] => table.key.flatMap((name) => table.columns.filter((column) => column.name === name));

test('the server says what an expression comes to', async () => {
  const columns = await describeAll({
    lower: 'lower(name)',
    total: 'p * n',
    brand: "doc->>'brand'",
    part: "doc->'brand'",
    tags: 'tags || tags',
    span: 'int4range(n, null)',
    pair: 'row(n, p)::public.pair',
    domain: 'p::public.price',
    h: "h operator(public.||) 'b=>2'::public.hstore",
    day: 'ts::date',
    literal: "'x' -- a comment",
  });
  assert.deepEqual(
    columns.map(({ name, typeName, form }) => [name, typeName, form.kind]),
    [
      ['lower', 'text', 'string'],
      ['total', 'numeric', 'number'],
      ['brand', 'text', 'string'],
      ['part', 'jsonb', 'json'],
      ['tags', 'text[]', 'array'],
      ['span', 'int4range', 'range'],
      ['pair', 'public.pair', 'composite'],
      ['domain', 'numeric(12,2)', 'number'],
      ['h', 'public.hstore', 'hstore'],
      ['day', 'date', 'date'],
      ['literal', 'text', 'string'],
    ],
  );
});

/** An expression, and words of the reason why it is refused. */
const REFUSED: readonly (readonly [sql: string, reason: string])[] = [
  ['lower(nam)', 'at character 7'],
  ['lower(name', 'something is still open at its end'],
  ["'x", 'unterminated quoted string'],
  ['name /* open', 'unterminated /* comment'],
  ['1) or (2', 'syntax error at or near ")" (at character 2)'],
  ['1] = any (array[2', 'something is still open at its end'],
  ['name; drop table other', 'syntax error'],
  ['name); drop table other; select (1', 'syntax error'],
  ['name from t; --', 'syntax error'],
  ['name, id', ''],
  ['count(*)', 'aggregate functions are not allowed'],
  ['sum(n) over ()', 'window functions are not allowed'],
  ['unnest(tags)', 'set-returning functions are not allowed'],
  ['(select max(id) from public.other)', 'reads other rows'],
  ['exists (select from public.other o where o.id = t.id)', 'reads other rows'],
  ['$1', 'could not determine data type of parameter'],
  ["h -> 'a'", 'operator does not exist'],
  ['k1', 'column "k1" does not exist'],
  ['1 / 0', 'division by zero'],
];

for (const [sql, reason] of REFUSED) {
  test(`refused as a field: ${sql}`, async () => {
    if (reason === '') return assert.deepEqual(await formsOf(sql), ['string', 'record']);
    const [finding] = await findings({ computed: { f: sql } });
    assert.equal(finding?.level, 'fail', JSON.stringify(finding));
    assert.ok(finding.message.includes(reason), finding.message);
    assert.ok(finding.message.includes('f.sql'));
    assert.ok((finding.fix ?? '') !== '');
  });
}

/** `a, b` in parentheses is a row of two: it stays one value, a string. */
async function formsOf(sql: string): Promise<readonly string[]> {
  const [column] = await describeAll({ f: sql });
  return [column?.form.kind ?? '', column?.typeName ?? ''];
}

test('nothing that an expression says was done', async () => {
  const { rows } = await fixture.app.query("select to_regclass('public.other') is not null as there");
  assert.equal(rows[0]?.there, true);
});

test('a filter must be a condition, and every mistake is told', async () => {
  const found = await findings({ where: 'n + 1', computed: { a: 'lower(', b: 'nope' } });
  assert.deepEqual(
    found.map(({ level, code }) => [level, code]),
    [
      ['fail', 'expression'],
      ['fail', 'expression'],
      ['fail', 'expression'],
    ],
  );
  assert.match(found[0]?.message ?? '', /^where: argument of WHERE must be type boolean/);
});

/** An expression, and the names that the warning must have; empty: no warning. */
const VOLATILE: readonly (readonly [sql: string, names: string])[] = [
  ['lower(name) || upper(name)', ''],
  ['p * n + abs(n)', ''],
  ["date_trunc('day', ts)", ''],
  ["coalesce(name, 'now()')", ''],
  ['random()', 'random'],
  ['now() > at', 'now'],
  ['current_date > ts', 'current_date'],
  ['name = current_user', 'current_user'],
  ["to_char(ts, 'YYYY')", 'to_char'],
  ['public.shout(name)', 'public.shout'],
  ['public.stepped(n)', 'public.stepped'],
  ['clock_timestamp() > at and lower(name) = name', 'clock_timestamp'],
];

for (const [sql, names] of VOLATILE) {
  test(`${names === '' ? 'immutable' : `warned of ${names}`}: ${sql}`, async () => {
    const [finding] = await findings({ computed: { f: sql } });
    assert.equal(finding?.level, names === '' ? 'ok' : 'warn', JSON.stringify(finding));
    assert.ok(finding.message.includes(names), finding.message);
  });
}

test('a lookup with a filter and expressions probes the index: no scan of the whole table, once for each key', async () => {
  const session = await connect(fixture.config, { replication: false });
  for (const [name, where, sql] of [
    ['t', "lower(name) <> 'x' and n > 0", "lower(name) || coalesce(doc->>'brand', '')"],
    ['parts', 'v % 2 = 0', 'v * 2'],
    ['t', 'random() >= 0', 'random()'],
  ] as const) {
    const table = await describe(fixture.source, name);
    const computed = await fixture.source.describeComputed(table, { where: null, computed: { f: sql } });
    const keys = Array.from({ length: 500 }, (_, i) => (name === 't' ? [String(i * 7)] : [`b${i}`, String(1 + (i % 2))]));
    const request = { table, columns: [...table.columns, ...computed], key: keyOf(table), keys, where };
    await session.client.query('begin read only');
    await session.client.query(PROBE_THE_INDEX);
    const select = lookupSelect(request, await readKeyOperators(session, table, request.key), keys);
    const { rows } = await session.client.query<{ 'QUERY PLAN': string }>(`explain ${select}`);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    assert.doesNotMatch(plan, /Seq Scan/, plan);
    assert.match(plan, /Index Scan/, plan);
    await session.client.query('rollback');
  }
  await endSession(session);
});

test('load, table, lookup and reference give the same rows and values', async () => {
  const table = await describe(fixture.source, 't');
  const [leaf] = table.leaves;
  assert.ok(leaf);
  const where = 'n = 3 and id < 100 -- the end';
  const computed = await fixture.source.describeComputed(table, { where, computed: { name: "name || '!'", twice: 'k0 * 2' } });
  const columns = [...keyOf(table), ...computed];
  const wanted = [3, 13, 23, 33, 43, 53, 63, 73, 83, 93].map((id) => [String(id), `Name ${id}!`, String(id * 2)]).sort();
  const chunk = await readAll(await fixture.source.openChunk({ leaf, from: 0, to: null, columns, where }), 3);
  assert.deepEqual(chunk.sort(), wanted);
  assert.deepEqual((await readAll(await fixture.source.openTable({ table, columns, where, snapshotName: null }), 3)).sort(), wanted);
  const keys = [...wanted.map(([id]) => [id ?? '']), ['4'], ['103'], ['-1']];
  const { rows } = await fixture.source.lookup({ table, columns, key: keyOf(table), keys, where });
  assert.deepEqual(rows.map((row) => texts(row, 3)).sort(), wanted);
  const fields = computed.map((column) => ({ field: column.name, column }));
  const request = { table, fields, key: keyOf(table), where, snapshotName: null };
  const expected = wanted.map(([id, name, twice]) => ({ key: [id], json: `{"name":${JSON.stringify(name)},"twice":${twice}}` }));
  const byKey = (a: { readonly key: readonly unknown[] }, b: { readonly key: readonly unknown[] }): number =>
    String(a.key[0]).localeCompare(String(b.key[0]));
  assert.deepEqual((await fixture.source.readReference({ ...request, rows: { keys } })).toSorted(byKey), expected.toSorted(byKey));
  assert.deepEqual((await fixture.source.readReference({ ...request, rows: { random: 50, seed: 's' } })).toSorted(byKey), expected.toSorted(byKey));
});

test('an expression that fails for a row is a failure of the config, not a bug, and quotes no value', async () => {
  const table = await describe(fixture.source, 't');
  const columns = [...keyOf(table), ...(await fixture.source.describeComputed(table, { where: null, computed: { f: 'name::int' } }))];
  const failure = { kind: 'source-changed', message: /an SQL expression of the config cannot be computed for some row \(SQLSTATE 22P02\)$/ };
  await assert.rejects(fixture.source.lookup({ table, columns, key: keyOf(table), keys: [['1']] }), failure);
  const reader = await fixture.source.openTable({ table, columns, snapshotName: null });
  await assert.rejects(readAll(reader, 2), failure);
  await reader.close();
});

test('a filter that writes is refused by the read-only transaction, as a failure of the config', async () => {
  const { app, source } = fixture;
  await app.query(
    `create table noted (id int); create function note(id bigint) returns bool language plpgsql as 'begin insert into public.noted values (id); return true; end'`,
  );
  const table = await describe(source, 't');
  const reader = await source.openTable({
    table,
    columns: keyOf(table),
    where: `${app.escapeIdentifier(table.schema)}.note(id)`,
    snapshotName: null,
  });
  await assert.rejects(readAll(reader, 1), {
    kind: 'source-changed',
    message: /an SQL expression of the config cannot be computed for some row \(SQLSTATE 25006\)$/,
  });
  await reader.close();
});
