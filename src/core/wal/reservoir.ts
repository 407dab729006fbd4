/**
 * A uniform random sample of bounded size over a stream of unknown length. Algorithm L (Li, "Reservoir-sampling algorithms of time complexity O(n(1+log(N/n)))", ACM TOMS 20(4),
 * 1994): it draws numbers only for what it keeps, and lets everything in between go by. `random` returns 0 ≤ r < 1.
 */
export class Reservoir<T> {
  readonly #capacity: number;
  readonly #random: () => number;
  readonly #kept: T[] = [];
  #seen = 0;
  /** How many are seen before the next one that is kept, once the sample is full. */
  #next = 0;
  /** The largest of the numbers that stand for what is kept, as if each candidate had drawn one. */
  #threshold = 1;

  /** Throws `RangeError` if `capacity` is not at least 1. */
  constructor(capacity: number, random: () => number) {
    if (capacity < 1) throw new RangeError(`a sample of ${capacity}`);
    this.#capacity = capacity;
    this.#random = random;
  }

  /** `make` makes the candidate of `source`, if it is kept. */
  offer<S>(make: (source: S) => T, source: S): void {
    const before = this.#seen++;
    if (before < this.#capacity) this.#kept.push(make(source));
    else if (before === this.#next) this.#kept[Math.floor(this.#random() * this.#capacity)] = make(source);
    else return;
    if (this.#kept.length === this.#capacity) this.#drawNext();
  }

  /** As it is now: who goes through it while more is offered would never come to its end. */
  values(): readonly T[] {
    return [...this.#kept];
  }

  #drawNext(): void {
    this.#threshold *= this.#draw() ** (1 / this.#capacity);
    this.#next = this.#seen + Math.floor(Math.log(this.#draw()) / Math.log1p(-this.#threshold));
  }

  /** Above 0, at most 1: of 0 there is no logarithm. */
  #draw(): number {
    return 1 - this.#random();
  }
}
