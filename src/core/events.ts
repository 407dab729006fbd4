import type { AuditKind } from './audit-report.ts';

/** The events of a run, as `--output json` prints them (schema/, `realign schema --events`): the writer adds `time`, `build`, `index` and `seq`. Big numbers are strings. */
export type PhaseName = 'preflight' | 'slot' | 'index' | 'load' | 'catchup' | 'verify' | 'hold' | 'swap' | 'cleanup' | 'follow';

export interface ProgressFigures {
  /** Rows read and written by the load so far in this run. */
  readonly rows: number;
  /** The number of rows that this run has to load, or −1: an estimate until the load is done, then `rows`. */
  readonly rowsTotal: number;
  /** Share of the blocks already loaded, 0 … 1. */
  readonly share: number;
  /** Of the load; 0 in every other phase. */
  readonly rowsPerSecond: number;
  /** −1 while unknown. */
  readonly etaSeconds: number;
  readonly changes: number;
  /** Since this phase began. */
  readonly changesPerSecond: number;
  /** WAL bytes between the insert position and what the replay has made durable. */
  readonly lagBytes: string;
  /** WAL bytes the slot makes the server keep. */
  readonly slotWalBytes: string;
  readonly slotWalLimitBytes: string;
  readonly rejected: number;
  readonly retries: number;
  /** Why it does not go faster just now; empty if nothing holds it back. */
  readonly throttle: string;
}

export type DifferenceKind = 'missing' | 'extra' | 'different';

export interface Difference {
  readonly id: string;
  readonly kind: DifferenceKind;
  /** The fields that differ; empty for missing and extra documents. */
  readonly fields: readonly string[];
  /** `_version` of the document as decimal text, where it was read. */
  readonly version?: string;
  /** More than one document has this id (routing). */
  readonly copies?: number;
  /** First differing field's two values, only for the human transcript; never in events unless asked. */
  readonly values?: readonly { readonly field: string; readonly postgres: string; readonly elasticsearch: string }[];
}

export interface VerifyReport {
  readonly mode: 'full' | 'sample' | 'counts';
  readonly method: 'fence' | 'settling';
  readonly fenceLsn: string;
  readonly rows: number;
  readonly documents: number;
  readonly rejected: number;
  readonly partitions: number;
  readonly partitionsEqual: number;
  /** The numbers of the partitions whose checksums differ, ascending; absent where no checksums were made. */
  readonly partitionsDiffering?: readonly number[];
  readonly sampled: { readonly random: number; readonly changed: number; readonly deleted: number };
  readonly seed: string;
  /** At most the first 1,000, in the order found; `differenceCount` counts all. */
  readonly differences: readonly Difference[];
  readonly differenceCount: number;
  /** Keys that went on changing while they were looked at (settling only): not judged. */
  readonly unsettled: readonly string[];
  /** What this mode cannot see, one sentence each. */
  readonly blindSpots: readonly string[];
}

export type RunEvent =
  | { readonly type: 'build.started'; readonly table: string; readonly resumed: boolean; readonly generation: string; readonly slot: string }
  | { readonly type: 'phase.started'; readonly phase: PhaseName }
  | { readonly type: 'phase.finished'; readonly phase: PhaseName; readonly durationMs: number; readonly detail: string }
  | ({ readonly type: 'progress'; readonly phase: PhaseName } & ProgressFigures)
  /** The load has found how many bulks of what size go fastest; `limit` is what the rate depends on there. */
  | {
      readonly type: 'tuned';
      readonly bulkJobs: number;
      readonly bulkBytes: number;
      readonly bytesPerSecond: number;
      readonly limit: 'sink' | 'source';
    }
  | { readonly type: 'throttle'; readonly reason: string; readonly detail: string }
  | { readonly type: 'retry'; readonly operation: string; readonly errorType: string; readonly attempt: number; readonly delayMs: number }
  | { readonly type: 'rejected'; readonly id: string; readonly column?: string; readonly reason: string }
  | { readonly type: 'warning'; readonly code: string; readonly message: string; readonly hint: string }
  | ({ readonly type: 'verify.result'; readonly passed: boolean } & VerifyReport)
  | { readonly type: 'drift'; readonly id: string; readonly kind: AuditKind; readonly fields: readonly string[] }
  | { readonly type: 'swap'; readonly alias: string; readonly from: string | null; readonly to: string };

/** Where phases tell what happens; the command line prints it. Never throws. */
export interface Reporter {
  report(event: RunEvent): void;
}
