import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { curves } from './curves.ts';
import { pageOf } from './page.ts';
import type { BenchReport } from './report.ts';

const DOCS = join(import.meta.dirname, '..', '..', '..', 'docs');
const REPORT = join(DOCS, 'performance.json');
const CLUSTER = join(DOCS, 'performance-cluster.json');

/** Keeps the report, or the one of several nodes: the page is made of what is in the repository. */
export async function writeReport(report: BenchReport, cluster: boolean): Promise<void> {
  await writeFile(cluster ? CLUSTER : REPORT, `${JSON.stringify(report, null, 2)}\n`);
}

/** Writes docs/performance.md and its curves from the report that was kept: `node dist/scripts/benchmark/write-report.js`. */
export async function renderReport(): Promise<void> {
  const report = JSON.parse(await readFile(REPORT, 'utf8')) as BenchReport;
  const cluster = existsSync(CLUSTER) ? (JSON.parse(await readFile(CLUSTER, 'utf8')) as BenchReport) : null;
  await writeFile(join(DOCS, 'performance.md'), pageOf(report, cluster));
  for (const { file, svg } of curves(report)) await writeFile(join(DOCS, file), svg);
}

if (process.argv[1] === import.meta.filename) await renderReport();
