import { setTimeout as pause } from 'node:timers/promises';

/** Asks again and again until the answer is not null; null once `timeoutMs` is over. The pause grows from 20 to 500 ms. */
export async function poll<T>(timeoutMs: number, ask: () => Promise<T | null>): Promise<T | null> {
  const end = performance.now() + timeoutMs;
  for (let delayMs = 20; ; delayMs = Math.min(delayMs * 2, 500)) {
    const answer = await ask();
    if (answer !== null) return answer;
    if (performance.now() + delayMs > end) return null;
    await pause(delayMs);
  }
}
