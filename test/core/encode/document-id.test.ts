import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DocumentEncoder } from '../../../src/core/encode/document.ts';
import type { DocumentPlan } from '../../../src/core/encode/document-plan.ts';
import { runs } from '../../support/property-runs.ts';
import { anyText } from './postgres-text.ts';
import { planOf, rowOf } from './support.ts';

function keyed(parts: number, more: Partial<DocumentPlan> = {}): DocumentPlan {
  const forms = Object.fromEntries(Array.from({ length: parts }, (_, i) => [`k${i}`, { kind: 'string' as const }]));
  return planOf(forms, { key: Array.from({ length: parts }, (_, i) => i), ...more });
}

function idOf(texts: readonly (string | null)[], more: Partial<DocumentPlan> = {}): string {
  const id = new DocumentEncoder(keyed(texts.length, more)).id(rowOf(texts));
  return Buffer.isBuffer(id) ? id.toString('utf8') : `rejected: ${id.column}: ${id.reason}`;
}

/** Frozen: another encoding would duplicate every document on the next rebuild or audit. */
const golden: readonly (readonly [readonly string[], string])[] = [
  [['42'], '42'],
  [['-7'], '-7'],
  [['1.00'], '1.00'],
  [['a:b\\c'], 'a:b\\c'],
  [['2024-01-02 03:04:05+00'], '2024-01-02 03:04:05+00'],
  [['eu', '42'], 'eu:42'],
  [['', ''], ':'],
  [['a:b', 'c'], 'a\\:b:c'],
  [['a', 'b:c'], 'a:b\\:c'],
  [['a\\', 'b'], 'a\\\\:b'],
  [['a', '\\b', 'é'], 'a:\\\\b:é'],
];
for (const [texts, id] of golden) test(`key ${JSON.stringify(texts)} is ${id}`, () => assert.equal(idOf(texts), id));

test('the key is taken in key order, not in column order', () => {
  const plan = { ...keyed(3), key: [2, 0] };
  assert.deepEqual(new DocumentEncoder(plan).id(rowOf(['a', 'b', 'c'])), Buffer.from('c:a'));
});

test('different keys have different ids', () => {
  const keys = fc
    .integer({ min: 1, max: 4 })
    .chain((parts) =>
      fc.tuple(
        ...Array.from({ length: 2 }, () =>
          fc.array(fc.oneof(anyText, fc.constantFrom(':', '\\:', '\\', 'a')), { minLength: parts, maxLength: parts }),
        ),
      ),
    );
  fc.assert(
    fc.property(keys, ([one, other]) => {
      assert.ok(one !== undefined && other !== undefined);
      const same = one.every((text, i) => text === other[i]);
      for (const idHash of ['none', 'sha256'] as const)
        if (!idOf(one).startsWith('rejected')) assert.equal(idOf(one, { idHash }) === idOf(other, { idHash }), same);
    }),
    runs(2000),
  );
});

test('512 bytes are an id, 513 are refused or hashed', () => {
  assert.equal(idOf(['k'.repeat(512)]), 'k'.repeat(512));
  assert.match(idOf(['k'.repeat(513)]), /^rejected: k0: the id is longer than 512 bytes/);
  assert.match(idOf(['€'.repeat(171)]), /^rejected/);
  assert.match(idOf([':'.repeat(200), ':'.repeat(100)]), /^rejected/);
  assert.equal(idOf(['k'.repeat(513)], { idHash: 'sha256' }), 'sha256:45a7c7ef95c3417e800362f5672aba16da807261fe7121f3a81b0a0fb6b9a05c');
  assert.equal(idOf(['k'.repeat(512)], { idHash: 'sha256' }), 'k'.repeat(512));
});

test('a key that looks like a hash is hashed, or it could be taken for one', () => {
  const hashed = idOf(['k'.repeat(600)], { idHash: 'sha256' });
  assert.notEqual(idOf([hashed], { idHash: 'sha256' }), hashed);
  assert.equal(idOf([hashed]), hashed);
});

test('no id: empty or null', () => {
  assert.equal(idOf(['']), 'rejected: k0: the id is empty');
  assert.equal(idOf([null]), 'rejected: k0: the key is null');
  assert.equal(idOf(['a', null]), 'rejected: k1: the key is null');
});
