import { setTimeout as pause } from 'node:timers/promises';

const DEADLINE_MS = 30_000;
const INTERVAL_MS = 20;

/** Polls until the condition gives something true and returns that; throws at the deadline, naming what was waited for. */
export async function waitFor<T>(
  what: string,
  condition: () => T | Promise<T>,
  deadlineMs: number = DEADLINE_MS,
  intervalMs: number = INTERVAL_MS,
): Promise<NonNullable<T>> {
  const end = performance.now() + deadlineMs;
  while (true) {
    const value = await condition();
    if (value !== false && value !== undefined && value !== null) return value;
    if (performance.now() > end) throw new Error(`waited ${deadlineMs} ms for ${what}`);
    await pause(intervalMs);
  }
}
