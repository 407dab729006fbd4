import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TouchedKeys } from '../../../src/phases/replay/touched-keys.ts';

const keyOf = (text: string): readonly string[] => [text];

test('before a hold all keys of the run are judged, behind it those of the tail alone, and none of the tail is left out', () => {
  const touched = new TouchedKeys(Math.random, 100);
  touched.changed(keyOf, 'run');
  touched.deleted(keyOf, 'gone');
  touched.startTail();
  touched.changed(keyOf, 'tail');
  assert.deepEqual(touched.sample, { changed: [['run'], ['tail']], deleted: [['gone']] });
  touched.judgeTail();
  for (let n = 1; n < 100; n++) touched.changed(keyOf, `tail ${n}`);
  touched.deleted(keyOf, 'gone in the tail');
  assert.equal(touched.sample.changed.length, 100);
  assert.deepEqual(touched.sample.changed.slice(0, 2), [['tail'], ['tail 1']]);
  assert.deepEqual(touched.sample.deleted, [['gone in the tail']]);
});

test('a verification that is tried again begins a new tail', () => {
  const touched = new TouchedKeys(Math.random, 10);
  touched.startTail();
  touched.changed(keyOf, 'before the second attempt');
  touched.startTail();
  touched.changed(keyOf, 'behind it');
  touched.judgeTail();
  assert.deepEqual(touched.sample.changed, [['behind it']]);
});

test('a sample that is being judged does not grow with what is touched meanwhile', () => {
  const touched = new TouchedKeys(Math.random, 10);
  touched.changed(keyOf, 'before');
  touched.deleted(keyOf, 'gone');
  const { changed, deleted } = touched.sample;
  touched.changed(keyOf, 'meanwhile');
  touched.deleted(keyOf, 'meanwhile');
  assert.deepEqual([changed, deleted], [[['before']], [['gone']]]);
});
