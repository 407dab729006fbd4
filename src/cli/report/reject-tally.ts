import type { RejectRecord } from '../../phases/ports.ts';
import type { KeyMask } from './key-mask.ts';
import type { IndexReport } from './report-schema.ts';

const MAX_NAMED = 200;
const MAX_GROUPS = 200;

type Why = Omit<RejectRecord, 'id'>;

/** Counts rejected rows by column and reason and names the first: a million rejects need no more memory than a hundred. */
export class RejectTally {
  readonly #mask: KeyMask;
  readonly #named: IndexReport['rejects']['named'][number][] = [];
  readonly #groups = new Map<string, Why & { count: number }>();
  #count = 0;

  constructor(mask: KeyMask) {
    this.#mask = mask;
  }

  add({ id, column, reason }: RejectRecord): void {
    const why: Why = column === undefined ? { reason } : { column, reason };
    this.#count++;
    if (this.#named.length < MAX_NAMED) this.#named.push({ key: this.#mask.key(id), ...why });
    const name = JSON.stringify([column, reason]);
    const group = this.#groups.get(name);
    if (group !== undefined) group.count++;
    else if (this.#groups.size < MAX_GROUPS) this.#groups.set(name, { ...why, count: 1 });
  }

  /**
   * `verified`: how many the verification found to be missing for that reason, which is exact. Else the larger of what was told and what the progress said: that counts
   * the rejects of earlier runs of the same build too.
   */
  summary(verified: number | null, progress: number): IndexReport['rejects'] {
    const groups = [...this.#groups.values()].sort((a, b) => b.count - a.count);
    return { count: verified ?? Math.max(this.#count, progress), groups, named: this.#named };
  }
}
