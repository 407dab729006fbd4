/** One measured run, per row. */
export interface Figures {
  readonly rowsPerSecond: number;
  readonly mbPerSecond: number;
  readonly nodeUs: number;
  readonly postgresUs: number;
  readonly javaUs: number;
  /** Of a server that answers in Elasticsearch's place; 0 where there is none. */
  readonly sinkUs: number;
  readonly peakRssMb: number;
}

export interface Summary extends Figures {
  readonly name: string;
  readonly runs: number;
  /** Lowest and highest rate of the runs. */
  readonly spread: readonly [number, number];
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The median of each figure over the runs of one case. */
export function summarize(name: string, runs: readonly Figures[]): Summary {
  const of = (figure: keyof Figures): number => median(runs.map((run) => run[figure]));
  const rates = runs.map((run) => run.rowsPerSecond);
  return {
    name,
    runs: runs.length,
    spread: [Math.min(...rates), Math.max(...rates)],
    rowsPerSecond: of('rowsPerSecond'),
    mbPerSecond: of('mbPerSecond'),
    nodeUs: of('nodeUs'),
    postgresUs: of('postgresUs'),
    javaUs: of('javaUs'),
    sinkUs: of('sinkUs'),
    peakRssMb: of('peakRssMb'),
  };
}

const COLUMNS = ['case', 'rows/s', 'spread', 'MB/s', 'node us', 'pg us', 'java us', 'sink us', 'RSS MB'] as const;

/** One table for people. */
export function printTable(summaries: readonly Summary[]): string {
  const rows = summaries.map((s) => [
    s.name,
    Math.round(s.rowsPerSecond).toLocaleString('en'),
    `${Math.round(s.spread[0] / 100) / 10}k-${Math.round(s.spread[1] / 100) / 10}k`,
    s.mbPerSecond.toFixed(1),
    s.nodeUs.toFixed(1),
    s.postgresUs.toFixed(1),
    s.javaUs.toFixed(1),
    s.sinkUs.toFixed(1),
    Math.round(s.peakRssMb).toString(),
  ]);
  const widths = COLUMNS.map((column, i) => Math.max(column.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ');
  return [line(COLUMNS), ...rows.map(line)].join('\n');
}
