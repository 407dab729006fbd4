import type { Growth } from './growth.ts';
import { lineChart, type Series } from './line-chart.ts';
import type { BenchReport } from './report.ts';

export interface Curve {
  /** Beside the page. */
  readonly file: string;
  readonly alt: string;
  readonly svg: string;
}

const ROWS = { xLabel: 'rows of the table', logX: true };

/** What grows with the table and what does not; nothing for a report without case (j). */
export function curves({ growth }: BenchReport): readonly Curve[] {
  if (growth.length === 0) return [];
  const over = (name: string, figure: (grown: Growth) => number): Series => ({ name, points: growth.map((grown) => [grown.rows, figure(grown)]) });
  const time = [over('load', ({ loadUsPerRow }) => loadUsPerRow), over('verification', ({ verifyUsPerRow }) => verifyUsPerRow)];
  const memory = [over('load', ({ loadPeakRssMb }) => loadPeakRssMb), over('verification', ({ verifyPeakRssMb }) => verifyPeakRssMb)];
  const wal = growth.slice(-3).map(
    ({ rows, slotWal }): Series => ({
      name: `${rows.toLocaleString('en')} rows`,
      points: slotWal.map(({ seconds, bytes }) => [seconds, bytes / 1e6]),
    }),
  );
  return [
    curve('performance-time.svg', { title: 'Time per row', yLabel: 'microseconds', ...ROWS, series: time }),
    curve('performance-memory.svg', { title: 'Peak resident memory', yLabel: 'MB', ...ROWS, series: memory }),
    curve('performance-wal.svg', {
      title: 'WAL retained by the slot during the load',
      yLabel: 'MB',
      xLabel: 'seconds of the load',
      logX: false,
      series: wal,
    }),
  ];
}

function curve(file: string, chart: Parameters<typeof lineChart>[0]): Curve {
  return { file, alt: chart.title, svg: lineChart(chart) };
}
