/**
 * Lets the replay stop the load for a moment (a TRUNCATE must not meet a chunk in flight). A chunk is in flight from before its snapshot until its last
 * bulk is acknowledged and its deletes were sent again.
 */
export class LoadGate {
  #closed = false;
  #inFlight = 0;
  #waiters: (() => void)[] = [];

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Waits while the gate is closed, then counts one chunk in. */
  async enter(): Promise<void> {
    while (this.#closed) await this.#changed();
    this.#inFlight++;
  }

  leave(): void {
    this.#inFlight--;
    this.#wake();
  }

  /** Closes the gate and waits until no chunk is in flight. */
  async quiesce(): Promise<void> {
    this.#closed = true;
    while (this.#inFlight > 0) await this.#changed();
  }

  open(): void {
    this.#closed = false;
    this.#wake();
  }

  #changed(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  #wake(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const resolve of waiters) resolve();
  }
}
