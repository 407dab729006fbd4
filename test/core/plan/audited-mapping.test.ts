import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldTypeDifferences } from '../../../src/core/plan/field-type-differences.ts';
import { ignorableFields } from '../../../src/core/plan/ignorable-fields.ts';

const properties = (fields: { readonly [field: string]: object }) => ({ properties: fields });
const compare = (names: readonly string[], planned: object, actual: object) =>
  fieldTypeDifferences(
    names.map((field) => ({ field })),
    planned as never,
    actual as never,
  );

test('fields of another type, or none, are named; other parameters and other fields are not', () => {
  const planned = properties({ a: { type: 'long' }, b: { type: 'text' }, c: { properties: {} }, constructor: { type: 'keyword' } });
  const actual = properties({
    a: { type: 'keyword' },
    b: { type: 'text', analyzer: 'x' },
    c: { dynamic: 'true', properties: {} },
    z: { type: 'long' },
  });
  assert.deepEqual(compare(['a', 'b', 'c', 'constructor'], planned, actual), [
    { field: 'a', expected: 'long', actual: 'keyword' },
    { field: 'constructor', expected: 'keyword', actual: '(none)' },
  ]);
});

test('a name with dots is the same field as objects in objects', () => {
  const planned = properties({ 'geo.point': { type: 'geo_point' } });
  assert.deepEqual(compare(['geo.point'], planned, properties({ geo: properties({ point: { type: 'geo_point' } }) })), []);
  assert.equal(compare(['geo.point'], planned, properties({ geo: properties({}) }))[0]?.actual, '(none)');
  assert.equal(compare(['a'], properties({}), {})[0], undefined);
});

test('only sub-fields with ignore_above may be left out', () => {
  const text = { type: 'text', fields: { keyword: { type: 'keyword', ignore_above: 256 }, raw: { type: 'keyword' } } };
  assert.deepEqual([...ignorableFields(properties({ title: text, sku: { type: 'keyword', ignore_above: 10 } }))], ['title.keyword']);
  assert.deepEqual([...ignorableFields({})], []);
});
