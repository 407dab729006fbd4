import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Failure } from '../../src/core/failure.ts';
import type { FrozenIndex, ScannedDocument } from '../../src/phases/sink-ports.ts';
import { elasticsearch } from '../support/servers.ts';
import { bulkOf, requestOf, type TestSink, testSink, type Write } from './fixture.ts';

let sink: TestSink;
let alias: string;
let clean: () => Promise<void>;

before(async () => {
  ({ sink, alias, clean } = await testSink());
});
after(() => clean());

async function makeIndex(build: string, writes: readonly Write[]): Promise<{ readonly index: string; readonly buildAlias: string }> {
  const request = { ...requestOf(alias, build), mapping: { enabled: false } };
  await sink.createIndex(request);
  const answer = await sink.bulk(request.buildAlias, bulkOf(writes));
  assert.ok(answer.kind === 'outcomes' && answer.outcomes.every(({ kind }) => kind === 'done'));
  await sink.refresh(request.index);
  return request;
}

async function scanAll(frozen: FrozenIndex): Promise<ReadonlyMap<string, ScannedDocument>> {
  const found = new Map<string, ScannedDocument>();
  for await (const page of frozen.scan()) {
    for (const document of page) {
      assert.ok(!found.has(document.id), 'twice');
      found.set(document.id, document);
    }
  }
  return found;
}

test('5,000 documents, deletes among them: all that is there, as it was when frozen', async () => {
  const writes = Array.from({ length: 5_000 }, (_, i): Write => [`k${i}`, BigInt(8 * i + 8), `{"n":${i},"pad":"${'x'.repeat(i % 300)}"}`]);
  const { index, buildAlias } = await makeIndex('b001', writes);
  await sink.bulk(buildAlias, bulkOf(writes.filter((_, i) => i % 7 === 0).map(([id]): Write => [id, 100_000n, null])));
  await sink.refresh(index);
  const frozen = await sink.freeze(index);
  try {
    // What comes after is not seen.
    await sink.bulk(
      buildAlias,
      bulkOf([
        ['k1', 200_000n, '{"n":-1}'],
        ['k2', 200_000n, null],
        ['later', 8n, '{}'],
      ]),
    );
    await sink.refresh(index);
    const expected = writes.filter((_, i) => i % 7 !== 0);
    assert.equal(await frozen.count(), expected.length);
    const found = await scanAll(frozen);
    assert.equal(found.size, expected.length);
    for (const [id, version, source] of expected) {
      assert.equal(found.get(id)?.source.toString(), source);
      assert.equal(found.get(id)?.version, version);
    }
    const some = await frozen.byIds([...expected.slice(0, 1_200).map(([id]) => id), 'k0', 'nobody', 'later', 'k1', 'k1']);
    assert.deepEqual(new Set(some.map(({ id }) => id)), new Set(expected.slice(0, 1_200).map(([id]) => id)));
    assert.equal(some.length, 1_200);
    assert.deepEqual(await frozen.byIds([]), []);
  } finally {
    await frozen.close();
    await frozen.close();
  }
});

test('sources and ids are byte for byte what was sent', async () => {
  const sources = [
    '{"a":1.10,"b":1e21,"c":123456789012345678901234567890,"d":0.10000000000000000555,"e":-0}',
    '{ "a" : [ 1.0 , "x\\u00e9\\n" ] }',
    '{"s":"😀é\\\\\\"}]","":{"":[]}}',
    '{"z":1,"a":2,"j":{"b":null,"a":12345678901234567890.123456789}}',
    '{}',
  ];
  const ids = ['plain', 'a/b c?d#e', '"quoted\\"', 'é😀', '..'];
  const { index } = await makeIndex(
    'b002',
    sources.map((source, i): Write => [ids[i] as string, 9007199254740993n, source]),
  );
  const frozen = await sink.freeze(index);
  try {
    const found = await scanAll(frozen);
    for (const [i, id] of ids.entries()) assert.equal(found.get(id)?.source.toString(), sources[i]);
    assert.equal(found.get('plain')?.version, 9007199254740993n);
    assert.equal((await frozen.byIds(ids)).length, ids.length);
    assert.deepEqual(await frozen.ignored(), []);
  } finally {
    await frozen.close();
  }
});

test('pages shrink for large documents and a single huge one still comes', async () => {
  const writes = Array.from({ length: 60 }, (_, i): Write => [`k${i}`, 8n, `{"pad":"${'x'.repeat(i === 59 ? 36 << 20 : 700_000)}"}`]);
  const { index, buildAlias } = await makeIndex('b003', writes.slice(0, 30));
  for (const part of [writes.slice(30, 59), writes.slice(59)]) await sink.bulk(buildAlias, bulkOf(part));
  await sink.refresh(index);
  const frozen = await sink.freeze(index);
  try {
    let count = 0;
    for await (const page of frozen.scan()) {
      count += page.length;
      assert.ok(page.length === 1 || page.reduce((sum, { source }) => sum + source.length, 0) < 33 << 20);
    }
    assert.equal(count, writes.length);
    assert.equal((await frozen.byIds(writes.map(([id]) => id))).length, writes.length);
  } finally {
    await frozen.close();
  }
});

test('fields that the index left out are counted', async () => {
  const request = { ...requestOf(alias, 'b004'), mapping: { properties: { t: { type: 'keyword', ignore_above: 3 } } } };
  await sink.createIndex(request);
  await sink.bulk(
    request.buildAlias,
    bulkOf([
      ['1', 8n, '{"t":"long"}'],
      ['2', 8n, '{"t":"x"}'],
    ]),
  );
  await sink.refresh(request.index);
  const frozen = await sink.freeze(request.index);
  assert.deepEqual(await frozen.ignored(), [{ field: 't', documents: 1, ids: ['1'] }]);
  assert.deepEqual([...(await frozen.randomIds(10, 7))].sort(), ['1', '2']);
  await frozen.close();
});

test('an empty index scans to nothing; a missing one and an expired freeze say so', async () => {
  const { index } = await makeIndexEmpty('b005');
  const frozen = await sink.freeze(index);
  assert.equal((await scanAll(frozen)).size, 0);
  await frozen.close();
  await assert.rejects(frozen.count(), (error) => error instanceof Failure && error.kind === 'stalled');
  await assert.rejects(sink.freeze(`${alias}-gone`), (error) => error instanceof Failure && error.kind === 'target-vanished');
});

test('a scan that is left early lets go of everything', async () => {
  const { index } = await makeIndex(
    'b006',
    Array.from({ length: 1_000 }, (_, i): Write => [`k${i}`, 8n, '{}']),
  );
  const frozen = await sink.freeze(index);
  for await (const page of frozen.scan()) {
    assert.ok(page.length > 0);
    break;
  }
  await frozen.close();
  assert.equal((await elasticsearch('GET', `/${index}/_stats/search`)).json._all.total.search.open_contexts, 0);
});

async function makeIndexEmpty(build: string): Promise<{ readonly index: string }> {
  const request = requestOf(alias, build);
  await sink.createIndex(request);
  return request;
}
