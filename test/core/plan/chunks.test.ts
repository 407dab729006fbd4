import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Chunk, chunkBlocksFor, isLeafLoaded, loadedShare, nextChunk, planLeaf, withDone } from '../../../src/core/plan/chunks.ts';
import { buildAliasOf, buildNames, slotName } from '../../../src/core/plan/names.ts';
import { rateDelayMs } from '../../../src/core/plan/rate.ts';

const leafOf = (blocks: number) => ({ oid: 1, schema: 'public', name: 't', relfilenode: 9, blocks });

test('the chunks of a leaf cover every block once, the last one is open, in whatever order they finish', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 500 }),
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 1, max: 4 }),
      fc.infiniteStream(fc.nat()),
      (blocks, size, jobs, order) => {
        let leaf = planLeaf(leafOf(blocks), size);
        const flying: Chunk[] = [];
        const seen: Chunk[] = [];
        while (!isLeafLoaded(leaf)) {
          const next = flying.length < jobs ? nextChunk(leaf, flying) : null;
          if (next !== null) {
            flying.push(next);
            seen.push(next);
            continue;
          }
          const [finished] = flying.splice((order.next().value as number) % flying.length, 1);
          leaf = withDone(leaf, finished as Chunk);
        }
        const sorted = seen.sort((a, b) => a.from - b.from);
        assert.deepEqual(
          sorted.map((chunk) => chunk.from),
          sorted.map((_, i) => i * size),
        );
        assert.deepEqual(
          sorted.map((chunk) => chunk.to),
          sorted.map((_, i) => (i === sorted.length - 1 ? null : (i + 1) * size)),
        );
        assert.ok(sorted.length * size >= blocks);
        assert.equal(leaf.done.length, 1);
        assert.equal(nextChunk(leaf, []), null);
        assert.equal(loadedShare([leaf]), 1);
      },
    ),
  );
});

test('an empty table has one open chunk: rows may come before it is read', () => {
  const leaf = planLeaf(leafOf(0), null);
  assert.deepEqual(nextChunk(leaf, []), { oid: 1, from: 0, to: null });
  assert.equal(isLeafLoaded(leaf), false);
});

test('a chunk is a small part of the table, within bounds', () => {
  assert.deepEqual([1, 512, 6400, 10_000_000].map(chunkBlocksFor), [16, 16, 200, 2048]);
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
