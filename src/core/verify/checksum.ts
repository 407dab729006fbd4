import xxhash from 'xxhash-wasm';

/** The part of xxhash-wasm that is used; its initialisation is asynchronous, so the caller does it. */
export interface Hash64 {
  h64Raw(input: Uint8Array, seed?: bigint): bigint;
  h32Raw(input: Uint8Array, seed?: number): number;
}

const BASE_PARTITIONS = 1024;
const ROWS_PER_PARTITION = 1_000_000;

/**
 * The number of partitions for an index of `documents` documents: 1,024, and a higher power of two beyond 10^9 documents, so that one partition always
 * fits the memory in which its differences are named.
 */
export function partitionCountFor(documents: number): number {
  let count = BASE_PARTITIONS;
  while (count * ROWS_PER_PARTITION < documents) count *= 2;
  return count;
}

/**
 * Hashes documents: reuses one buffer, because `id 0x00 document`, or `id 0x00 document 0x00 routing`, must lie in one piece. The first 0x00 keeps `("a","b")` and
 * `("ab","")` apart; no JSON has one, so the second keeps a document under another routing apart.
 */
export class DocumentHasher {
  readonly #hash: Hash64;
  readonly #mask: number;
  #scratch = Buffer.allocUnsafeSlow(64 * 1024);

  /** `partitions` is a power of two. */
  constructor(hash: Hash64, partitions: number) {
    this.#hash = hash;
    this.#mask = partitions - 1;
  }

  partition(id: Buffer): number {
    return (this.#hash.h32Raw(id) & this.#mask) >>> 0;
  }

  idHash(id: Buffer): bigint {
    return this.#hash.h64Raw(id);
  }

  documentHash(id: Buffer, document: Buffer, routing?: Buffer): bigint {
    const plain = id.length + 1 + document.length;
    const length = routing === undefined ? plain : plain + 1 + routing.length;
    if (length > this.#scratch.length) this.#scratch = Buffer.allocUnsafeSlow(length * 2);
    id.copy(this.#scratch, 0);
    this.#scratch[id.length] = 0;
    document.copy(this.#scratch, id.length + 1);
    if (routing !== undefined) {
      this.#scratch[plain] = 0;
      routing.copy(this.#scratch, plain + 1);
    }
    return this.#hash.h64Raw(this.#scratch.subarray(0, length));
  }
}

/** Per partition: how many documents, and the sum of their hashes mod 2^64. Does not depend on the order; 16 bytes a partition whatever the number of rows. */
export class PartitionSums {
  readonly counts: Float64Array;
  readonly sums: BigUint64Array;

  constructor(partitions: number) {
    this.counts = new Float64Array(partitions);
    this.sums = new BigUint64Array(partitions);
  }

  add(partition: number, hash: bigint): void {
    this.counts[partition] = (this.counts[partition] as number) + 1;
    // The typed array keeps the sum mod 2^64.
    this.sums[partition] = (this.sums[partition] as bigint) + hash;
  }

  /** All documents counted. */
  total(): number {
    return this.counts.reduce((sum, count) => sum + count, 0);
  }
}

/** The partitions in which the two sides are not the same multiset of documents. */
export function differingPartitions(left: PartitionSums, right: PartitionSums): readonly number[] {
  const found: number[] = [];
  for (let p = 0; p < left.counts.length; p++) {
    if (left.counts[p] !== right.counts[p] || left.sums[p] !== right.sums[p]) found.push(p);
  }
  return found;
}

/** A set of partitions that are looked through together, and the most ids it can hold on the sink's side. */
export interface PartitionGroup {
  readonly partitions: ReadonlySet<number>;
  readonly ids: number;
}

/** Packs partitions into groups of at most `maxIds` ids (one partition alone may exceed it), so that memory is bounded whatever differs. */
export function groupPartitions(partitions: readonly number[], counts: Float64Array, maxIds: number): readonly PartitionGroup[] {
  const groups: PartitionGroup[] = [];
  let current = new Set<number>();
  let ids = 0;
  for (const partition of partitions) {
    const count = counts[partition] as number;
    if (current.size > 0 && ids + count > maxIds) {
      groups.push({ partitions: current, ids });
      current = new Set();
      ids = 0;
    }
    current.add(partition);
    ids += count;
  }
  if (current.size > 0) groups.push({ partitions: current, ids });
  return groups;
}

/** xxHash64 and xxHash32, compiled once; a 300-byte row takes a third of a microsecond. */
export async function loadHash(): Promise<Hash64> {
  return xxhash();
}
