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

  offer(candidate: T): void {
    this.#seen++;
    if (this.#kept.length < this.#capacity) {
      this.#kept.push(candidate);
      return;
    }
    const slot = Math.floor(this.#random() * this.#seen);
    if (slot < this.#capacity) this.#kept[slot] = candidate;
  }

  /** As it is now: who goes through it while more is offered would never come to its end. */
  values(): readonly T[] {
    return [...this.#kept];
  }
}
