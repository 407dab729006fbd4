import type { Leaf } from '../table.ts';
import type { LeafProgress } from './build-state.ts';

/** Heap blocks `[from, to)` of one leaf; `to: null` is the open end of the last chunk, for rows in blocks added after the plan was made. */
export interface Chunk {
  readonly oid: number;
  readonly from: number;
  readonly to: number | null;
}

const SMALLEST = 16;
const LARGEST = 2048;
const CHUNKS_PER_LEAF = 32;

/** Blocks per chunk: about 1/32 of the leaf, within 128 KiB and 16 MiB of heap, so that the slot retains one chunk's time of WAL. */
export function chunkBlocksFor(blocks: number): number {
  return Math.min(LARGEST, Math.max(SMALLEST, Math.ceil(blocks / CHUNKS_PER_LEAF)));
}

/** A plan in which nothing is loaded yet. */
export function planLeaf(leaf: Leaf, chunkBlocks: number | null): LeafProgress {
  return { oid: leaf.oid, relfilenode: leaf.relfilenode, blocks: leaf.blocks, chunkBlocks: chunkBlocks ?? chunkBlocksFor(leaf.blocks), done: [] };
}

/** The first chunk of the leaf that is neither done nor in `inFlight`; null if there is none. A leaf without blocks still has one open-ended chunk. */
export function nextChunk(leaf: LeafProgress, inFlight: readonly Chunk[]): Chunk | null {
  const taken = new Set(inFlight.filter((chunk) => chunk.oid === leaf.oid).map((chunk) => chunk.from));
  const last = lastStart(leaf);
  for (let from = 0; from <= last; from += leaf.chunkBlocks) {
    const covering = leaf.done.find(([start, end]) => start <= from && from < end);
    if (covering !== undefined) from = covering[1] - leaf.chunkBlocks;
    else if (!taken.has(from)) return { oid: leaf.oid, from, to: from === last ? null : from + leaf.chunkBlocks };
  }
  return null;
}

/** The leaf with the chunk added to what is done; neighbours are merged, so the state stays small. */
export function withDone(leaf: LeafProgress, chunk: Chunk): LeafProgress {
  const ranges = [...leaf.done, [chunk.from, chunk.from + leaf.chunkBlocks] as const].sort((a, b) => a[0] - b[0]);
  const merged: [number, number][] = [];
  for (const [from, to] of ranges) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return { ...leaf, done: merged };
}

export function isLeafLoaded(leaf: LeafProgress): boolean {
  const first = leaf.done[0];
  return first !== undefined && first[0] === 0 && first[1] > lastStart(leaf);
}

/** Share of all blocks that is loaded, 0 … 1; an empty table counts as loaded once its chunk is done. */
export function loadedShare(leaves: readonly LeafProgress[]): number {
  let done = 0;
  let total = 0;
  for (const leaf of leaves) {
    const span = lastStart(leaf) + leaf.chunkBlocks;
    total += span;
    done += leaf.done.reduce((sum, [from, to]) => sum + to - from, 0);
  }
  return total === 0 ? 1 : Math.min(1, done / total);
}

function lastStart(leaf: LeafProgress): number {
  return leaf.blocks === 0 ? 0 : Math.floor((leaf.blocks - 1) / leaf.chunkBlocks) * leaf.chunkBlocks;
}
