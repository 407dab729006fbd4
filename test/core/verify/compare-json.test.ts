import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareDocuments } from '../../../src/core/verify/compare-json.ts';

function fieldsThatDiffer(left: string, right: string): readonly string[] {
  return compareDocuments(Buffer.from(left), Buffer.from(right)).map(({ field }) => field);
}

const EQUAL: readonly (readonly [string, string, string])[] = [
  ['the spelling of a number', '{"a":1}', '{"a":1.0}'],
  ['an exponent', '{"a":1e0}', '{"a":1}'],
  ['the order of keys', '{"a":1,"b":{"c":2,"d":3}}', '{"b":{"d":3,"c":2},"a":1}'],
  ['white space', '{ "a" : [ 1 , 2 ] }', '{"a":[1,2]}'],
  ['an escape', '{"a":"\\u00e9\\/"}', '{"a":"é/"}'],
  ['a repeated key on both sides', '{"a":{"k":1,"k":2}, "b":1}', '{"a":{"k":1,"k":2.0},"b":1}'],
];

for (const [what, left, right] of EQUAL) {
  test(`equal by value: ${what}`, () => assert.deepEqual(fieldsThatDiffer(left, right), []));
}

const DIFFERENT: readonly (readonly [string, string, string])[] = [
  ['a number', '{"a":12.90}', '{"a":12.899999}'],
  ['the last digit of an int8', '{"a":9007199254740993}', '{"a":9007199254740992}'],
  ['null and a missing key', '{"a":null}', '{}'],
  ['null and an empty string', '{"a":null}', '{"a":""}'],
  ['null and the text null', '{"a":null}', '{"a":"null"}'],
  ['a number and its text', '{"a":1}', '{"a":"1"}'],
  ['the order of an array', '{"a":[1,2]}', '{"a":[2,1]}'],
  ['the length of an array', '{"a":[1,null]}', '{"a":[1]}'],
  ['an array and its only element', '{"a":[1]}', '{"a":1}'],
  ['an empty array and an empty object', '{"a":[]}', '{"a":{}}'],
  ['a truncated text', '{"a":"abcdef"}', '{"a":"abcde"}'],
  ['the case of a text', '{"a":"A"}', '{"a":"a"}'],
  ['the normal form of a text', '{"a":"é"}', '{"a":"e\u0301"}'],
  ['a nested value', '{"a":{"b":{"c":1}}}', '{"a":{"b":{"c":2}}}'],
  ['a repeated key', '{"a":{"k":1,"k":2}}', '{"a":{"k":2}}'],
  ['a key named like a prototype', '{"a":{"__proto__":{"x":1}}}', '{"a":{}}'],
  ['an inherited name', '{"a":{"toString":1}}', '{"a":{"valueOf":1}}'],
];

for (const [what, left, right] of DIFFERENT) {
  test(`different: ${what}`, () => {
    assert.deepEqual(fieldsThatDiffer(left, right), ['a']);
    assert.deepEqual(fieldsThatDiffer(right, left), ['a']);
  });
}

test('every differing field is named, in order, with both texts', () => {
  assert.deepEqual(compareDocuments(Buffer.from('{"a":1.50,"b":"x","c":null}'), Buffer.from('{"a":1.5,"b":"y","d":[1]}')), [
    { field: 'b', postgres: '"x"', elasticsearch: '"y"' },
    { field: 'c', postgres: 'null', elasticsearch: '(missing)' },
    { field: 'd', postgres: '(missing)', elasticsearch: '[1]' },
  ]);
});

test('two long texts are cut where they part', () => {
  const head = 'x'.repeat(5000);
  const [difference] = compareDocuments(Buffer.from(JSON.stringify({ a: `${head}left` })), Buffer.from(JSON.stringify({ a: `${head}right` })));
  assert.ok(difference !== undefined && difference.postgres.length < 100);
  assert.match(difference.postgres, /^…x+left"$/);
  assert.match(difference.elasticsearch, /^…x+right"$/);
});

test('what is no JSON object is different as a whole and never throws', () => {
  for (const bad of ['', '[1]', '{"a":', 'null', `${'['.repeat(200_000)}`]) {
    assert.deepEqual(fieldsThatDiffer('{"a":1}', bad), ['_source']);
    assert.deepEqual(fieldsThatDiffer(bad, '{"a":1}'), ['_source']);
  }
});

test('equal bytes are equal without being parsed', () => assert.deepEqual(fieldsThatDiffer('{"a":', '{"a":'), []));

test('any document equals itself with its keys turned around, and differs once a value is changed', () => {
  const json = fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue(), { minKeys: 1, noNullPrototype: true });
  fc.assert(
    fc.property(json, (document) => {
      const keys = Object.keys(document);
      const turned = `{${[...keys]
        .reverse()
        .map((key) => `${JSON.stringify(key)} : ${JSON.stringify(document[key])}`)
        .join(',')}}`;
      assert.deepEqual(fieldsThatDiffer(JSON.stringify(document), turned), []);
      const first = keys[0] as string;
      const changed = JSON.stringify({ ...document, [first]: [document[first]] });
      assert.deepEqual(fieldsThatDiffer(JSON.stringify(document), changed), [first]);
    }),
  );
});
