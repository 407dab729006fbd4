import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DocumentPlan, ValuePolicy } from '../../../src/core/encode/document-plan.ts';
import type { ValueForm } from '../../../src/core/encode/value-form.ts';
import { compareReference } from '../../../src/core/verify/reference-compare.ts';

function planOf(form: ValueForm, policy: ValuePolicy = 'reject'): DocumentPlan {
  const column = { name: 'a', attnum: 1, typeName: '', typeOid: 0, typmod: -1, notNull: false, generated: false, form };
  return { columns: [column], fields: [{ column: 0, field: 'a' }], key: [0], onNonFinite: policy, onUnrepresentable: policy, idHash: 'none' };
}

function equal(form: ValueForm, reference: string, source: string, policy?: ValuePolicy): boolean {
  return compareReference(planOf(form, policy), `{"a": ${reference}}`, Buffer.from(`{"a":${source}}`)).length === 0;
}

const NUMBER: ValueForm = { kind: 'number' };
const TIMESTAMPTZ: ValueForm = { kind: 'timestamptz' };
const ARRAY_OF = (element: ValueForm): ValueForm => ({ kind: 'array', element, delimiter: ',' });

test('numbers compare by value', () => {
  assert.equal(equal(NUMBER, '12.90', '12.9'), true);
  assert.equal(equal(NUMBER, '12.90', '12.899999'), false);
  assert.equal(equal(NUMBER, '100000000000000000000', '1e+20'), true);
  assert.equal(equal(NUMBER, '1', '"1"'), false);
  assert.equal(equal(NUMBER, '"4294967295"', '4294967295'), true, 'to_jsonb gives an oid as a string');
});

test('NaN and the infinities follow the policy, and only they do', () => {
  assert.equal(equal(NUMBER, '"NaN"', 'null', 'null'), true);
  assert.equal(equal(NUMBER, '"NaN"', '"NaN"', 'string'), true);
  assert.equal(equal(NUMBER, '"-Infinity"', '"Infinity"', 'string'), false);
  assert.equal(equal(NUMBER, '"NaN"', 'null', 'reject'), false);
  assert.equal(equal(NUMBER, '1', 'null', 'null'), false);
});

test('a number too long for Elasticsearch follows the policy', () => {
  const long = `0.${'1'.repeat(1000)}`;
  assert.equal(equal(NUMBER, long, 'null', 'null'), true);
  assert.equal(equal(NUMBER, long, `"${long}"`, 'string'), true);
  assert.equal(equal(NUMBER, long, `"${long.slice(1)}"`, 'string'), false);
  assert.equal(equal(NUMBER, long.slice(0, -1), 'null', 'null'), false);
});

test('times compare as instants', () => {
  assert.equal(equal(TIMESTAMPTZ, '"2024-01-02T03:04:05.5+00:00"', '"2024-01-02T03:04:05.500Z"'), true);
  assert.equal(equal(TIMESTAMPTZ, '"2024-01-02T03:04:05+05:30"', '"2024-01-01T21:34:05Z"'), true);
  assert.equal(equal(TIMESTAMPTZ, '"2024-01-02T03:04:05+00:00"', '"2024-01-02T04:04:05Z"'), false);
  assert.equal(equal(TIMESTAMPTZ, '"2024-01-02T03:04:05.123456+00:00"', '"2024-01-02T03:04:05.123Z"'), false);
  assert.equal(equal({ kind: 'timestamp' }, '"2024-02-29T00:00:00"', '"2024-02-29T00:00:00"'), true);
  assert.equal(equal({ kind: 'date' }, '"2024-02-29"', '"2024-03-01"'), false);
  assert.equal(equal({ kind: 'date' }, '"0044-03-15 BC"', '"-0043-03-15"'), true);
});

test('a time that Elasticsearch cannot hold follows the policy, and only such a time does', () => {
  assert.equal(equal(TIMESTAMPTZ, '"infinity"', 'null', 'null'), true);
  assert.equal(equal(TIMESTAMPTZ, '"infinity"', '"infinity"', 'string'), true);
  assert.equal(equal(TIMESTAMPTZ, '"294276-12-31T23:59:59+00:00"', 'null', 'null'), true);
  assert.equal(equal(TIMESTAMPTZ, '"294276-12-31T23:59:59+00:00"', '"294276-12-31 23:59:59+00"', 'string'), true);
  assert.equal(equal(TIMESTAMPTZ, '"2024-01-01T00:00:00+00:00"', 'null', 'null'), false);
  assert.equal(equal(TIMESTAMPTZ, '"infinity"', '"-infinity"', 'string'), false);
});

test('arrays compare element by element in the form of the element, in any number of dimensions', () => {
  assert.equal(equal(ARRAY_OF(NUMBER), '[1.0, null, 3]', '[1,null,3.00]'), true);
  assert.equal(equal(ARRAY_OF(NUMBER), '[[1,2],[3,4]]', '[[1,2],[3,4.0]]'), true);
  assert.equal(equal(ARRAY_OF(NUMBER), '[[1,2],[3,4]]', '[[1,2],[4,3]]'), false);
  assert.equal(equal(ARRAY_OF(NUMBER), '[1]', '1'), false);
  assert.equal(equal(ARRAY_OF({ kind: 'json' }), '[[1,"2024-01-01"]]', '[[1.0,"2024-01-01"]]'), true);
  assert.equal(equal(ARRAY_OF(TIMESTAMPTZ), '["2024-01-02T00:00:00+00:00"]', '["2024-01-02T00:00:00Z"]'), true);
});

test('ranges compare bound by bound, composites attribute by attribute', () => {
  const range: ValueForm = { kind: 'range', bound: TIMESTAMPTZ };
  assert.equal(equal(range, '{"gte":"2024-01-02T00:00:00+00:00"}', '{"gte":"2024-01-02T00:00:00Z"}'), true);
  assert.equal(equal(range, '{"gte":"2024-01-02T00:00:00+00:00"}', '{"gt":"2024-01-02T00:00:00Z"}'), false);
  assert.equal(equal({ kind: 'multirange', bound: NUMBER }, '[{"gte":1,"lt":2}]', '[{"lt":2.0,"gte":1}]'), true);
  assert.equal(equal({ kind: 'multirange', bound: NUMBER }, '[{"gte":1,"lt":2}]', '[]'), false);
  const composite: ValueForm = { kind: 'composite', attributes: [{ name: 'n', form: NUMBER }] };
  assert.equal(equal(composite, '{"n":1}', '{"n":1.0}'), true);
  assert.equal(equal(composite, '{"n":null}', '{}'), false);
  assert.equal(equal(composite, '{"n":1}', '{"n":1,"m":2}'), false);
});

test('bytea compares as base64 without its line breaks', () => {
  assert.equal(equal({ kind: 'bytea' }, '"AQ\\nID"', '"AQID"'), true);
  assert.equal(equal({ kind: 'bytea' }, '"AQID"', '"\\\\x010203"'), false);
});

test('texts compare exactly, and null, missing and empty are three things', () => {
  const form: ValueForm = { kind: 'string' };
  assert.equal(equal(form, '"a"', '"a "'), false);
  assert.equal(equal(form, 'null', 'null'), true);
  assert.equal(equal(form, 'null', '""'), false);
  assert.equal(compareReference(planOf(form), '{"a":null}', Buffer.from('{}')).length, 1);
  assert.equal(compareReference(planOf(form), '{"a":"x"}', Buffer.from('{"a":"x","foreign":1}')).length, 1);
});

test('json columns compare by value; of a repeated key the last value counts, as in jsonb', () => {
  assert.equal(equal({ kind: 'json' }, '{"k": 2}', '{"k":1,"k":2.0}'), true);
  assert.equal(equal({ kind: 'json' }, '{"t": "2024-01-01T00:00:00Z"}', '{"t":"2024-01-01T00:00:00+00:00"}'), false);
  assert.equal(equal({ kind: 'hstore' }, '{"k": null}', '{"k":null}'), true);
  assert.equal(equal({ kind: 'boolean' }, 'true', 'false'), false);
});

test('a side that is no JSON object differs as a whole', () => {
  assert.deepEqual(
    compareReference(planOf(NUMBER), '{"a":1}', Buffer.from('[]')).map(({ field }) => field),
    ['_source'],
  );
});
