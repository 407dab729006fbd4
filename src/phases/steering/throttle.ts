import type { Reporter } from '../../core/events.ts';

/**
 * Who holds the load back just now, and why: the operator, a standby, a lock queue, the slot. The load asks before each chunk, so nothing is held open while it waits; the
 * replay is never held back, because it is what lets the slot's WAL go.
 */
export class Throttle {
  readonly #reporter: Reporter;
  readonly #reasons = new Map<string, string>();
  #waiters: (() => void)[] = [];

  constructor(reporter: Reporter) {
    this.#reporter = reporter;
  }

  /** All reasons at once; empty if nothing holds the load back. */
  get reason(): string {
    return [...this.#reasons.values()].join('; ');
  }

  has(source: string): boolean {
    return this.#reasons.has(source);
  }

  /** `null`: this source holds nothing back any more. */
  set(source: string, reason: string | null): void {
    const before = this.#reasons.get(source);
    if (reason === null) this.#reasons.delete(source);
    else this.#reasons.set(source, reason);
    if ((before === undefined) !== (reason === null)) this.#reporter.report({ type: 'throttle', reason: source, detail: reason ?? 'over' });
    if (this.#reasons.size === 0) this.#wake();
  }

  /** Resolves as soon as nothing holds the load back, with true if something did; throws the reason of the abort. */
  async pass(signal: AbortSignal): Promise<boolean> {
    const waits = this.#reasons.size > 0;
    const onAbort = (): void => this.#wake();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      while (this.#reasons.size > 0) {
        if (signal.aborted) throw signal.reason;
        await new Promise<void>((resolve) => this.#waiters.push(resolve));
      }
      return waits;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  #wake(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const resolve of waiters) resolve();
  }
}
