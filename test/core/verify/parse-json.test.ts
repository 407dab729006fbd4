import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse } from 'lossless-json';
import { parseJsonText } from '../../../src/core/verify/parse-json.ts';

interface Digits {
  readonly digits: string;
}

const read = (text: string): unknown =>
  parseJsonText<unknown>(text, { number: (digits): Digits => ({ digits }), repeated: (earlier, value) => ({ earlier, value }) });

test('reads what another parser reads, digit for digit', () => {
  fc.assert(
    fc.property(fc.json({ depthSize: 'medium' }), fc.constantFrom('', ' ', '\n\t\r '), (text, space) => {
      const padded = `${space}${text.replaceAll(/([[\]{},:])(?=(?:[^"\\]|\\.|"(?:[^"\\]|\\.)*")*$)/g, `${space}$1${space}`)}${space}`;
      const other = parse(text, null, {
        parseNumber: (digits) => ({ digits }),
        onDuplicateKey: ({ oldValue, newValue }) => ({ earlier: oldValue, value: newValue }),
      });
      assert.deepEqual(read(padded), other);
    }),
  );
});

test('numbers keep their spelling, keys what they are called', () => {
  assert.deepEqual(read('[-0, 1.10, 1e400, 12345678901234567890]'), [
    { digits: '-0' },
    { digits: '1.10' },
    { digits: '1e400' },
    { digits: '12345678901234567890' },
  ]);
  const object = read('{"__proto__": 1, "constructor": null, "": true, "a\\"\\\\": "\\u00e9\\ud83d\\ude00\\\\"}') as object;
  assert.deepEqual(Object.keys(object), ['__proto__', 'constructor', '', 'a"\\']);
  assert.equal((object as { readonly [key: string]: unknown })['a"\\'], 'é😀\\');
  assert.deepEqual(read('{"a":1,"a":2}'), { a: { earlier: { digits: '1' }, value: { digits: '2' } } });
});

test('what is not JSON is an error, too deep nesting another', () => {
  for (const text of [
    '',
    ' ',
    '{',
    '[1',
    '[1,]',
    '{"a"}',
    '{"a":}',
    '{a:1}',
    '"x',
    '"\\"',
    '01',
    '1.',
    '+1',
    'nul',
    'true false',
    '"\t"',
    '"\\x"',
    '[1}',
    ',',
  ]) {
    assert.throws(() => read(text), SyntaxError, text);
  }
  assert.throws(() => read('['.repeat(1_000_000)), RangeError);
});

test('a string of 50 MB is read in a moment', () => {
  const long = 'x'.repeat(50 << 20);
  const startedAt = performance.now();
  assert.deepEqual(read(`{"a":"${long}","b":1}`), { a: long, b: { digits: '1' } });
  assert.ok(performance.now() - startedAt < 5000);
});
