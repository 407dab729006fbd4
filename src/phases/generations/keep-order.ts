import type { Generation } from '../sink-ports.ts';

/**
 * Generations (newest first) in the order in which they are kept: the one that readers came from first, because it is what a rollback goes back to. After a rollback that
 * is not the newest.
 */
export function inKeepOrder(generations: readonly Generation[], previous: string | null): readonly Generation[] {
  return [...generations.filter(({ index }) => index === previous), ...generations.filter(({ index }) => index !== previous)];
}
