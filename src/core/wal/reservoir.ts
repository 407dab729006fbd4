/** A uniform random sample of bounded size over a stream of unknown length (Vitter's algorithm R); `random` returns 0 ≤ r < 1. */
export class Reservoir<T> {
  readonly #capacity: number;
  readonly #random: () => number;
  readonly #kept: T[] = [];
  #seen = 0;

  constructor(capacity: number, random: () => number) {
    this.#capacity = capacity;
    this.#random = random;
  }

  /** `make` makes the candidate, if it is kept. */
  offer(make: () => T): void {
    this.#seen++;
    const full = this.#kept.length >= this.#capacity;
    const slot = full ? Math.floor(this.#random() * this.#seen) : this.#kept.length;
    if (slot < this.#capacity) this.#kept[slot] = make();
  }

  /** As it is now: who goes through it while more is offered would never come to its end. */
  values(): readonly T[] {
    return [...this.#kept];
  }
}
