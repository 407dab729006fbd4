import { BATCH_IDS } from '../flow/batches.ts';
import type { ReferenceRow } from '../ports.ts';

const FIRST_ROWS = 50;
/** Of the rows' JSON; the documents and what is parsed of both come to a few times of it. */
const TARGET_BYTES = 1 << 20;
const GROWTH = 4;

/** How many rows are compared at once: as many as have about a megabyte, going by those before them, so that wide rows take no more memory than narrow ones. */
export class BatchSize {
  #rows = FIRST_ROWS;

  get rows(): number {
    return this.#rows;
  }

  learn(rows: readonly ReferenceRow[]): void {
    if (rows.length === 0) return;
    const bytes = rows.reduce((sum, { json }) => sum + json.length, 0);
    const fitting = Math.floor((TARGET_BYTES * rows.length) / Math.max(1, bytes));
    this.#rows = Math.max(1, Math.min(fitting, this.#rows * GROWTH, BATCH_IDS));
  }
}
