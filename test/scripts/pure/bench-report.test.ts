import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOptions, UsageError } from '../../../scripts/benchmark/bench-options.ts';
import { type Summary, summarize } from '../../../scripts/benchmark/figures.ts';
import { type Growth, type GrowthRound, summarizeGrowth } from '../../../scripts/benchmark/growth.ts';
import { judged, mergeReports } from '../../../scripts/benchmark/merge-reports.ts';
import { pageOf } from '../../../scripts/benchmark/page.ts';
import type { BenchReport, BenchRun, Of } from '../../../scripts/benchmark/report.ts';
import { LINES } from '../../../scripts/benchmark/targets.ts';

const machine = { cores: 2, cpu: 'a cpu', memoryGiB: 24, node: '20.20.2', postgres: '17.10', elasticsearch: '9.0.8' };
const MONDAY = '2026-11-23T10:00:00.000Z';
const TUESDAY = '2026-11-24T10:00:00.000Z';

const runAt = (startedAt: string, command: string): BenchRun => ({
  ...{ startedAt, command, minutes: 20, smoke: false, rows: 300_000, rounds: 3, changes: 500_000, shards: 1, nodes: 1 },
});

function line(run: string, name: string, rowsPerSecond: number): Of<Summary> {
  const cpu = { nodeUs: 8, postgresUs: 5, javaUs: 85, sinkUs: 0 };
  return { ...summarize(name, [{ rowsPerSecond, mbPerSecond: rowsPerSecond * 865e-6, ...cpu, peakRssMb: 150 }]), run };
}

function size(run: string, rows: number): Of<Growth> {
  const load = { rounds: 3, loadUsPerRow: 50, loadSpread: [45, 55] as const, loadNodeUs: 9, loadJavaUs: 90, loadPeakRssMb: 150 };
  return { run, rows, ...load, verifyUsPerRow: 20, verifyPeakRssMb: 160, maxSlotWalMb: 3, slotWal: [{ seconds: 1, bytes: 1e6 }] };
}

function reportOf(run: BenchRun, part: Partial<BenchReport>): BenchReport {
  return judged({ format: 2, machine, runs: [run], summaries: [], sourceCost: null, growth: [], scaling: [], ...part });
}

const monday = reportOf(runAt(MONDAY, 'scripts/bench --write'), {
  summaries: [line(MONDAY, LINES.limit, 20_000), line(MONDAY, LINES.load, 17_000), line(MONDAY, '(g) apply, transactions of 10', 15_000)],
  growth: [size(MONDAY, 100_000), size(MONDAY, 1_000_000)],
});

const measured = ({ targets }: BenchReport, name: string) => targets.find((target) => target.name === name)?.measured;

test('a later run replaces its cases and sizes only, and each figure keeps its run', () => {
  const part = { summaries: [line(TUESDAY, '(g) apply, transactions of 1', 12_000)], growth: [size(TUESDAY, 1_000_000), size(TUESDAY, 3_000_000)] };
  const merged = mergeReports(monday, reportOf(runAt(TUESDAY, 'scripts/bench --only g,j'), part));
  assert.deepEqual(
    merged?.summaries.map(({ name, run }) => [name, run]),
    [
      [LINES.limit, MONDAY],
      [LINES.load, MONDAY],
      ['(g) apply, transactions of 1', TUESDAY],
    ],
  );
  assert.deepEqual(
    merged?.growth.map(({ rows, run }) => [rows, run]),
    [
      [100_000, MONDAY],
      [1_000_000, TUESDAY],
      [3_000_000, TUESDAY],
    ],
  );
  assert.deepEqual(
    merged?.runs.map(({ command }) => command),
    ['scripts/bench --write', 'scripts/bench --only g,j'],
  );
});

test('a run of which nothing is left is not named any more', () => {
  const merged = mergeReports(
    monday,
    reportOf(runAt(TUESDAY, 'again'), {
      ...monday,
      runs: [runAt(TUESDAY, 'again')],
      summaries: monday.summaries.map((one) => ({ ...one, run: TUESDAY })),
      growth: monday.growth.map((one) => ({ ...one, run: TUESDAY })),
    }),
  );
  assert.deepEqual(
    merged?.runs.map(({ startedAt }) => startedAt),
    [TUESDAY],
  );
});

test('a ratio of two runs is not measured', () => {
  assert.equal(measured(monday, 'end to end / sink limit'), 0.85);
  const merged = mergeReports(monday, reportOf(runAt(TUESDAY, 'b'), { summaries: [line(TUESDAY, LINES.load, 19_000)] }));
  assert.ok(merged !== null);
  assert.equal(measured(merged, 'end to end / sink limit'), null);
});

test('figures of another machine or of a smoke run do not stand beside others', () => {
  const fresh = reportOf(runAt(TUESDAY, 'a'), { summaries: [line(TUESDAY, LINES.limit, 1)] });
  assert.equal(mergeReports(monday, { ...fresh, machine: { ...machine, cores: 8 } }), null);
  assert.equal(mergeReports(monday, { ...fresh, runs: fresh.runs.map((run) => ({ ...run, smoke: true })) }), null);
});

test('the page warns of smoke runs, and only of them', () => {
  assert.doesNotMatch(pageOf(monday, null), /smoke/i);
  const smoke = { ...monday, runs: monday.runs.map((run) => ({ ...run, smoke: true })) };
  assert.match(pageOf(smoke, null), /A smoke run/);
});

test('the page says why two threads cannot give more than the cores have', () => {
  const sink = { ...line(MONDAY, LINES.nullSink, 90_000), nodeUs: 8, postgresUs: 5, javaUs: 0, sinkUs: 2 };
  const pair = { ...sink, ...{ name: LINES.nullSinkPair, rowsPerSecond: 100_000, peakRssMb: 300 } };
  const page = pageOf(reportOf(runAt(MONDAY, 'e'), { summaries: [sink, pair] }), null);
  // 2 cores / 15 us = 133,333 rows/s, 1.48 times 90,000; two threads with cores of their own 2 / 8 us = 250,000.
  assert.match(page, /15 µs of CPU \(8\.0 of Node, 5\.0 of PostgreSQL and 2\.0 of the null sink\), which at 90,000\/s is 1\.35 of the 2 cores/);
  assert.match(page, /all of them allow 1\.48 times that rate/);
  assert.match(page, /at most 250,000\/s/);
  assert.equal(
    measured(reportOf(runAt(MONDAY, 'e'), { summaries: [sink, pair] }), 'null sink, two processes / one (upper bound of two threads)')?.toFixed(2),
    '1.11',
  );
});

test('(k) stands in the page and supports the extrapolation', () => {
  const point = {
    sink: 'elasticsearch',
    allowedMbPerSecond: 4,
    mbPerSecond: 4,
    rowsPerSecond: 4600,
    nodeUs: 9,
    peakRssMb: 150,
    run: MONDAY,
  } as const;
  const scaling = [1, 2, 3].map((nodes) => ({ ...point, nodes, rowsPerSecond: nodes * 4600 }));
  const summaries = [...monday.summaries, line(MONDAY, LINES.nullSink, 90_000), line(MONDAY, LINES.verify, 40_000)];
  const page = pageOf(reportOf(runAt(MONDAY, 'k'), { summaries, scaling }), null);
  assert.match(page, /## Several nodes, throttled/);
  assert.match(page, /3 throttled nodes 3\.00 times as fast as one/);
});

test('the page does not name a run of which only a simulation is left that it does not show', () => {
  const rates = { allowedMbPerSecond: 4, mbPerSecond: 4, rowsPerSecond: 4600 };
  const point = { ...rates, sink: 'elasticsearch', nodes: 1, nodeUs: 9, peakRssMb: 150 } as const;
  const both = { ...monday, runs: [...monday.runs, runAt(TUESDAY, 'only k')], scaling: [{ ...point, run: TUESDAY }] };
  const cluster = reportOf({ ...runAt(MONDAY, 'k'), nodes: 3 }, { scaling: [{ ...point, run: MONDAY }] });
  assert.match(pageOf(both, null), /only k/);
  assert.doesNotMatch(pageOf(both, cluster), /only k/);
});

test('the extrapolation takes what a document costs several nodes, where that is more', () => {
  const summaries = [...monday.summaries, line(MONDAY, LINES.nullSink, 90_000), line(MONDAY, LINES.verify, 40_000)];
  const onSeveral = [{ ...line(TUESDAY, LINES.limit, 15_000), javaUs: 120 }, line(TUESDAY, LINES.load, 15_000), line(TUESDAY, LINES.verify, 20_000)];
  const cluster = reportOf({ ...runAt(TUESDAY, 'k'), nodes: 3 }, { summaries: onSeveral });
  // 12 cores / 120 us
  assert.match(
    pageOf(reportOf(runAt(MONDAY, 'a'), { summaries }), cluster),
    /85 µs of Java on one node, 120 on 3 that .* That is 100,000 documents\/s/,
  );
  assert.match(pageOf(reportOf(runAt(MONDAY, 'a'), { summaries }), null), /85 µs of Java\. That is 141,176 documents\/s/);
});

test('flags and cases that do not exist are refused', () => {
  assert.throws(() => readOptions(['--only', 'a,h']), UsageError);
  assert.throws(() => readOptions(['--rows', '0']), UsageError);
  assert.throws(() => readOptions(['--nothing']), UsageError);
  assert.deepEqual([...readOptions(['--only', 'g,a']).only], ['a', 'g']);
  assert.equal(readOptions(['--smoke']).rows, 5000);
});

test("a ratio to pgsync's load that the sink's limit forbids says so", () => {
  const summaries = [line(MONDAY, LINES.limit, 20_000), line(MONDAY, LINES.load, 17_000), line(MONDAY, LINES.pgsyncLoad, 5_000)];
  const page = pageOf(reportOf(runAt(MONDAY, 'scripts/bench --peers'), { summaries }), null);
  assert.match(
    page,
    /\*end to end \/ pgsync's load\*: the sink's limit \(a\) is 4 times pgsync's load; by the CPU of a row, with the cores equally busy, \(b\) would be about 1 of \(a\): 4 times/,
  );
});

test('a miss that reading the rows alone explains has no cost of the tool in it, another one has', () => {
  const drain = (javaUs: number): string => {
    const bodies = { ...line(MONDAY, '(g) sink limit, recorded bodies, transactions of 10', 20_000), nodeUs: 0, postgresUs: 0, sinkUs: 0, javaUs };
    const apply = { ...line(MONDAY, '(g) apply, transactions of 10', 10_000), nodeUs: 30, postgresUs: 0, sinkUs: 0, javaUs };
    const raw = { ...line(MONDAY, '(g) raw drain, transactions of 10', 90_000), nodeUs: 5, postgresUs: 5, sinkUs: 0, javaUs: 0 };
    return pageOf(reportOf(runAt(MONDAY, 'scripts/bench'), { summaries: [bodies, apply, raw] }), null);
  };
  assert.match(drain(40), /would come to about 0\.8\.\n/);
  assert.match(drain(90), /would come to about 0\.9: 20 µs less, of which 0 are what Java took more beside it\.\n/);
});

test('a size of (j) has the median of its times, the most of memory and WAL, and the curve that goes with it', () => {
  const round = (us: number, mb: number): GrowthRound => ({
    ...{ rows: 1000, loadUsPerRow: us, verifyUsPerRow: us / 2, loadNodeUs: us / 5, loadJavaUs: us },
    ...{ loadPeakRssMb: mb, verifyPeakRssMb: mb + 1, maxSlotWalMb: mb, slotWal: [{ seconds: 1, bytes: mb * 1e6 }] },
  });
  assert.deepEqual(summarizeGrowth([round(50, 20), round(70, 10), round(40, 30)]), {
    ...round(50, 30),
    rounds: 3,
    loadSpread: [40, 70],
  });
  assert.throws(() => summarizeGrowth([]), RangeError);
});

test('memory of the verification that the load has left to it is told as such', () => {
  const growth = [size(MONDAY, 100_000), { ...size(MONDAY, 3_000_000), loadPeakRssMb: 175, verifyPeakRssMb: 196 }];
  assert.match(pageOf(reportOf(runAt(MONDAY, 'j'), { growth }), null), /it took 10 MB at 100,000 rows, 21 MB at 3,000,000 rows\./);
});

test('what the source notices is told with its reason', () => {
  const sourceCost = {
    ...{ run: MONDAY, loadRate: 10_000, alone: 20_000, idleSlot: 20_000, duringLoad: 10_000, duringReplay: 9000 },
    nullSink: { idleSlot: 16_000, received: 15_200, duringLoad: 14_400 },
  };
  const page = pageOf(judged({ ...monday, sourceCost }), null);
  assert.match(page, /\| during the load \| 10,000 \| 0\.5 \|/);
  assert.match(page, /\| then, during a load into a null sink \| 14,400 \| 0\.9 of that \|/);
  assert.match(page, /writer's TPS.*the writer kept 0\.95 of its rate.*need the cores for, 0\.9\./);
});
