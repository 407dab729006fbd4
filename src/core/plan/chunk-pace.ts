const SMALLEST = 16;
const LARGEST = 2048;
const CHUNKS_PER_LEAF = 32;
/** 512 KiB of heap, about one bulk: it shows what the sink takes, and lasts not too long before a very slow one. */
const FIRST = 64;
/** One odd chunk must not make the next one last a minute. */
const MOST_GROWTH = 4;
/** A chunk keeps the slot's WAL, and holds back vacuum, for as long as it is in flight. */
const WANTED_MS = 8000;
/** Before anything is known of the rows: rather too many, so that the chunk is rather too small. */
const UNKNOWN_ROWS_PER_BLOCK = 100;
const LEAST_ROWS_PER_BLOCK = 1 / LARGEST;

/** A chunk whose bulks are all answered. */
export interface TimedChunk {
  readonly blocks: number;
  readonly rows: number;
  /** From its first row to its last answer. */
  readonly tookMs: number;
  readonly bulks: number;
}

/** The largest chunk of a leaf: 1/32 of it, within 128 KiB and 16 MiB of heap. */
export function mostChunkBlocks(blocks: number): number {
  return Math.min(LARGEST, Math.max(SMALLEST, Math.ceil(blocks / CHUNKS_PER_LEAF)));
}

/** Sizes chunks so that one lasts about eight seconds, by what the last ones took and by the rate that is kept. */
export class ChunkPace {
  #blocks = FIRST;
  /** Of the table. Behind a part that is nearly empty there may be one that is full. */
  readonly #averageRows: number;
  /** Of the last chunk. */
  #lastRows = LEAST_ROWS_PER_BLOCK;

  /** The figures of the table as estimated; `rows` is −1 if unknown. */
  constructor(rows: number, blocks: number) {
    this.#averageRows = rows < 0 || blocks === 0 ? UNKNOWN_ROWS_PER_BLOCK : rows / blocks;
  }

  /** Blocks of the next chunk of a leaf; `rate` in rows per second of all readers together, null without one. */
  next(leafBlocks: number, rate: number | null, readers: number): number {
    const byRate = rate === null ? LARGEST : ((rate / readers) * WANTED_MS) / 1000 / Math.max(this.#averageRows, this.#lastRows);
    return Math.round(Math.min(mostChunkBlocks(leafBlocks), Math.max(SMALLEST, Math.min(this.#blocks, byRate))));
  }

  settled({ blocks, rows, tookMs, bulks }: TimedChunk): void {
    this.#lastRows = Math.max(LEAST_ROWS_PER_BLOCK, rows / blocks);
    const wanted = (blocks * WANTED_MS) / Math.max(1, tookMs);
    if (wanted >= this.#blocks) this.#blocks = Math.min(LARGEST, Math.max(this.#blocks, Math.min(wanted, blocks * MOST_GROWTH)));
    // A chunk of one bulk lasts as long as a bulk: a smaller one would last as long, for less.
    else if (bulks > 1) this.#blocks = Math.max(SMALLEST, wanted, this.#blocks / MOST_GROWTH);
  }
}
