import type { ChangeStream, Clock } from '../ports.ts';

const EVERY_MS = 20;

/** Asks the server how far it is, while somebody waits for a position: not as fast as it answers. */
export class Pinger {
  readonly everyMs = EVERY_MS;
  readonly #clock: Clock;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  ping(stream: ChangeStream | null): void {
    const now = this.#clock.now();
    if (now - this.#askedAt < EVERY_MS) return;
    this.#askedAt = now;
    stream?.ping();
  }
}
