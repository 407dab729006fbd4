import { curves } from './curves.ts';
import { extrapolation } from './extrapolation.ts';
import type { Summary } from './figures.ts';
import { reasons } from './reasons.ts';
import type { BenchReport } from './report.ts';
import { figure, type Target } from './targets.ts';

/** docs/performance.md: every figure in it comes from the report. */
export function pageOf(report: BenchReport, cluster: BenchReport | null): string {
  return `${[head(report), figures(report), targets(report), source(report), growth(report), clusterPart(cluster), extrapolation(report, cluster)].filter((part) => part !== '').join('\n\n')}\n`;
}

function head(report: BenchReport): string {
  const { date, command, machine, rows, rounds, changes, minutes } = report;
  return `# Performance

Written by \`scripts/bench --write\` from [performance.json](performance.json); \`node dist/scripts/benchmark/write-report.js\` writes it again from that file. Do not edit it by hand.
${smokeNote(command)}
- Command: \`${command}\` on ${date}, ${minutes} minutes.
- Machine: ${machine.cores} cores (${machine.cpu}), ${machine.memoryGiB} GiB. **PostgreSQL ${machine.postgres}, Elasticsearch ${machine.elasticsearch}, realign (Node ${machine.node}) and the proxies share
  these cores**, so each takes from the others what it uses.
- Table: \`products\`, ${rows.toLocaleString('en')} rows of 11 columns, about 660 bytes of COPY text and 865 of bulk NDJSON each, generated and seeded; ${shardCount(report.shards)}, no replicas.
- Method: the cases (a) to (f) in turns, ${rounds === 1 ? 'one round' : `${rounds} rounds, medians`}; the spread is the lowest and the highest rate. CPU is read from /proc per process, so it holds on a busy machine too; compare
  rates only within one run. (g) has ${changes.toLocaleString('en')} changes, each of another key: 60 % updates, 20 % inserts, 20 % deletes. Every realign figure is the command line as users call it.`;
}

/** Nobody should take such figures for a measurement. */
function smokeNote(command: string): string {
  return command.includes('--smoke') ? '\n**A smoke run on a busy machine: it shows what the page looks like. Its figures mean nothing.**\n' : '';
}

function shardCount(shards: number): string {
  return shards === 1 ? 'one shard' : `${shards} shards`;
}

function figures({ summaries }: BenchReport): string {
  const line = (s: Summary): string =>
    `| ${s.name} | ${figure(s.rowsPerSecond)} | ${figure(s.spread[0])}–${figure(s.spread[1])} | ${s.mbPerSecond === 0 ? '' : s.mbPerSecond.toFixed(1)} | ${s.nodeUs.toFixed(1)} | ${s.postgresUs.toFixed(1)} | ${s.javaUs.toFixed(1)} | ${s.peakRssMb === 0 ? '' : Math.round(s.peakRssMb)} |`;
  return `## Figures

Rows (changes in (g)) per second, CPU in microseconds per row, peak memory of the tool. MB/s is bulk bodies, in (f) COPY text, in (g) \`apply\` WAL.

| case | rows/s | spread | MB/s | Node µs | PostgreSQL µs | Java µs | RSS MB |
|---|---:|---:|---:|---:|---:|---:|---:|
${summaries.map(line).join('\n')}`;
}

/** The same servers' cores for several nodes: it shows that the tool follows them, not how fast such a cluster is. */
function clusterPart(cluster: BenchReport | null): string {
  if (cluster === null) return '';
  const line = ({ name, rowsPerSecond, nodeUs, javaUs, peakRssMb }: Summary): string =>
    `| ${name} | ${figure(rowsPerSecond)} | ${nodeUs.toFixed(1)} | ${javaUs.toFixed(1)} | ${peakRssMb === 0 ? '' : Math.round(peakRssMb)} |`;
  return `## ${cluster.nodes} nodes on one machine

\`${cluster.command}\` on ${cluster.date}: ${cluster.nodes} Elasticsearch nodes of one cluster share the cores above, ${shardCount(cluster.shards)}, ${cluster.rows.toLocaleString('en')} rows. It shows that the load follows several nodes, also when they are
throttled, and what it costs; the nodes have no more cores together than one has alone.

| case | rows/s | Node µs | Java µs | RSS MB |
|---|---:|---:|---:|---:|
${cluster.summaries.map(line).join('\n')}`;
}

function targets(report: BenchReport): string {
  const line = ({ name, wanted, bound, unit, measured, reached }: Target): string =>
    `| ${name} | ${bound === 'min' ? '≥' : '≤'} ${figure(wanted)} ${unit} | ${measured === null ? '–' : `${figure(measured)} ${unit}`} | ${reached === null ? 'not measured' : reached ? 'yes' : '**no**'} |`;
  return `## Targets

| | wanted | measured | reached |
|---|---:|---:|---|
${report.targets.map(line).join('\n')}${because(report)}`;
}

function because(report: BenchReport): string {
  const found = reasons(report);
  return found.length === 0 ? '' : `\n\nWhy, by the figures of the same run:\n\n${found.join('\n')}`;
}

function source({ sourceCost: cost }: BenchReport): string {
  if (cost === null) return '';
  const line = (name: string, tps: number): string => `| ${name} | ${figure(tps)} | ${figure(tps / cost.idleSlot)} |`;
  return `## What the source notices

Two clients update single rows by primary key as fast as they can, in a process of their own. The load runs with \`--rate ${Math.round(cost.loadRate)}\`, half of the sink's limit.

| | transactions/s | ratio to an idle slot |
|---|---:|---:|
${[line('alone', cost.alone), line('beside a slot that nobody reads', cost.idleSlot), line('during the load', cost.duringLoad), line('during the replay', cost.duringReplay)].join('\n')}`;
}

function growth(report: BenchReport): string {
  if (report.growth.length === 0) return '';
  const lines = report.growth.map(
    (g) =>
      `| ${g.rows.toLocaleString('en')} | ${figure(g.loadUsPerRow)} | ${figure(g.verifyUsPerRow)} | ${figure(g.loadNodeUs)} | ${Math.round(g.loadPeakRssMb)} | ${Math.round(g.verifyPeakRssMb)} | ${figure(g.maxSlotWalMb)} |`,
  );
  const images = curves(report).map(({ file, alt }) => `![${alt}](${file})`);
  return `## Growth

The same rebuild of larger tables, under 200 updates a second. A chunk is at most 16 MiB of the table, and the slot keeps the WAL of the chunks in flight, of whatever the source writes meanwhile.

| rows | load µs/row | verification µs/row | Node CPU µs/row | RSS load MB | RSS verification MB | most slot WAL MB |
|---:|---:|---:|---:|---:|---:|---:|
${lines.join('\n')}

${images.join('\n\n')}`;
}
