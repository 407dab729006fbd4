import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blockRanges } from '../../../src/postgres/block-ranges.ts';

/** The first block of each part; `msPerBlock` tells how slow the block is. */
function partsOf(
  blocks: number,
  silenceMs: number,
  msPerBlock: (block: number) => number,
): { readonly sizes: readonly number[]; readonly longestMs: number } {
  let nowMs = 0;
  let longestMs = 0;
  let next = 0;
  const sizes: number[] = [];
  for (const range of blockRanges(blocks, silenceMs, () => nowMs)) {
    const [, from, to] = /t\.ctid >= '\((\d+),0\)'::tid(?: and t\.ctid < '\((\d+),0\)'::tid)?$/.exec(range) ?? [];
    assert.equal(Number(from), next, 'each part begins where the one before ended');
    next = to === undefined ? blocks : Number(to);
    sizes.push(next - Number(from));
    const tookMs = Array.from({ length: next - Number(from) }, (_, at) => msPerBlock(Number(from) + at)).reduce((sum, ms) => sum + ms, 0);
    longestMs = Math.max(longestMs, tookMs);
    nowMs += tookMs;
  }
  assert.equal(next, blocks);
  return { sizes, longestMs };
}

test('a table that cannot be read in parts is read in one; an empty one too', () => {
  assert.deepEqual([...blockRanges(null, 1000)], ['']);
  assert.deepEqual([...blockRanges(0, 1000)], [` and t.ctid >= '(0,0)'::tid`]);
});

test('fast blocks are read in parts that grow, so that a large table needs few', () => {
  const { sizes } = partsOf(1_000_000, 180_000, () => 0.01);
  assert.equal(Math.max(...sizes), 32_768);
  assert.ok(sizes.length < 45, String(sizes.length));
});

test('slow blocks are read in parts that no silence is as long as', () => {
  assert.ok(partsOf(5000, 180_000, () => 2_000).longestMs < 90_000);
  // Slower all of a sudden.
  assert.ok(partsOf(5000, 180_000, (block) => (block < 2000 ? 1 : 400)).sizes.includes(32));
});
