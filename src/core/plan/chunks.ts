import type { Leaf } from '../table.ts';
import type { LeafProgress } from './build-state.ts';

/** Heap blocks `[from, to)` of one leaf; `to: null` is the open end of the last chunk, for rows in blocks added after the plan was made. */
export interface Chunk {
  readonly oid: number;
  readonly from: number;
  readonly to: number | null;
}

/** A plan in which nothing is loaded yet. */
export function planLeaf(leaf: Leaf): LeafProgress {
  return { oid: leaf.oid, relfilenode: leaf.relfilenode, blocks: leaf.blocks, chunkBlocks: 1, done: [] };
}

/**
 * The state that a resume goes on from. States of before chunks had sizes of their own have one size for all, and their last chunk ends behind the leaf: as ranges of
 * blocks both mean the same here, and `chunkBlocks: 1` makes them mean the same to an earlier version that meets what is added now.
 */
export function resumedLeaf(leaf: LeafProgress): LeafProgress {
  return { ...leaf, chunkBlocks: 1 };
}

/**
 * The next chunk of the leaf, of at most `blocks` heap blocks: from the first block on that is neither done nor in `inFlight`. Null if there is none. A leaf without blocks still has one
 * open-ended chunk.
 */
export function nextChunk(leaf: LeafProgress, inFlight: readonly Chunk[], blocks: number): Chunk | null {
  const end = endOf(leaf);
  // One of an older plan may begin behind the end of a rewritten leaf: there is nothing between.
  const flying = inFlight.filter((chunk) => chunk.oid === leaf.oid && chunk.from < end).map((chunk) => [chunk.from, chunk.to ?? end] as const);
  let from = 0;
  for (const [start, stop] of [...leaf.done, ...flying].sort((a, b) => a[0] - b[0])) {
    if (start > from) return { oid: leaf.oid, from, to: Math.min(from + blocks, start) };
    from = Math.max(from, stop);
  }
  if (from >= end) return null;
  return { oid: leaf.oid, from, to: from + blocks < end ? from + blocks : null };
}

/** The leaf with the chunk added to what is done; neighbours are merged, so the state stays small. */
export function withDone(leaf: LeafProgress, chunk: Chunk): LeafProgress {
  const ranges = [...leaf.done, [chunk.from, chunk.to ?? endOf(leaf)] as const].sort((a, b) => a[0] - b[0]);
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
  return first !== undefined && first[0] === 0 && first[1] >= endOf(leaf);
}

/** Share of all blocks that is loaded, 0 … 1; an empty table counts as loaded once its chunk is done. */
export function loadedShare(leaves: readonly LeafProgress[]): number {
  let done = 0;
  let total = 0;
  for (const leaf of leaves) {
    const end = endOf(leaf);
    total += end;
    done += leaf.done.reduce((sum, [from, to]) => sum + Math.min(to, end) - from, 0);
  }
  return total === 0 ? 1 : Math.min(1, done / total);
}

/** Where the chunks of a leaf end, the last of which is open. One without blocks counts as having one. */
function endOf(leaf: LeafProgress): number {
  return Math.max(1, leaf.blocks);
}
