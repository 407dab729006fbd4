/**
 * Milliseconds to wait so that `count` rows since `startedMs` keep to `perSecond`; 0 if the load is not ahead of its rate.
 */
export function rateDelayMs(count: number, elapsedMs: number, perSecond: number): number {
  return Math.max(0, (count * 1000) / perSecond - elapsedMs);
}
