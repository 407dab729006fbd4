import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Failure } from '../../../src/core/failure.ts';
import { readHits } from '../../../src/elasticsearch/raw-hits.ts';

const WHOLE = '"timed_out":false,"_shards":{"total":2,"successful":2,"skipped":0,"failed":0}';

function answerOf(hits: string, rest = WHOLE): Buffer {
  return Buffer.from(`{"pit_id":"p1","took":1,${rest},"hits":{"total":{"value":7,"relation":"eq"},"max_score":null,"hits":[${hits}]}}`);
}

test('sources come out byte for byte, versions and sort with every digit', () => {
  const sources = [
    '{ "a" : 1.10 }',
    '{"n":123456789012345678901234567890.12345,"_id":"x"}',
    '{"s":"\\"}]\\\\","é":"\\u00e9 😀"}',
    '{}',
    '{"a":[[{"b":"]"}],[]]}',
  ];
  const hits = sources.map(
    (source, i) =>
      `{"_index":"i","_id":"id\\"${i}","_version":9223372036854775807,"_score":null,"_source":${source},"sort":[900719925474099300${i}]}`,
  );
  const page = readHits(answerOf(hits.join(', ')));
  assert.deepEqual(
    page.documents.map(({ source }) => source.toString()),
    sources,
  );
  assert.equal(page.documents[2]?.id, 'id"2');
  assert.equal(page.documents[2]?.version, 9223372036854775807n);
  assert.equal(page.searchAfter, '[9007199254740993004]');
  assert.equal(page.pitId, 'p1');
  assert.equal(page.total, 7);
});

test('an empty page has no next one', () => {
  assert.deepEqual(readHits(answerOf('')), { documents: [], searchAfter: null, total: 7, pitId: 'p1' });
});

test('any JSON object, with any white space, is sliced exactly', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), fc.constantFrom(0, 1, '\t'))), (cases) => {
      const sources = cases.map(([value, indent]) => JSON.stringify(value, null, indent));
      const hits = sources.map((source) => `{"_id":"1", "_version" : 5 ,"_source": ${source} , "sort":[1]}`);
      assert.deepEqual(
        readHits(answerOf(hits.join(','))).documents.map(({ source }) => source.toString()),
        sources,
      );
    }),
  );
});

for (const [what, rest] of [
  ['a failed shard', '"timed_out":false,"_shards":{"total":2,"successful":1,"skipped":0,"failed":1}'],
  ['a silent shard', '"timed_out":false,"_shards":{"total":2,"successful":1,"skipped":0,"failed":0}'],
  ['a timeout', '"timed_out":true,"_shards":{"total":2,"successful":2,"skipped":0,"failed":0}'],
  ['no word about shards', '"timed_out":false'],
] as const) {
  test(`${what} is not an answer`, () => {
    assert.throws(
      () => readHits(answerOf('', rest)),
      (error) => error instanceof Failure && error.kind === 'sink-overloaded',
    );
  });
}

test('an answer that is cut off is an error wherever the cut is', () => {
  const whole = answerOf('{"_id":"1","_version":5,"_source":{"a":"x\\"y"},"sort":[1]}');
  for (let length = 1; length < whole.length; length++) assert.throws(() => readHits(whole.subarray(0, length)), `cut at ${length}`);
});

test('a hit without source cannot be compared', () => {
  assert.throws(() => readHits(answerOf('{"_id":"1","_version":5,"sort":[1]}')), /_source/);
});
