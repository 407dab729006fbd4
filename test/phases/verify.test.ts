import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ByteWriter } from '../../src/core/encode/byte-writer.ts';
import { CopyTextReader } from '../../src/core/encode/copy-text.ts';
import { DocumentEncoder } from '../../src/core/encode/document.ts';
import type { DocumentPlan } from '../../src/core/encode/document-plan.ts';
import type { RunEvent, VerifyReport } from '../../src/core/events.ts';
import type { SourceTable } from '../../src/core/table.ts';
import { isPassing } from '../../src/core/verify/passing-report.ts';
import { type VerifyContext, verifyAtFence, verifyBySettling } from '../../src/phases/verify.ts';
import { type TestSink, testSink } from '../elasticsearch/fixture.ts';
import { type Fixture, openFixture } from '../postgres/fixture.ts';
import { elasticsearch, uniqueName } from '../support/servers.ts';

const ROWS = 1500;

/** One column of every form, with values that are easily spoiled; a composite key with separators in its texts. */
const SCHEMA = `
  create extension if not exists hstore;
  create type mood as enum ('happy', 'sad:ly');
  create type pair as (n numeric, t timestamptz);
  create domain price as numeric(12, 2);
  create table products (
    tenant text, id bigint, n numeric, p price, f4 real, f8 double precision, b boolean, t text, m mood, u uuid, o oid,
    d date, ts timestamp, tz timestamptz, ti time, iv interval, j json, jb jsonb, by bytea, ip inet,
    na numeric[], ta text[], tza timestamptz[], ja jsonb[], grid int[], r int4range, tr tstzrange, mr nummultirange, co pair, h hstore,
    primary key (tenant, id)
  );
  insert into products select
    case i % 3 when 0 then 'a:b' when 1 then 'back\\slash' else 'é😀' end, 9007199254740993 + i, i / 7.0, i * 1.1, i / 3.0::real, i / 3.0, i % 2 = 0,
    E'tab\\t "quote" back\\\\slash \\n ' || i, 'sad:ly', '00000000-0000-4000-8000-000000000000', i + 4000000000,
    date '0001-01-01' + i, timestamp '2024-02-29 00:00:00.1' + i * interval '1 hour', timestamptz '1969-12-31 23:59:59.999999+00' - i * interval '1 year',
    time '24:00', interval '1 mon -3 days', '{"k": 1.10, "k2": [1533947986218845197]}', '{"b": 1e2, "a": null}', decode(repeat('ff00', 60), 'hex'), '10.0.0.1/8',
    array[1.50, null, i], array['a,b', '', null, 'q"'], array[timestamptz '2024-01-01 00:00+00'], array['{"x": [1.0]}'::jsonb], array[[1, 2], [3, i]],
    int4range(1, i + 2), tstzrange('2024-01-01 00:00+00', null), nummultirange(numrange(1, 2), numrange(3, null)), row(i, '2024-05-01 00:00+00')::pair,
    'k=>v, empty=>NULL'
  from generate_series(1, ${ROWS - 1}) i;
  insert into products (tenant, id) values ('all null', 1);
  analyze products;
`;

let fixture: Fixture;
let es: Awaited<ReturnType<typeof testSink>>;
let sink: TestSink;
let table: SourceTable;
let plan: DocumentPlan;

before(async () => {
  fixture = await openFixture(SCHEMA);
  es = await testSink();
  sink = es.sink;
  const described = await fixture.source.describeTable('public.products');
  assert.ok(described !== null);
  table = described;
  const { columns } = table;
  const fields = columns.map(({ name }, column) => ({ column, field: name }));
  const key = table.key.map((name) => columns.findIndex((column) => column.name === name));
  plan = { columns, fields, key, onNonFinite: 'reject', onUnrepresentable: 'reject', idHash: 'none' };
});

after(async () => {
  await es?.clean();
  await fixture?.drop();
});

/** A new index with the table as the load would have written it. */
async function loadedIndex(): Promise<string> {
  const index = `${es.alias}-${uniqueName('v')}`;
  const created = await elasticsearch('PUT', `/${index}`, { settings: { number_of_replicas: 0 }, mappings: { enabled: false } });
  assert.equal(created.status, 200, created.text);
  const lines: string[] = [];
  const encoder = new DocumentEncoder(plan);
  const writer = new ByteWriter(1024);
  const reader = await fixture.source.openTable({ table, columns: plan.columns, snapshotName: null });
  const rows = new CopyTextReader(plan.columns.length);
  for await (const chunk of reader.chunks()) {
    rows.push(chunk, (row) => {
      writer.reset();
      const id = encoder.id(row);
      assert.ok(Buffer.isBuffer(id));
      assert.equal(encoder.encode(row, writer), undefined);
      lines.push(JSON.stringify({ index: { _id: id.toString() } }), writer.view().toString('utf8'));
    });
  }
  await reader.close();
  const bulk = await elasticsearch('POST', `/${index}/_bulk`, `${lines.join('\n')}\n`);
  assert.equal(bulk.json.errors, false, bulk.text.slice(0, 500));
  return index;
}

function contextFor(index: string, changes: Partial<VerifyContext> = {}): VerifyContext {
  const events: RunEvent[] = [];
  const nothing = async (): Promise<void> => undefined;
  return {
    source: fixture.source,
    sink,
    // Nobody writes to this table, so there is nothing to replay.
    replay: { hold: nothing, runTo: nothing, release: () => undefined, waitUntilApplied: nothing, changedKeys: () => [], deletedKeys: () => [] },
    clock: { now: () => performance.now(), date: () => new Date(), sleep: nothing },
    reporter: { report: (event) => void events.push(event) },
    table,
    plan,
    index,
    mode: 'full',
    sample: ROWS,
    seed: 'seed',
    rejectedIds: new Set(),
    slotName: uniqueName('realign_verify'),
    slotTimeoutMs: 20_000,
    signal: new AbortController().signal,
    ...changes,
  };
}

const named = (report: VerifyReport): readonly string[] => report.differences.map(({ id, kind, fields }) => [id, kind, ...fields].join(' ')).sort();

/** Changes the stored text of one document, without any parsing. */
async function edit(index: string, id: string, change: (source: string) => string): Promise<void> {
  const path = `/${index}/_doc/${encodeURIComponent(id)}`;
  const { text } = await elasticsearch('GET', `${path}`);
  const source = text.slice(text.indexOf('"_source":') + '"_source":'.length, -1);
  const changed = change(source);
  assert.notEqual(changed, source, `nothing to change in ${source}`);
  const action = JSON.stringify({ index: { _id: id } });
  const { json } = await elasticsearch('POST', `/${index}/_bulk`, `${action}\n${changed}\n`);
  assert.equal(json.errors, false);
}

const idOf = (i: number): string => `${['a\\:b', 'back\\\\slash', 'é😀'][i % 3]}:${9007199254740993n + BigInt(i)}`;

test('an index that equals the table passes in every mode, with every type compared on both paths', async () => {
  const index = await loadedIndex();
  for (const mode of ['full', 'sample', 'counts'] as const) {
    const report = await verifyAtFence(contextFor(index, { mode }));
    assert.deepEqual(report.differences, [], mode);
    assert.equal(isPassing(report), true);
    assert.deepEqual([report.method, report.rows, report.documents], ['fence', ROWS, ROWS]);
    assert.equal(report.sampled.random, mode === 'counts' ? 0 : ROWS);
  }
});

test('every planted difference is named, on the path of the encoder and on the independent one', async () => {
  const index = await loadedIndex();
  await elasticsearch('DELETE', `/${index}/_doc/${encodeURIComponent(idOf(3))}`);
  await elasticsearch('PUT', `/${index}/_doc/${encodeURIComponent('a\\:b:77')}`, { id: 77 });
  const edits: readonly (readonly [number, string, RegExp, string])[] = [
    [4, 'n', /"n":[^,]*/, '"n":0.5714285714285714'],
    [5, 'id', /"id":\d+/, '"id":9007199254740996'],
    [6, 'tz', /"tz":"1963-12-31T23:59:59.999999Z"/, '"tz":"1963-12-31T23:59:59.999Z"'],
    [7, 'ta', /"ta":\["a,b","",null/, '"ta":["a,b",null,""'],
    [8, 'b', /"b":true,/, ''],
    [9, 'jb', /"a": null/, '"a": ""'],
    [10, 'grid', /\[3,10\]/, '[10,3]'],
    [11, 'h', /"v"/, '"v "'],
    [12, 'by', /"by":"\/w/, '"by":"AA'],
    [13, 'tr', /"gte":"2024-01-01T00:00:00Z"/, '"gte":"2024-01-01T01:00:00Z"'],
    [14, 'co', /"t":"2024-05-01/, '"t":"2024-05-02'],
    [15, 'ts', /"ts":"2024-02-29T15:00:00.1"/, '"ts":"2024-02-29T15:00:00.100001"'],
  ];
  for (const [row, , from, to] of edits) await edit(index, idOf(row), (source) => source.replace(from, to));
  const expected = [`${idOf(3)} missing`, 'a\\:b:77 extra', ...edits.map(([row, field]) => `${idOf(row)} different ${field}`)].sort();

  const full = await verifyAtFence(contextFor(index, { sample: 0 }));
  assert.deepEqual(named(full), expected);
  const settling = await verifyBySettling(contextFor(index));
  assert.deepEqual(named(settling), expected);
  assert.deepEqual([settling.method, settling.unsettled], ['settling', []]);
  const sampled = await verifyAtFence(contextFor(index, { mode: 'sample' }));
  // The extra one is in the sample of the index, not in that of the rows.
  assert.deepEqual(named(sampled), expected);
});

test('other bytes of the same value pass', async () => {
  const index = await loadedIndex();
  await edit(index, idOf(4), (source) => source.replace(/"p":4\.40/, '"p": 44e-1').replace(/^\{/, '{ '));
  await edit(index, idOf(5), (source) => `{"jb":{"a":null,"b":100.0},${source.slice(1).replace(/"jb":\{.*?\},/, '')}`);
  const report = await verifyAtFence(contextFor(index));
  assert.deepEqual(report.differences, []);
  assert.ok(report.partitionsEqual < report.partitions && isPassing(report));
});

test('what is written after the fence, on either side, is not seen', async () => {
  const index = await loadedIndex();
  const context = contextFor(index);
  const inserted: Promise<unknown>[] = [];
  const release = (): void => {
    inserted.push(fixture.app.query(`insert into products (tenant, id) values ('later', 1)`));
    inserted.push(elasticsearch('PUT', `/${index}/_doc/foreign?refresh=true`, {}));
  };
  const report = await verifyAtFence({ ...context, replay: { ...context.replay, release } });
  await Promise.all(inserted);
  await fixture.app.query(`delete from products where tenant = 'later'`);
  assert.deepEqual([report.differences, report.rows, report.documents], [[], ROWS, ROWS]);
});

test('a writing transaction that does not end makes it settle', async () => {
  const index = await loadedIndex();
  await fixture.app.query('begin; select pg_current_xact_id()');
  try {
    const report = await verifyAtFence(contextFor(index, { slotTimeoutMs: 300 }));
    assert.deepEqual([report.method, isPassing(report)], ['settling', true]);
  } finally {
    await fixture.app.query('rollback');
  }
});

test('settling: a document of an id that is no key of the table is extra', async () => {
  await fixture.app.query('create table numbers (id int primary key); insert into numbers select generate_series(1, 20)');
  const numbers = await fixture.source.describeTable('public.numbers');
  assert.ok(numbers !== null);
  const index = `${es.alias}-${uniqueName('v')}`;
  const documents = Array.from({ length: 19 }, (_, i) => `{"index":{"_id":"${i + 1}"}}\n{"id":${i + 1}}\n`);
  documents.push('{"index":{"_id":"abc"}}\n{"id":1}\n', '{"index":{"_id":"007"}}\n{"id":7}\n', '{"index":{"_id":"99999999999"}}\n{"id":1}\n');
  await elasticsearch('POST', `/${index}/_bulk`, documents.join(''));
  const keyed = { ...plan, columns: numbers.columns, fields: [{ column: 0, field: 'id' }], key: [0] };
  const report = await verifyBySettling(contextFor(index, { table: numbers, plan: keyed }));
  assert.deepEqual(named(report), ['007 extra', '20 missing', '99999999999 extra', 'abc extra']);
});
