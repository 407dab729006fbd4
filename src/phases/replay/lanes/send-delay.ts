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
  /** One at a time, however often they start early meanwhile: each is a timer, and a listener of the run's signal. */
  #sleeps = false;

  constructor(options: { readonly clock: Clock; readonly signal: AbortSignal; readonly isWanted: () => boolean }) {
    this.#clock = options.clock;
    this.#signal = options.signal;
    this.#isWanted = options.isWanted;
  }

  /** Calls `start` in the next macrotask, so that what is added together is sent together; where a delay is wanted, within 100 ms. */
  startSoon(start: () => void): void {
    if (!this.#isWanted()) {
      setImmediate(start);
      return;
    }
    this.#waiting.push(start);
    if (this.#sleeps) return;
    this.#sleeps = true;
    const due = (): void => {
      this.#sleeps = false;
      this.startNow();
    };
    // They start when the run is aborted too, and learn of it as they send.
    this.#clock.sleep(LONGEST_MS, this.#signal).then(due, due);
  }

  /** All that wait start in the next macrotask. */
  startNow(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const start of waiting) setImmediate(start);
  }
}
