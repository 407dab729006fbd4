import type { RepairReport } from '../../core/audit-report.ts';
import type { RepairOperation } from '../../core/sink/repair-body.ts';

/** What became of each key of a repair; a key counts once as written or deleted however often it was tried. */
export class RepairTally {
  readonly #dryRun: boolean;
  readonly #written = new Set<string>();
  readonly #deleted = new Set<string>();
  readonly #refused = new Map<string, string>();
  #settled = 0;
  #proved = 0;

  constructor(dryRun: boolean) {
    this.#dryRun = dryRun;
  }

  /** These were looked at and are equal now. */
  equal(ids: readonly string[]): void {
    for (const id of ids) {
      if (this.#written.has(id) || this.#deleted.has(id)) this.#proved++;
      else this.#settled++;
    }
  }

  /** The server has taken it (or would have been asked, in a dry run). */
  done({ id, document }: Pick<RepairOperation, 'id' | 'document'>): void {
    if (document === null) this.#deleted.add(id);
    else this.#written.add(id);
  }

  refuse(ids: readonly string[], reason: string): void {
    for (const id of ids) this.#refused.set(id, reason);
  }

  refuseAll(differences: readonly { readonly id: string }[], reason: string): this {
    this.refuse(
      differences.map(({ id }) => id),
      reason,
    );
    return this;
  }

  isRefused(id: string): boolean {
    return this.#refused.has(id);
  }

  report(): RepairReport {
    const refused = [...this.#refused].map(([id, reason]) => ({ id, reason }));
    const counts = { written: this.#written.size, deleted: this.#deleted.size, settled: this.#settled, proved: this.#proved };
    return { dryRun: this.#dryRun, ...counts, refused };
  }
}
