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
  /** Behind `judgeTail` the same one, to which a key is offered once. */
  #tail: Sample;

  /** `random` is that of the run's seed: a seed repeats the sample of a stream that is the same. */
  constructor(random: () => number, size: number = SAMPLED_KEYS) {
    this.#random = random;
    this.#size = size;
    this.#judged = this.#empty();
    this.#tail = this.#empty();
  }

  /** `keyOf` makes it of what changed, if it is sampled. */
  changed<S>(keyOf: (source: S) => Key, source: S): void {
    this.#offer('changed', keyOf, source);
  }

  deleted<S>(keyOf: (source: S) => Key, source: S): void {
    this.#offer('deleted', keyOf, source);
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

  #offer<S>(kind: keyof Sample, keyOf: (source: S) => Key, source: S): void {
    this.#judged[kind].offer(keyOf, source);
    if (this.#tail !== this.#judged) this.#tail[kind].offer(keyOf, source);
  }

  #empty(): Sample {
    return { changed: new Reservoir(this.#size, this.#random), deleted: new Reservoir(this.#size, this.#random) };
  }
}
