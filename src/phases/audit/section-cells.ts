import { DocumentHasher, type Hash64, partitionCountFor } from '../../core/verify/checksum.ts';
import type { DifferenceSink } from '../verify/comparison.ts';

/** The map of a rotation as one run leaves it for the next. */
export interface SavedCells {
  readonly partitions: number;
  /** In the order of their numbers. */
  readonly differing: readonly number[];
}

/**
 * The partitions in which some document differed at its first look, over all runs of a rotation. A partition's documents are spread over all sections, so
 * that no sum over it can be compared at one moment; every document is compared by itself instead, and its partition is equal if all of them were.
 */
export class SectionCells {
  readonly partitions: number;
  readonly #hasher: DocumentHasher;
  readonly #differing: Set<number>;

  constructor(hash: Hash64, saved: SavedCells) {
    this.partitions = saved.partitions;
    this.#hasher = new DocumentHasher(hash, saved.partitions);
    this.#differing = new Set(saved.differing);
  }

  get differing(): readonly number[] {
    return [...this.#differing].sort((a, b) => a - b);
  }

  /** A sink that notes the cell of each difference before `sink` gets it. */
  noting(sink: DifferenceSink): DifferenceSink {
    return {
      found: (difference, key) => {
        this.#differing.add(this.#hasher.partition(Buffer.from(difference.id, 'utf8')));
        sink.found(difference, key);
      },
    };
  }
}

/** A map on which nothing differs yet; `rows` may be an estimate, or -1. */
export function emptyCells(rows: number): SavedCells {
  return { partitions: partitionCountFor(rows), differing: [] };
}
