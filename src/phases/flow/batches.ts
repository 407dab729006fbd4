/** The largest number of ids in one request to either side. */
export const BATCH_IDS = 1000;

/** `list` in pieces of at most `size`. */
export function* batches<T>(list: readonly T[], size: number = BATCH_IDS): Generator<readonly T[]> {
  for (let at = 0; at < list.length; at += size) yield list.slice(at, at + size);
}
