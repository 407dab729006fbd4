import type { Step } from './step-reader.ts';

/** Some changes, `[from, to)`, of one step; a position has none. */
export interface Segment {
  readonly step: Step;
  readonly from: number;
  readonly to: number;
}

/** Rows held at once: a change of a few bytes can stand for a row of megabytes. */
const LOOKUPS = 500;

/**
 * Cuts steps, in their order, into groups with a bounded number of lookups, so that what is read for them fits the memory however large the
 * transaction is; small transactions share one lookup.
 */
export function* lookupGroups(steps: readonly Step[]): Generator<readonly Segment[]> {
  let group: Segment[] = [];
  let lookups = 0;
  for (const step of steps) {
    const changes = step.kind === 'transaction' ? step.transaction.changes : [];
    let from = 0;
    for (let at = 0; at < changes.length; at++) {
      if (changes[at]?.needsLookup !== true || ++lookups <= LOOKUPS) continue;
      yield at > from ? [...group, { step, from, to: at }] : group;
      group = [];
      lookups = 1;
      from = at;
    }
    group.push({ step, from, to: changes.length });
  }
  yield group;
}
