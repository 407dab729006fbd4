import type { VerifyMode } from './index-config.ts';

/** How one audit behaves: flags over file over defaults. Times in milliseconds. */
export interface AuditOptions {
  readonly mode: VerifyMode;
  /** Rows, and documents, compared at random. */
  readonly sample: number;
  readonly seed: string;
  /** So many differences are let pass. */
  readonly maxDiff: number;
  readonly settle: { readonly rounds: number; readonly pauseMs: number };
  /** Stop after so long and go on there next time; null: to the end in one go. */
  readonly maxDurationMs: number | null;
  /** A concrete index instead of the one that the alias serves. */
  readonly index: string | null;
  /** Only these document ids; null: everything. */
  readonly keys: readonly string[] | null;
  /** Rows, and documents, per second; null: as fast as both sides give them. */
  readonly rate: number | null;
  readonly values: 'none' | 'truncated' | 'full';
  readonly repair: 'no' | 'dry-run' | 'yes';
  /** More differences than this are not repaired. */
  readonly maxRepair: number;
}
