import type { StreamMessage } from '../phases/ports.ts';

/**
 * Received messages waiting to be read, in order. Whatever was queued before a failure is still delivered, then every read throws it.
 */
export class StreamQueue {
  #messages: StreamMessage[] = [];
  #bytes = 0;
  #failure: Error | null = null;
  #wake: (() => void) | null = null;

  get bytes(): number {
    return this.#bytes;
  }

  push(message: StreamMessage): void {
    this.#messages.push(message);
    this.#bytes += message.kind === 'data' ? message.end - message.start + 64 : 32;
    this.#notify();
  }

  /** Forgets what has not been read. */
  clear(): void {
    this.#messages = [];
    this.#bytes = 0;
  }

  fail(failure: Error): void {
    this.#failure ??= failure;
    this.#notify();
  }

  /** All that has arrived, at least one; an empty list after `timeoutMs`. */
  async take(timeoutMs: number): Promise<readonly StreamMessage[]> {
    if (this.#messages.length === 0 && this.#failure === null) await this.#arrival(timeoutMs);
    if (this.#messages.length === 0 && this.#failure !== null) throw this.#failure;
    const taken = this.#messages;
    this.clear();
    return taken;
  }

  #arrival(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #notify(): void {
    this.#wake?.();
    this.#wake = null;
  }
}
