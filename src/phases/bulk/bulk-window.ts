import { type BulkSign, nextBulkWindow } from '../../core/sink/bulk-window.ts';

/** Bulks sent together are refused together: one storm halves the window once. */
const HALVE_AT_MOST_EVERY_MS = 1000;

/** Where a bulk waits for its turn and leaves what its answer says. */
export interface BulkPlace {
  enter(): Promise<void>;
  leave(sign: BulkSign | null): void;
}

/**
 * How many bulks of the load may be under way, learnt from the answers. The replay's lanes are not held back: each has one bulk in flight anyhow (rule R5), and they
 * are what lets the slot's WAL go. But a refused bulk of theirs halves the load's window too: the load makes room for them.
 */
export class BulkWindow implements BulkPlace {
  readonly #most: () => number;
  readonly #now: () => number;
  #window: number;
  #inFlight = 0;
  #halvedAt = Number.NEGATIVE_INFINITY;
  #waiters: (() => void)[] = [];
  /** For bulks that are never held back; their small answers say nothing about room for more of the load's. */
  readonly bystander: BulkPlace = {
    enter: async () => {},
    leave: (sign) => {
      if (sign === 'overloaded') this.#learn(sign);
    },
  };

  /** `most` may change while it runs. */
  constructor(most: () => number, now: () => number) {
    this.#most = most;
    this.#now = now;
    this.#window = most();
  }

  get size(): number {
    return Math.floor(Math.min(this.#window, Math.max(1, this.#most())));
  }

  /** Waits for a place; it is given back by `leave`. */
  async enter(): Promise<void> {
    while (this.#inFlight >= this.size) await new Promise<void>((resolve) => this.#waiters.push(resolve));
    this.#inFlight++;
  }

  leave(sign: BulkSign | null): void {
    this.#inFlight--;
    if (sign !== null) this.#learn(sign);
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const resolve of waiters) resolve();
  }

  #learn(sign: BulkSign): void {
    if (sign === 'overloaded') {
      if (this.#now() - this.#halvedAt < HALVE_AT_MOST_EVERY_MS) return;
      this.#halvedAt = this.#now();
    }
    this.#window = nextBulkWindow(this.#window, sign, this.#most());
  }
}
