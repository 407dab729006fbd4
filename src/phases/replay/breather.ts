import type { Clock } from '../ports.ts';

const LONGEST_MS = 20;

/**
 * Lets timers and sockets have their turn in a long loop. Without it a large transaction is applied in one go, no status goes to the server meanwhile, and the
 * walsender ends after `wal_sender_timeout`: then the whole transaction comes again, and again.
 */
export class Breather {
  readonly #clock: Clock;
  #since: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock.now();
  }

  /** True when the loop has run long enough: then await `breathe`. */
  get due(): boolean {
    return this.#clock.now() - this.#since > LONGEST_MS;
  }

  /** A stretch of work begins. */
  start(): void {
    this.#since = this.#clock.now();
  }

  async breathe(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.start();
  }
}
