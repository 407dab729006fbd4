import type { AnsweredBulk } from '../../core/sink/bulk-epoch.ts';
import { type BulkSign, nextBulkWindow } from '../../core/sink/bulk-window.ts';

/** Bulks sent together are refused together: one storm halves the window once. */
const HALVE_AT_MOST_EVERY_MS = 1000;

/** Where a bulk waits for its turn and leaves what its answer says. */
export interface BulkPlace {
  enter(): Promise<void>;
  /** `sent`: when it was sent, and how large it was. */
  leave(sign: BulkSign | null, sent: SentBulk): void;
}

export interface SentBulk {
  readonly sentAt: number;
  readonly bytes: number;
}

/** Looks at what goes through the window, and learns how wide it should be. */
export interface BulkWatch {
  sent(at: number, room: number): void;
  answered(answer: AnsweredBulk): void;
  /** A bulk that is not held back was refused. */
  overloaded(at: number): void;
}

/**
 * How many bulks of the load may be under way, learnt from the answers. The replay's lanes are not held back: each has one bulk in flight anyhow (rule R5), and they
 * are what lets the slot's WAL go. But a refused bulk of theirs halves the load's window too: the load makes room for them.
 */
export class BulkWindow implements BulkPlace {
  readonly #most: () => number;
  readonly #now: () => number;
  readonly #watch: BulkWatch | null;
  /** Null: nothing was refused, or that is over; then there is room for all of them. */
  #window: number | null = null;
  #inFlight = 0;
  #halvedAt = Number.NEGATIVE_INFINITY;
  #waiters: (() => void)[] = [];
  /** For bulks that are never held back; their small answers say nothing about room for more of the load's. */
  readonly bystander: BulkPlace = {
    enter: async () => {},
    leave: (sign) => {
      if (sign !== 'overloaded') return;
      this.#watch?.overloaded(this.#now());
      this.#learn(sign);
    },
  };

  /** `most` may change while it runs. */
  constructor(most: () => number, now: () => number, watch: BulkWatch | null = null) {
    this.#most = most;
    this.#watch = watch;
    this.#now = now;
  }

  get size(): number {
    return Math.floor(Math.min(this.#window ?? Number.POSITIVE_INFINITY, Math.max(1, this.#most())));
  }

  /** Waits for a place; it is given back by `leave`. */
  async enter(): Promise<void> {
    while (this.#inFlight >= this.size) await new Promise<void>((resolve) => this.#waiters.push(resolve));
    this.#inFlight++;
    this.#watch?.sent(this.#now(), this.size);
  }

  leave(sign: BulkSign | null, sent: SentBulk): void {
    this.#inFlight--;
    this.#watch?.answered({ ...sent, at: this.#now(), sign });
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
    const most = this.#most();
    const window = nextBulkWindow(this.#window ?? most, sign, most);
    this.#window = sign === 'accepted' && window >= most ? null : window;
  }
}
