/** How an answer bears on how many bulks may be under way. */
export type BulkSign = 'accepted' | 'overloaded';

/**
 * Additive increase, multiplicative decrease: a bulk that went through adds `1 / window`, one that was refused for overload (429, a timeout) halves the window. Never below
 * one, so that something always moves, and never above `most`.
 */
export function nextBulkWindow(window: number, sign: BulkSign, most: number): number {
  if (sign === 'overloaded') return Math.max(1, window / 2);
  return Math.min(Math.max(1, most), window + 1 / window);
}
