import type { Chunk } from '../../core/plan/chunks.ts';
import type { Leaf } from '../../core/table.ts';
import type { PgSnapshot } from '../../core/wal/snapshot.ts';

/** What one chunk needs while it is read and settled. */
export interface OpenChunk {
  readonly chunk: Chunk;
  readonly leaf: Leaf;
  /** Key of its floor in the acknowledger. */
  readonly floor: number;
  /** Which plan it belongs to: a rewritten relation is planned again. */
  readonly generation: number;
  snapshot: PgSnapshot | null;
  /** When its rows began to come (null: none did), and how many there were. */
  openedAt: number | null;
  rows: number;
}

/** A chunk that was read; `done` resolves when it is settled. */
export interface Settling {
  readonly done: Promise<void>;
}
