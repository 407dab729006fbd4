import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { keyAsId, shownId } from '../../../src/core/encode/shown-id.ts';

const shownKey = (...key: readonly string[]): string => shownId(keyAsId(key).toString('utf8'));

test('an id is shown as it is', () => {
  for (const id of ['1', 'a:b', 'a\\:b:c', '', 'x'.repeat(512)]) assert.equal(shownId(id), id);
});

test('a key that makes no id is shown in the form of one: never with what stands between its texts inside', () => {
  assert.equal(shownKey('a', 'b'), 'a:b');
  assert.equal(shownKey('a:b', 'c\\'), 'a\\:b:c\\\\');
  assert.equal(shownKey('', '1'), ':1');
  assert.doesNotMatch(shownKey('', ''), /\0/);
});

test('what is longer than any id is shown by its beginning and the hash that tells it from its likes', () => {
  const id = 'k'.repeat(600);
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 16);
  assert.equal(shownId(id), `${'k'.repeat(100)}… (600 bytes, sha256 ${hash})`);
  assert.notEqual(shownId(`${id}a`), shownId(`${id}b`));
  // In whole characters.
  assert.match(shownId('😀'.repeat(200)), /^(?:😀){100}… \(800 bytes, /u);
  assert.ok(shownKey('x'.repeat(10_000_000), 'y').length < 200);
});
