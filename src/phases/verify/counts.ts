import { closingAfter } from '../flow/closing-after.ts';
import type { Comparison } from './comparison.ts';
import { freezeForSettling } from './fence.ts';
import { countRows } from './scan-source.ts';
import { pauseBefore, settlingRounds } from './settle.ts';

export interface Counts {
  readonly rows: number;
  readonly rejected: number;
  readonly documents: number;
}

/** Counts both frozen sides. */
export async function compareCounts(comparison: Comparison): Promise<Counts> {
  const { rows, rejected } = await countRows(comparison, comparison.context.signal);
  return { rows, rejected, documents: await comparison.frozen.count() };
}

/** Without a fence, counts of a table that is written to are of two moments: counts anew, up to five times, until they agree once. */
export async function settleCounts(comparison: Comparison, first: Counts): Promise<Counts> {
  let counts = first;
  for (let round = 0; round < settlingRounds(comparison.context) && counts.rows - counts.rejected !== counts.documents; round++) {
    await pauseBefore(comparison.context, round);
    const later = await freezeForSettling(comparison.context);
    counts = await closingAfter(
      () => later.close(),
      () => compareCounts(later),
    );
  }
  return counts;
}
