import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { curves } from './curves.ts';
import { mergeReports } from './merge-reports.ts';
import { pageOf } from './page.ts';
import type { BenchReport } from './report.ts';
import { finder, LINES } from './targets.ts';

const DOCS = join(import.meta.dirname, '..', '..', '..', 'docs');
const REPORT = join(DOCS, 'performance.json');
const CLUSTER = join(DOCS, 'performance-cluster.json');

/**
 * Puts the report's figures in place of those kept of the same cases, in docs/performance.json or, for several nodes, performance-cluster.json: the page is made of what is in
 * the repository. Returns false if nothing that was there could stay.
 */
export async function writeReport(report: BenchReport, cluster: boolean): Promise<boolean> {
  const file = cluster ? CLUSTER : REPORT;
  const kept = await readReport(file);
  const merged = kept === null ? null : mergeReports(kept, report);
  await writeFile(file, `${JSON.stringify(merged ?? report, null, 2)}\n`);
  return kept === null || merged !== null;
}

/** Whether figures are kept that mean something. */
export async function keepsMeasured(cluster: boolean): Promise<boolean> {
  const kept = await readReport(cluster ? CLUSTER : REPORT);
  return kept?.runs.some(({ smoke }) => !smoke) ?? false;
}

/** Documents per second of the (a) that is kept; null without one. */
export async function keptLimit(): Promise<number | null> {
  return finder((await readReport(REPORT))?.summaries ?? [])(LINES.limit)?.rowsPerSecond ?? null;
}

/** Writes docs/performance.md and its curves from the reports that were kept: `node dist/scripts/benchmark/write-report.js`. */
export async function renderReport(): Promise<void> {
  const report = await readReport(REPORT);
  if (report === null) return;
  await writeFile(join(DOCS, 'performance.md'), pageOf(report, await readReport(CLUSTER)));
  for (const { file, svg } of curves(report)) await writeFile(join(DOCS, file), svg);
}

async function readReport(file: string): Promise<BenchReport | null> {
  const report = existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as BenchReport) : null;
  // An older form has not what the page needs.
  return report?.format === 2 ? report : null;
}

if (process.argv[1] === import.meta.filename) await renderReport();
