import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { renderFamilies } from '../../../src/cli/metrics/exposition.ts';
import { metricFamilies } from '../../../src/cli/metrics/metric-families.ts';
import { writeTextfile } from '../../../src/cli/metrics/textfile.ts';
import type { Report } from '../../../src/cli/report/report-schema.ts';
import { assertGoodMetrics, sampleValue } from '../../support/metrics-check.ts';
import { failedReport, passedReport } from './sample-report.ts';

const renamed = (report: Report, index: string): Report => ({ ...report, runs: report.runs.map((run) => ({ ...run, index })) });
const audit = (report: Report): Report => ({ ...report, command: 'audit' });

test('names, types, units and labels follow the conventions, for every result', () => {
  for (const report of [passedReport(), failedReport(), audit(failedReport()), renamed(passedReport(), 'odd "name" \\ x')]) {
    assertGoodMetrics(renderFamilies(metricFamilies(report, 1_800_000_000)));
  }
});

/** Not a tool of this project: asked where it is there. */
const PROMTOOL = 'promtool';

test('promtool has nothing to say', () => {
  for (const report of [passedReport(), failedReport(), audit(failedReport())]) {
    const checked = spawnSync(PROMTOOL, ['check', 'metrics'], { input: renderFamilies(metricFamilies(report, 1_800_000_000)), encoding: 'utf8' });
    if (checked.error === undefined) assert.deepEqual([checked.stderr, checked.status], ['', 0]);
  }
});

test('the checker itself finds what is wrong', () => {
  const bad = [
    'realign_x_seconds{alias="a"} 1\n',
    '# HELP realign_x_ms Help.\n# TYPE realign_x_ms gauge\nrealign_x_ms{alias="a"} 1\n',
    '# HELP realign_x_total Help.\n# TYPE realign_x_total gauge\nrealign_x_total{alias="a"} 1\n',
    '# HELP realign_x Help.\n# TYPE realign_x gauge\nrealign_x{alias="a"} 1\nrealign_x{alias="a"} 2\n',
    '# HELP realign_x Help.\n# TYPE realign_x gauge\nrealign_x{key="a"} 1\n',
    '# HELP realign_x Help.\n# TYPE realign_x gauge\nrealign_x{alias="a"} one\n',
    '# HELP realign_x Help.\n# TYPE realign_x gauge\nrealign_x{alias="a"} 1',
  ];
  for (const text of bad) assert.throws(() => assertGoodMetrics(text), text);
});

test('a success and a failure leave what alerts need', () => {
  const good = renderFamilies(metricFamilies(passedReport(), 1000.5));
  assert.equal(sampleValue(good, 'realign_last_success_timestamp_seconds{alias="products"}'), 1000.5);
  assert.equal(sampleValue(good, 'realign_last_run_result{alias="products",result="succeeded"}'), 1);
  assert.equal(sampleValue(good, 'realign_last_run_phase_duration_seconds{alias="products",phase="load"}'), 288);
  const bad = renderFamilies(metricFamilies(failedReport(), 2000));
  assert.equal(sampleValue(bad, 'realign_last_success_timestamp_seconds{alias="products"}'), null);
  assert.equal(sampleValue(bad, 'realign_last_run_exit_code{alias="products"}'), 22);
  assert.equal(sampleValue(bad, 'realign_last_run_differences{alias="products"}'), 37);
  const skipped = { ...passedReport(), runs: passedReport().runs.map((run) => ({ ...run, result: 'skipped' as const })) };
  assert.equal(sampleValue(renderFamilies(metricFamilies(skipped, 1)), 'realign_last_success_timestamp_seconds{alias="products"}'), null);
});

const file = (context: { after(clean: () => void): void }): string => {
  const directory = mkdtempSync(join(tmpdir(), 'realign-metrics-'));
  context.after(() => rmSync(directory, { recursive: true }));
  return join(directory, 'realign.prom');
};

test('textfile: the last success outlives a failure, other aliases and commands stay, nothing else is left behind', async (context) => {
  const path = file(context);
  await writeTextfile(path, passedReport(), 1000);
  await writeTextfile(path, renamed(passedReport(), 'odd "x"'), 1001);
  await writeTextfile(path, audit(passedReport()), 1002);
  await writeTextfile(path, failedReport(), 1003);
  const text = readFileSync(path, 'utf8');
  assertGoodMetrics(text);
  const value = (name: string) => sampleValue(text, name);
  assert.equal(value('realign_last_success_timestamp_seconds{alias="products"}'), 1000);
  assert.equal(value('realign_last_run_timestamp_seconds{alias="products"}'), 1003);
  assert.equal(value('realign_last_run_exit_code{alias="products"}'), 22);
  assert.equal(value('realign_last_run_phase_duration_seconds{alias="products",phase="swap"}'), null, 'of the run before');
  assert.equal(value('realign_last_success_timestamp_seconds{alias="odd \\"x\\""}'), 1001);
  assert.equal(value('realign_audit_last_success_timestamp_seconds{alias="products"}'), 1002);
  assert.deepEqual(readdirSync(join(path, '..')), ['realign.prom']);
});

test('textfile: runs that end together lose nothing of each other', async (context) => {
  const path = file(context);
  const names = Array.from({ length: 12 }, (_, at) => `alias-${at}`);
  await Promise.all(names.map((name, at) => writeTextfile(path, renamed(passedReport(), name), at)));
  const text = readFileSync(path, 'utf8');
  assertGoodMetrics(text);
  for (const [at, name] of names.entries()) assert.equal(sampleValue(text, `realign_last_run_timestamp_seconds{alias="${name}"}`), at);
});

test('textfile: the lock of a killed run is taken over, a text that is not ours is not kept', async (context) => {
  const path = file(context);
  mkdirSync(`${path}.lock`);
  utimesSync(`${path}.lock`, 1, 1);
  writeFileSync(path, 'garbage{ 1\nother_metric 2\nrealign_last_run_exit_code{alias="x"} 0\n');
  await writeTextfile(path, passedReport(), 7);
  assertGoodMetrics(readFileSync(path, 'utf8'));
  assert.ok(!existsSync(`${path}.lock`));
});

test('textfile: a full disk leaves the old file as it was', async (context) => {
  const path = file(context);
  await assert.rejects(writeTextfile(join(path, 'no', 'where.prom'), passedReport(), 1), { code: 'ENOENT' });
  await writeTextfile(path, passedReport(), 1);
  assert.equal(sampleValue(readFileSync(path, 'utf8'), 'realign_last_run_exit_code{alias="products"}'), 0);
});
