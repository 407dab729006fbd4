import { curves } from './curves.ts';
import { extrapolation, simulated } from './extrapolation.ts';
import type { Summary } from './figures.ts';
import { inShort, WORDS } from './in-short.ts';
import { judged } from './merge-reports.ts';
import { reasons } from './reasons.ts';
import type { BenchReport, BenchRun, Of } from './report.ts';
import { BULK_BYTES, bulkJobsFor, type ScalingPoint } from './scaling.ts';
import type { SourceCost } from './source-cost.ts';
import { figure, finder, LINES, type Target } from './targets.ts';

/** docs/performance.md: every figure in it comes from the report. */
export function pageOf(whole: BenchReport, cluster: BenchReport | null): string {
  // The page has one simulation of several nodes: the run of another one names nothing on it.
  const report = simulated(whole, cluster) === whole ? whole : judged({ ...whole, scaling: [] });
  const parts = [
    head(report),
    inShort(report),
    figures(report),
    targets(report),
    source(report),
    growth(report),
    clusterPart(cluster),
    nodes(report, cluster),
  ];
  return `${[...parts, extrapolation(report, cluster)].filter((part) => part !== '').join('\n\n')}\n`;
}

function head(report: BenchReport): string {
  const { machine } = report;
  return `# Performance

Written by \`scripts/bench --write\` from [performance.json](performance.json); \`node dist/scripts/benchmark/write-report.js\` writes it again from that file. Do not edit it by hand.
${smokeNote(report)}
${runs(report)}
- Machine: ${machine.cores} cores (${machine.cpu}), ${machine.memoryGiB} GiB. **PostgreSQL ${machine.postgres}, Elasticsearch ${machine.elasticsearch}, realign (Node ${machine.node}) and the proxies share
  these cores**, so each takes from the others what it uses.
- Table: \`products\`, rows of 11 columns, about 660 bytes of COPY text and 865 of bulk NDJSON each, generated and seeded; ${shardCount(report.runs[0]?.shards ?? 1)}, no replicas.
- Method: the cases (a) to (f) in turns, then the sizes of (g) in turns, medians of the rounds; the spread is the lowest and the highest rate. CPU is read from /proc per process, so it holds on a busy machine too; compare
  rates only within one run. The changes of (g) are each of another key: 60 % updates, 20 % inserts, 20 % deletes. Every realign figure but the raw drain and the decoding is the command line as users call it.
  PostgreSQL runs without fsync: what a commit costs the writers is CPU alone.
- The null sink of (e) and (g) is a process that reads bulk bodies and answers as Elasticsearch does when nothing fails; what it takes of the cores is in its own column.`;
}

function runs({ runs: all, summaries }: BenchReport): string {
  const said = ({ command, startedAt, minutes, rows, rounds, changes }: BenchRun): string => {
    const replayed = summaries.some(({ name, run }) => run === startedAt && name.startsWith('(g)'))
      ? `, ${changes.toLocaleString('en')} changes`
      : '';
    const size = `${rows.toLocaleString('en')} rows, ${rounds} ${rounds === 1 ? 'round' : 'rounds'}${replayed}`;
    return `\`${command}\` on ${startedAt.slice(0, 10)}, ${minutes} minutes (${size})`;
  };
  const [only] = all;
  if (all.length === 1 && only !== undefined) return `- Command: ${said(only)}.`;
  return `- Commands, by which the tables name their runs; rows, rounds and changes are what counted then, and of each run only the figures that name it are left:\n${all.map((run, i) => `  ${i + 1}. ${said(run)}`).join('\n')}`;
}

/** With what its servers were started with, where they are several. */
function commandOf({ command, nodes: count }: BenchRun): string {
  return count > 1 ? `INSTANCE=bench${count} ES_NODES=${count} ES_HEAP=1g ${command}` : command;
}

/** The number of a figure's run, where there are several. */
function runOf({ runs: all }: BenchReport, of: { readonly run: string }): string {
  return String(all.findIndex(({ startedAt }) => startedAt === of.run) + 1);
}

/** Nobody should take such figures for a measurement. */
function smokeNote({ runs: all }: BenchReport): string {
  return all.some(({ smoke }) => smoke) ? '\n**A smoke run: it shows what the page looks like. Its figures mean nothing.**\n' : '';
}

function shardCount(shards: number): string {
  return shards === 1 ? 'one shard' : `${shards} shards`;
}

/** A table of which the last column, with the run, is only there where there are several. */
function table<T extends { readonly run: string }>(
  report: BenchReport,
  columns: readonly string[],
  rows: readonly (readonly [T, readonly string[]])[],
): string {
  const several = report.runs.length > 1;
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line([...columns, ...(several ? ['run'] : [])]),
    `|---|${'---:|'.repeat(columns.length - 1 + (several ? 1 : 0))}`,
    ...rows.map(([of, cells]) => line([...cells, ...(several ? [runOf(report, of)] : [])])),
  ].join('\n');
}

const shown = (value: number, digits: number): string => (value === 0 ? '' : value.toFixed(digits));

function cellsOf(s: Summary): readonly string[] {
  const cpu = [s.nodeUs.toFixed(1), s.postgresUs.toFixed(1), s.javaUs.toFixed(1), shown(s.sinkUs, 1)];
  return [s.name, figure(s.rowsPerSecond), `${figure(s.spread[0])}–${figure(s.spread[1])}`, shown(s.mbPerSecond, 1), ...cpu, shown(s.peakRssMb, 0)];
}

function summaryTable(report: BenchReport): string {
  const columns = ['case', 'rows/s', 'spread', 'MB/s', 'Node µs', 'PostgreSQL µs', 'Java µs', 'null sink µs', 'RSS MB'];
  return table(
    report,
    columns,
    report.summaries.map((s) => [s, cellsOf(s)]),
  );
}

function figures(report: BenchReport): string {
  if (report.summaries.length === 0) return '';
  return `## Figures

Rows (changes in (g)) per second, CPU in microseconds per row, peak memory of the tool. MB/s is bulk bodies, in (f) COPY text, in (g) \`apply\` before Elasticsearch WAL.${peersNote(report)}

${summaryTable(report)}

${WORDS}`;
}

function peersNote({ summaries }: BenchReport): string {
  if (!summaries.some(({ name }) => name.startsWith('(p)'))) return '';
  const proxied = summaries.some(({ name }) => name === LINES.searchReplicaLoad)
    ? ' search-replica writes through a proxy that is in no column but takes its part of the cores; it passes all requests on but two stored scripts at the start, which it acknowledges itself.'
    : '';
  return ` In (p) the other tool stands in the column of Node, from its start to its last document; its MB/s are those of realign’s documents; each is measured once.${proxied}`;
}

/** The same servers' cores for several nodes: it shows that the tool follows them, not how fast such a cluster is. */
function clusterPart(cluster: BenchReport | null): string {
  const run = cluster?.runs[0];
  if (cluster === null || run === undefined || cluster.summaries.length === 0) return '';
  return `## ${run.nodes} nodes on one machine

\`${commandOf(run)}\` on ${run.startedAt.slice(0, 10)}: ${run.nodes} Elasticsearch nodes of one cluster share the cores above, ${shardCount(run.shards)}, ${run.rows.toLocaleString('en')} rows. It shows that the load follows several nodes, also when they are
throttled, and what it costs; the nodes have no more cores together than one has alone.${run.rounds === 1 ? ' In the one round (a) comes first, on servers that have indexed nothing yet: there the load behind it is the faster.' : ''}

${summaryTable(cluster)}`;
}

/** (k): of the report of several nodes, if there is one. */
function nodes(report: BenchReport, cluster: BenchReport | null): string {
  const from = simulated(report, cluster);
  const run = from?.runs.find(({ startedAt }) => startedAt === from.scaling[0]?.run);
  if (from === null || run === undefined) return '';
  const behind =
    run.nodes === 1 ? 'one Elasticsearch node behind all of them' : `each before a node of its own, of a cluster of ${run.nodes} on this machine`;
  const cells = (p: Of<ScalingPoint>): readonly string[] => [
    `${p.nodes}${p.sink === 'null' ? ', null sinks' : ''}`,
    ...[p.allowedMbPerSecond, p.mbPerSecond, p.mbPerSecond / p.allowedMbPerSecond, p.rowsPerSecond, p.nodeUs].map(figure),
    shown(p.peakRssMb, 0),
  ];
  return `## Several nodes, throttled

(k), \`${commandOf(run)}\` on ${run.startedAt.slice(0, 10)}, ${run.rows.toLocaleString('en')} rows: proxies that pass so many bytes a second, ${behind}, and realign with all their addresses, \`--bulk-bytes ${BULK_BYTES}\` and \`--bulk-jobs\` ${bulkJobsFor(1)}, ${bulkJobsFor(2)}, ${bulkJobsFor(3)}:
two for each node and one more. While the nodes are the limit, the load takes what they pass together; null sinks are allowed more, until realign and PostgreSQL on these cores are the limit.

${table(
  from,
  ['nodes', 'allowed MB/s', 'MB/s', 'share', 'rows/s', 'Node µs', 'RSS MB'],
  from.scaling.map((p) => [p, cells(p)]),
)}`;
}

function targets(report: BenchReport): string {
  const line = ({ name, wanted, bound, unit, measured, reached }: Target): string =>
    `| ${name} | ${bound === 'min' ? '≥' : '≤'} ${figure(wanted)} ${unit} | ${measured === null ? '–' : `${figure(measured)} ${unit}`} | ${reached === null ? 'not measured' : reached ? 'yes' : '**no**'} |`;
  return `## Targets

Ratios within one run; where their two sides are of different runs, they are not measured.

| | wanted | measured | reached |
|---|---:|---:|---|
${report.targets.map(line).join('\n')}${because(report)}`;
}

function because(report: BenchReport): string {
  const found = reasons(report);
  return found.length === 0 ? '' : `\n\nWhy, by the figures of this page:\n\n${found.join('\n')}`;
}

function source(report: BenchReport): string {
  const { sourceCost: cost, runs: all } = report;
  if (cost === null) return '';
  const line = (name: string, tps: number): string => `| ${name} | ${figure(tps)} | ${figure(tps / cost.idleSlot)} |`;
  return `## What the source notices

Two clients update single rows by primary key as fast as they can, in a process of their own. (i): the load runs with \`--rate ${Math.round(cost.loadRate)}\`, ${rateOf(report, cost)}.${cost.nullSink === null ? '' : ' Then the same two clients, while Elasticsearch does nothing, beside a slot whose changes are received and thrown away, and beside a load as fast into a null sink.'}${all.length > 1 ? ` Run ${runOf(report, cost)}.` : ''}

| | transactions/s | ratio to an idle slot |
|---|---:|---:|
${[line('alone', cost.alone), line('beside a slot that nobody reads', cost.idleSlot), line('during the load', cost.duringLoad), line('during the replay', cost.duringReplay), ...nullLines(cost)].join('\n')}`;
}

function nullLines({ nullSink, idleSlot: before }: SourceCost): readonly string[] {
  if (nullSink === null) return [];
  const { idleSlot, received, duringLoad } = nullSink;
  return [
    `| later, beside a slot that nobody reads | ${figure(idleSlot)} | ${figure(idleSlot / before)} |`,
    `| then, beside a slot that is received and thrown away | ${figure(received)} | ${figure(received / idleSlot)} of that |`,
    `| then, during a load into a null sink | ${figure(duringLoad)} | ${figure(duringLoad / idleSlot)} of that |`,
  ];
}

/** (a) may have been measured again since: told by the value. */
function rateOf({ summaries }: BenchReport, { loadRate }: SourceCost): string {
  const limit = finder(summaries)(LINES.limit);
  return limit !== undefined && Math.round(limit.rowsPerSecond / 2) === Math.round(loadRate)
    ? 'half of (a)'
    : 'of a run whose (a) is not on this page';
}

function growth(report: BenchReport): string {
  if (report.growth.length === 0) return '';
  const columns = [
    'rows',
    'rounds',
    'load µs/row',
    'spread',
    'verification µs/row',
    'Node CPU of the load µs/row',
    'RSS load MB',
    'RSS verification MB',
    'most slot WAL MB',
  ];
  const lines = report.growth.map((g): readonly [typeof g, readonly string[]] => [
    g,
    [
      g.rows.toLocaleString('en'),
      String(g.rounds),
      figure(g.loadUsPerRow),
      g.loadSpread.map(figure).join('–'),
      ...[g.verifyUsPerRow, g.loadNodeUs].map(figure),
      ...[g.loadPeakRssMb, g.verifyPeakRssMb].map((mb) => String(Math.round(mb))),
      figure(g.maxSlotWalMb),
    ],
  ]);
  const images = curves(report).map(({ file, alt }) => `![${alt}](${file})`);
  return `## Growth

(j): the same rebuild of larger and larger tables, under 200 updates a second: the replay of those is in its figures. Of the rounds of a size, which a run makes in turns, the median of times and costs, the most of memory and WAL, and the curve of the one that kept most; a first one of the smallest warms the servers and does not count. A chunk is at most 16 MiB of the table, and the slot keeps the WAL of the chunks in flight, of whatever the source writes meanwhile. PostgreSQL lets go of it about every 15 s only (P39 of [docs/servers.md](servers.md)): those are the teeth of the curves.

${table(report, columns, lines)}

${images.join('\n\n')}`;
}
