import type { Difference, DifferenceKind } from '../events.ts';
import type { FieldDifference } from './field-difference.ts';

const MAX_NAMED = 1000;
const MAX_REMEMBERED = 100_000;
const MAX_SHOWN_FIELDS = 5;

/** The difference of one document, ready for the report. */
export function documentDifference(id: string, kind: DifferenceKind, fields: readonly FieldDifference[] = []): Difference {
  if (fields.length === 0) return { id, kind, fields: [] };
  return { id, kind, fields: fields.map(({ field }) => field), values: fields.slice(0, MAX_SHOWN_FIELDS) };
}

/** Counts every difference once and names the first 1,000. The sample and the full comparison may find the same document; they share a ledger. */
export class DifferenceLedger {
  readonly named: Difference[] = [];
  readonly #seen = new Set<string>();
  readonly #onAdd: (difference: Difference) => void;
  #count = 0;

  /** `onAdd` is told of each difference, also of those beyond the named ones. */
  constructor(onAdd: (difference: Difference) => void = () => undefined) {
    this.#onAdd = onAdd;
  }

  get count(): number {
    return this.#count;
  }

  add(difference: Difference): void {
    if (this.#seen.has(difference.id)) return;
    // Beyond this number a document found by both paths may count twice; that nothing passes is certain long before.
    if (this.#seen.size < MAX_REMEMBERED) this.#seen.add(difference.id);
    this.#count++;
    this.#onAdd(difference);
    if (this.named.length < MAX_NAMED) this.named.push(difference);
  }
}
