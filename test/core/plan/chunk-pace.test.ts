import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChunkPace, mostChunkBlocks } from '../../../src/core/plan/chunk-pace.ts';

const ROWS_PER_BLOCK = 12;
const LARGE = 1_000_000;

/** Loads chunk after chunk at so many blocks a second, with so long for each answer besides; how long the last of twenty takes, and its size. */
function lastOf(
  pace: ChunkPace,
  blocksPerSecond: number,
  latencyMs = 100,
  rate: number | null = null,
): { readonly blocks: number; readonly tookMs: number } {
  let last = { blocks: 0, tookMs: 0 };
  for (let i = 0; i < 20; i++) {
    const blocks = pace.next(LARGE, rate, 1);
    last = { blocks, tookMs: (blocks * 1000) / blocksPerSecond + latencyMs };
    pace.settled({ ...last, rows: blocks * ROWS_PER_BLOCK, bulks: Math.ceil(blocks / 64) });
  }
  return last;
}

test('a chunk is a small part of the table, within bounds', () => {
  assert.deepEqual([1, 512, 6400, 10_000_000].map(mostChunkBlocks), [16, 16, 200, 2048]);
  const pace = new ChunkPace(-1, 0);
  assert.equal(pace.next(LARGE, null, 2), 64, 'the first one shows how fast it goes');
  assert.equal(pace.next(512, null, 2), 16);
});

test('behind a part of the table that is nearly empty a rate counts with what the table has on average', () => {
  const pace = new ChunkPace(LARGE * ROWS_PER_BLOCK, LARGE);
  for (let i = 0; i < 10; i++) pace.settled({ blocks: pace.next(LARGE, 100, 1), rows: i % 2, tookMs: 20, bulks: 1 });
  assert.ok(pace.next(LARGE, 100, 1) * ROWS_PER_BLOCK <= 1600, String(pace.next(LARGE, 100, 1)));
});

test('a chunk lasts about eight seconds where the bounds allow it', () => {
  for (const blocksPerSecond of [20, 50, 120, 200]) {
    const { tookMs } = lastOf(new ChunkPace(LARGE * ROWS_PER_BLOCK, LARGE), blocksPerSecond);
    assert.ok(tookMs > 7000 && tookMs < 9000, `${blocksPerSecond} blocks/s: ${tookMs} ms`);
  }
  assert.equal(lastOf(new ChunkPace(-1, LARGE), 2000).blocks, 2048);
  assert.equal(lastOf(new ChunkPace(-1, LARGE), 5).blocks, 64, 'what one bulk holds is not made smaller');
});

test('with a rate the first chunk lasts no longer, and a new rate counts at once', () => {
  const pace = new ChunkPace(LARGE * ROWS_PER_BLOCK, LARGE);
  // 100 rows/s of two readers: 400 rows in eight seconds of one.
  assert.equal(pace.next(LARGE, 100, 2), Math.round(400 / ROWS_PER_BLOCK));
  lastOf(pace, 1500);
  assert.equal(pace.next(LARGE, 100, 2), Math.round(400 / ROWS_PER_BLOCK));
  assert.equal(pace.next(LARGE, 1, 2), 16);
  assert.equal(pace.next(LARGE, null, 2), 2048);
});

test('slow and fast again: it shrinks and grows by steps, and a short end of a leaf says little', () => {
  const pace = new ChunkPace(-1, LARGE);
  lastOf(pace, 2000);
  pace.settled({ blocks: 2048, rows: 9, tookMs: 80_000, bulks: 9 });
  assert.equal(pace.next(LARGE, null, 1), 512);
  pace.settled({ blocks: 3, rows: 9, tookMs: 100, bulks: 1 });
  assert.equal(pace.next(LARGE, null, 1), 512);
  assert.equal(lastOf(pace, 2000).blocks, 2048);
});
