import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { LeafProgress } from '../../../src/core/plan/build-state.ts';
import { type Chunk, isLeafLoaded, loadedShare, nextChunk, planLeaf, resumedLeaf, withDone } from '../../../src/core/plan/chunks.ts';
import { buildAliasOf, buildNames, slotName } from '../../../src/core/plan/names.ts';
import { rateDelayMs } from '../../../src/core/plan/rate.ts';

const leafOf = (blocks: number) => ({ oid: 1, schema: 'public', name: 't', relfilenode: 9, blocks });

interface Covered {
  readonly leaf: LeafProgress;
  readonly chunks: readonly Chunk[];
}

/** Loads what is left of the leaf with so many jobs at a time, each chunk of another size, finished in any order, and stops after `most` of them. */
function load(start: LeafProgress, sizes: Iterator<number>, jobs: number, most = Number.POSITIVE_INFINITY): Covered {
  let leaf = start;
  const flying: Chunk[] = [];
  const chunks: Chunk[] = [];
  while (!isLeafLoaded(leaf) && chunks.length < most) {
    const next = flying.length < jobs ? nextChunk(leaf, flying, 1 + (sizes.next().value % 60)) : null;
    if (next !== null) {
      flying.push(next);
      continue;
    }
    const [finished] = flying.splice(sizes.next().value % flying.length, 1);
    if (finished === undefined) throw new Error('nothing is in flight, and something is missing');
    leaf = withDone(leaf, finished);
    chunks.push(finished);
  }
  return { leaf, chunks };
}

/** Every block once, in the chunks and what was done before; the last one is open. */
function assertCovers(blocks: number, done: LeafProgress['done'], chunks: readonly Chunk[]): void {
  const end = Math.max(1, blocks);
  const ranges = [...done, ...chunks.map(({ from, to }) => [from, to ?? end] as const)].sort((a, b) => a[0] - b[0]);
  ranges.forEach(([from, to], i) => {
    assert.equal(from, i === 0 ? 0 : ranges[i - 1]?.[1]);
    assert.ok(to > from);
  });
  assert.ok((ranges.at(-1)?.[1] ?? 0) >= end);
  for (const { from, to } of chunks) assert.ok(to === null ? from < end : to < end, 'what ends where the leaf ended has no end');
}

test('chunks of any sizes cover every block once, the last one is open, in whatever order they finish', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 1, max: 4 }), fc.infiniteStream(fc.nat()), (blocks, jobs, sizes) => {
      const { leaf, chunks } = load(planLeaf(leafOf(blocks)), sizes, jobs);
      assertCovers(blocks, [], chunks);
      assert.equal(leaf.done.length, 1);
      assert.equal(nextChunk(leaf, [], 1), null);
      assert.equal(loadedShare([leaf]), 1);
    }),
  );
});

test('a resume loads exactly what was not done, whatever was in flight', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 500 }),
      fc.integer({ min: 1, max: 4 }),
      fc.nat(20),
      fc.infiniteStream(fc.nat()),
      (blocks, jobs, most, sizes) => {
        const stopped = load(planLeaf(leafOf(blocks)), sizes, jobs, most).leaf;
        const state = JSON.parse(JSON.stringify(stopped)) as LeafProgress;
        const { leaf, chunks } = load(resumedLeaf(state), sizes, jobs);
        assertCovers(blocks, state.done, chunks);
        assert.ok(isLeafLoaded(leaf));
      },
    ),
  );
});

/** The plan of the versions whose chunks all had one size, as they read a state (0.1.0 before sizes changed). */
const EARLIER = {
  lastStart: (leaf: LeafProgress) => (leaf.blocks === 0 ? 0 : Math.floor((leaf.blocks - 1) / leaf.chunkBlocks) * leaf.chunkBlocks),
  isLoaded: (leaf: LeafProgress) => leaf.done[0]?.[0] === 0 && (leaf.done[0]?.[1] ?? 0) > EARLIER.lastStart(leaf),
  /** Where chunks began that were not done. */
  open: (leaf: LeafProgress) => {
    const starts: number[] = [];
    for (let from = 0; from <= EARLIER.lastStart(leaf); from += leaf.chunkBlocks) {
      const covering = leaf.done.find(([start, end]) => start <= from && from < end);
      if (covering === undefined) starts.push(from);
      else from = covering[1] - leaf.chunkBlocks;
    }
    return starts;
  },
};

test('a state of an earlier version is gone on with, and its last chunk ends behind the leaf', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 500 }),
      fc.integer({ min: 1, max: 60 }),
      fc.array(fc.boolean(), { minLength: 500, maxLength: 500 }),
      fc.infiniteStream(fc.nat()),
      (blocks, chunkBlocks, finished, sizes) => {
        let state: LeafProgress = { ...planLeaf(leafOf(blocks)), chunkBlocks };
        for (let from = 0; from <= EARLIER.lastStart(state); from += chunkBlocks) {
          if (finished[from / chunkBlocks] === true) state = withDone(state, { oid: 1, from, to: from + chunkBlocks });
        }
        assert.equal(isLeafLoaded(resumedLeaf(state)), EARLIER.isLoaded(state));
        const { chunks } = load(resumedLeaf(state), sizes, 2);
        assertCovers(blocks, state.done, chunks);
      },
    ),
  );
});

test('an earlier version that meets a state of this one misses no block', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 500 }), fc.nat(20), fc.infiniteStream(fc.nat()), (blocks, most, sizes) => {
      const { leaf } = load(planLeaf(leafOf(blocks)), sizes, 3, most);
      assert.equal(EARLIER.isLoaded(leaf), isLeafLoaded(leaf));
      const done = (block: number): boolean => leaf.done.some(([from, to]) => from <= block && block < to);
      const missing = Array.from({ length: Math.max(1, blocks) }, (_, block) => block).filter((block) => !done(block));
      assert.deepEqual(EARLIER.open(leaf), missing);
    }),
  );
});

test('an empty table has one open chunk: rows may come before it is read', () => {
  const leaf = planLeaf(leafOf(0));
  assert.deepEqual(nextChunk(leaf, [], 1), { oid: 1, from: 0, to: null });
  assert.equal(isLeafLoaded(leaf), false);
});

test('a chunk of a plan from before the leaf became smaller asks for nothing behind its end', () => {
  const leaf = withDone(planLeaf(leafOf(10)), { oid: 1, from: 0, to: 10 });
  assert.equal(nextChunk(leaf, [{ oid: 1, from: 500, to: 600 }], 4), null);
});

test('names hold the build id, stay within the limits and tell aliases apart', () => {
  const names = buildNames('Products', 'k3f9', new Date('2026-11-29T15:40:12.345Z'));
  assert.equal(names.index, 'products-20261129t154012-k3f9');
  assert.match(names.buildAlias, /[A-Z]/);
  assert.match(names.slot, /^realign_[a-z0-9_]{1,54}_k3f9$/);
  assert.ok(slotName('x'.repeat(200), 'k3f9').length <= 63);
  assert.notEqual(slotName('a-b', 'k3f9'), slotName('a_b', 'k3f9'));
  assert.equal(slotName('products', 'k3f9'), 'realign_products_k3f9');
  assert.notEqual(buildAliasOf('a', 'k3f9'), buildAliasOf('a', 'k3f8'));
});

test('a rate delays only what is ahead of it', () => {
  assert.equal(rateDelayMs(1000, 500, 1000), 500);
  assert.equal(rateDelayMs(1000, 1500, 1000), 0);
});
