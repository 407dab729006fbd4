import type { Clock } from '../../ports.ts';

const LONGEST_MS = 100;

/**
 * While rows are loaded, a lane with little to send waits for more: a request of one operation costs both sides as much as many rows, and a source that
 * commits one row at a time would make one of each commit.
 */
export class SendDelay {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #isWanted: () => boolean;
  /** The lanes that wait; they start together. */
  #waiting: (() => void)[] = [];

  constructor(options: { readonly clock: Clock; readonly signal: AbortSignal; readonly isWanted: () => boolean }) {
    this.#clock = options.clock;
    this.#signal = options.signal;
    this.#isWanted = options.isWanted;
  }

  /** Calls `start` in the next macrotask, so that what is added together is sent together; where a delay is wanted, at most 100 ms after the first one that waits. */
  startSoon(start: () => void): void {
    if (!this.#isWanted()) {
      setImmediate(start);
      return;
    }
    const waiting = this.#waiting;
    if (waiting.push(start) > 1) return;
    const due = (): void => {
      if (waiting === this.#waiting) this.startNow();
    };
    // They start when the run is aborted too, and learn of it as they send.
    this.#clock.sleep(LONGEST_MS, this.#signal).then(due, due);
  }

  /** All that wait start in the next macrotask. */
  startNow(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    for (const start of waiting) setImmediate(start);
  }
}
