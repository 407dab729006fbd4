import { result as runResult } from '../output/schema-parts.ts';
import type { IndexReport, Report } from '../report/report-schema.ts';

/**
 * What a run leaves for Prometheus. Names and units after https://prometheus.io/docs/practices/naming: base units, no `_total`, because these are gauges of the last run and not
 * counters. Labels are alias, phase and result only: never keys, hosts or SQL.
 */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly series: readonly Series[];
}

export interface Series {
  readonly labels: { readonly alias: string; readonly phase?: string; readonly result?: string };
  readonly value: number;
}

/** The family that a failed run leaves as it was: alerts ask how long ago the last success is. */
export function lastSuccessName(command: string): string {
  return `${prefixOf(command)}last_success_timestamp_seconds`;
}

/** The families of a run, those of an audit by names of their own; `nowSeconds` is the Unix time of its end. */
export function metricFamilies(report: Report, nowSeconds: number): readonly Family[] {
  const prefix = prefixOf(report.command);
  const families = [...runFamilies(report.runs, nowSeconds), ...figureFamilies(report.runs), ...verificationFamilies(report.runs)];
  return families.filter(({ series }) => series.length > 0).map((family) => ({ ...family, name: `${prefix}${family.name}` }));
}

function prefixOf(command: string): string {
  return command === 'audit' ? 'realign_audit_' : 'realign_';
}

function runFamilies(runs: readonly IndexReport[], nowSeconds: number): readonly Family[] {
  const results = runs.flatMap((run) =>
    runResult.options.map((result) => ({ labels: { alias: run.index, result }, value: run.result === result ? 1 : 0 })),
  );
  const phases = runs.flatMap((run) => {
    // A phase that was entered twice is one series: the later one is what ended.
    const durations = new Map(run.phases.flatMap(({ phase, durationMs }) => (durationMs === null ? [] : [[phase, durationMs] as const])));
    return [...durations].map(([phase, ms]) => ({ labels: { alias: run.index, phase }, value: ms / 1000 }));
  });
  return [
    family('last_run_timestamp_seconds', 'Unix time at which the last run ended.', runs, () => nowSeconds),
    family('last_success_timestamp_seconds', 'Unix time at which the last run that succeeded ended.', runs, ({ exitCode, result }) =>
      // A run that was skipped proved nothing; one with nothing to do found that all is as it should be.
      exitCode === 0 && result !== 'skipped' ? nowSeconds : null,
    ),
    family('last_run_exit_code', 'Exit code of the last run.', runs, ({ exitCode }) => exitCode),
    { name: 'last_run_result', help: 'Result of the last run: 1 for the one that holds, 0 for the others.', series: results },
    family('last_run_duration_seconds', 'Duration of the last run.', runs, ({ durationMs }) => durationMs / 1000),
    { name: 'last_run_phase_duration_seconds', help: 'Duration of each phase that ended in the last run.', series: phases },
  ];
}

function figureFamilies(runs: readonly IndexReport[]): readonly Family[] {
  const loading = runs.filter(({ timeline }) => timeline.length > 0);
  return [
    family('last_run_loaded_rows', 'Rows loaded by the last run.', loading, ({ totals }) => totals.rows),
    family('last_run_replayed_changes', 'Changes replayed from the write-ahead log by the last run.', loading, ({ totals }) => totals.changes),
    family('last_run_retries', 'Requests that the last run sent again.', loading, ({ totals }) => totals.retries),
    family('last_run_replay_lag_peak_bytes', 'Largest replay lag of the last run.', loading, ({ totals }) => Number(totals.peakLagBytes)),
    family('last_run_slot_wal_peak_bytes', 'Most write-ahead log that the slot held back in the last run.', loading, ({ totals }) =>
      Number(totals.peakSlotWalBytes),
    ),
    family('last_run_rejected_rows', 'Rows that could not be indexed in the last run.', runs, ({ rejects }) => rejects.count),
  ];
}

function verificationFamilies(runs: readonly IndexReport[]): readonly Family[] {
  const read = (name: string, help: string, value: (verification: NonNullable<IndexReport['verification']>) => number): Family =>
    family(name, help, runs, ({ verification }) => (verification === null ? null : value(verification)));
  return [
    read('last_run_table_rows', 'Rows of the table at the last comparison.', ({ rows }) => rows),
    read('last_run_index_documents', 'Documents of the index at the last comparison.', ({ documents }) => documents),
    read('last_run_differences', 'Documents that differ from their rows.', ({ differenceCount }) => differenceCount),
    read('last_run_unsettled_keys', 'Keys that went on changing and were not judged.', ({ unsettledCount }) => unsettledCount),
  ];
}

function family(name: string, help: string, runs: readonly IndexReport[], value: (run: IndexReport) => number | null): Family {
  const series = runs.flatMap((run) => {
    const number = value(run);
    return number === null ? [] : [{ labels: { alias: run.index }, value: number }];
  });
  return { name, help, series };
}
