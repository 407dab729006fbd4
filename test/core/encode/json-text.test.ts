import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ByteWriter } from '../../../src/core/encode/byte-writer.ts';
import { writeString } from '../../../src/core/encode/json-text.ts';
import { runs } from '../../support/property-runs.ts';

/** Every character that JSON or the words of four bytes treat in a way of their own, among plain ones. */
const character = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...'abcXYZ 09') },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 0x24 }).map((code) => String.fromCharCode(code)) },
  { weight: 1, arbitrary: fc.constantFrom('"', '\\', '/', '\u007f', '\u0080', 'é', 'ÿ', '\u2028', '€', '\ud83d\ude00') },
);
const text = fc.array(character, { maxLength: 120 }).map((characters) => characters.join(''));

/** What is written of a text that stands anywhere in a buffer, into a writer that holds something already. */
function written(value: string, before: number): string {
  const bytes = Buffer.from(`${'"'.repeat(before)}${value}\\"\n`);
  const out = new ByteWriter(64);
  for (let i = 0; i < before; i++) out.byte(0x2e);
  writeString(bytes, before, before + Buffer.byteLength(value), out);
  return out.view().subarray(before).toString('utf8');
}

test('a text becomes what JSON.stringify makes of it, wherever it stands', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 0, max: 7 }), (value, before) => {
      assert.equal(written(value, before), JSON.stringify(value));
    }),
    runs(2000),
  );
});

test('each byte that may be in a text, at each place of a word', () => {
  for (let code = 0; code < 0x100; code++) {
    for (let place = 0; place < 8; place++) {
      const value = `${'x'.repeat(16 + place)}${String.fromCodePoint(code)}${'y'.repeat(8)}`;
      assert.equal(written(value, 0), JSON.stringify(value));
    }
  }
});
