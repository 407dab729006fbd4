import type { Clock } from '../ports.ts';

const LONGEST_MS = 100;

/**
 * Lets the lanes' small bulks wait for company while rows are loaded: a bulk of one operation costs both sides as much as dozens of rows, a source that commits
 * one row at a time would make one of each commit, and nobody waits for the replay before the load is done.
 */
export class Gathering {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #isLoading: () => boolean;
  /** They leave together. */
  #company: (() => void)[] = [];

  constructor(options: { readonly clock: Clock; readonly signal: AbortSignal; readonly isLoading: () => boolean }) {
    this.#clock = options.clock;
    this.#signal = options.signal;
    this.#isLoading = options.isLoading;
  }

  /** Calls `leave` in a later macrotask: in the next one, so that what is added together travels together, or while rows are loaded after 100 ms at most. */
  join(leave: () => void): void {
    if (!this.#isLoading()) {
      setImmediate(leave);
      return;
    }
    const company = this.#company;
    if (company.push(leave) > 1) return;
    const due = (): void => {
      if (company === this.#company) this.hurry();
    };
    // When the run is aborted they leave too, and learn of it as they send.
    this.#clock.sleep(LONGEST_MS, this.#signal).then(due, due);
  }

  /** Somebody waits, or there is enough: all leave in the next macrotask. */
  hurry(): void {
    const company = this.#company;
    if (company.length === 0) return;
    this.#company = [];
    for (const leave of company) setImmediate(leave);
  }
}
