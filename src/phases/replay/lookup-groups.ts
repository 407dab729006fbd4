import type { Row } from '../../core/row.ts';
import type { Step } from './step-reader.ts';

/** Some changes, `[from, to)`, of one step; a position has none. */
export interface Segment {
  readonly step: Step;
  readonly from: number;
  readonly to: number;
}

/** A change of a few bytes can stand for a row of megabytes. */
const HELD_BYTES = 16 << 20;
const FIRST_LOOKUPS = 16;
const MOST_LOOKUPS = 500;

/** How many rows may be looked up at once: by the bytes that the last ones came to, about `HELD_BYTES`; less at once, more step by step. */
export class LookupSize {
  #rows = FIRST_LOOKUPS;

  get rows(): number {
    return this.#rows;
  }

  /** `asked` keys gave these rows: those that are gone, or outside of the filter, took nothing. */
  learn(asked: number, looked: Iterable<Row>): void {
    if (asked === 0) return;
    let bytes = 0;
    for (const row of looked) bytes += row.bytes.length;
    const fitting = bytes === 0 ? MOST_LOOKUPS : Math.floor((HELD_BYTES * asked) / bytes);
    // A few small rows say nothing about as many as may be.
    const most = asked * 2 >= this.#rows ? this.#rows * 2 : this.#rows;
    this.#rows = Math.max(1, Math.min(fitting, most, MOST_LOOKUPS));
  }
}

/**
 * Cuts steps, in their order, into groups with a bounded number of lookups, so that what is read for them fits the memory however large the
 * transaction is; small transactions share one lookup. `size` is asked for each group when it is made.
 */
export function* lookupGroups(steps: readonly Step[], size: Pick<LookupSize, 'rows'>): Generator<readonly Segment[]> {
  let group: Segment[] = [];
  let lookups = 0;
  for (const step of steps) {
    const changes = step.kind === 'transaction' ? step.transaction.changes : [];
    let from = 0;
    for (let at = 0; at < changes.length; at++) {
      if (changes[at]?.needsLookup !== true || ++lookups <= size.rows) continue;
      yield at > from ? [...group, { step, from, to: at }] : group;
      group = [];
      lookups = 1;
      from = at;
    }
    group.push({ step, from, to: changes.length });
  }
  yield group;
}
