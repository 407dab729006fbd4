import { Reservoir } from '../../core/wal/reservoir.ts';

type Key = readonly string[];

const SAMPLED_KEYS = 10_000;

/** Bounded random samples of the keys that the replay changed and deleted. */
interface Sample {
  readonly changed: Reservoir<Key>;
  readonly deleted: Reservoir<Key>;
}

/**
 * Which keys the replay touched, for the verification's sample: of the whole run, and of its tail, which is all that a verification behind a hold has not proved yet. Up to
 * its size the sample is every key there is, so a tail of up to that many changes is compared completely.
 */
export class TouchedKeys {
  readonly #random: () => number;
  readonly #size: number;
  #judged: Sample;
  #tail: Sample;

  /** `random` is that of the run's seed: a seed repeats the sample of a stream that is the same. */
  constructor(random: () => number, size: number = SAMPLED_KEYS) {
    this.#random = random;
    this.#size = size;
    this.#judged = this.#empty();
    this.#tail = this.#empty();
  }

  /** `key` makes it, if it is sampled. */
  changed(key: () => Key): void {
    this.#offer('changed', key);
  }

  deleted(key: () => Key): void {
    this.#offer('deleted', key);
  }

  /** To be judged next: of the run, or since `startTail` behind `judgeTail`. */
  get sample(): { readonly changed: readonly Key[]; readonly deleted: readonly Key[] } {
    return { changed: this.#judged.changed.values(), deleted: this.#judged.deleted.values() };
  }

  /** What is touched from now on is the tail; call it before the fence of a verification. */
  startTail(): void {
    this.#tail = this.#empty();
  }

  /** What was touched before the tail was proved. */
  judgeTail(): void {
    this.#judged = this.#tail;
  }

  /** Behind `judgeTail` both are one sample, to which a key is offered once. */
  #offer(kind: keyof Sample, key: () => Key): void {
    this.#judged[kind].offer(key);
    if (this.#tail !== this.#judged) this.#tail[kind].offer(key);
  }

  #empty(): Sample {
    return { changed: new Reservoir(this.#size, this.#random), deleted: new Reservoir(this.#size, this.#random) };
  }
}
