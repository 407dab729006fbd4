import type { Summary } from './figures.ts';
import type { BenchReport } from './report.ts';
import { figure } from './targets.ts';

/** Why a target was missed, as far as the run's own figures say it; only of targets that were. */
export function reasons(report: BenchReport): readonly string[] {
  return report.targets.flatMap(({ name, reached }) => {
    const reason = reached === false ? reasonFor(name, report) : null;
    return reason === null ? [] : [`- *${name}*: ${reason}`];
  });
}

function reasonFor(name: string, report: BenchReport): string | null {
  const found = (prefix: string): Summary | undefined => report.summaries.find((summary) => summary.name.startsWith(prefix));
  const [limit, load, sink] = ['(a)', '(b) realign, load', '(e) realign, null sink, 1'].map(found);
  if (name === 'end to end / sink limit' && limit !== undefined && load !== undefined) return cpuShare(limit, load);
  if (name === 'null sink, one reader' && sink !== undefined) return oneThread(sink, report.machine.cores);
  if (name === 'null sink, two readers / one') return twoReaders(limit, sink);
  if (name.startsWith("writer's TPS") && load !== undefined && report.sourceCost !== null)
    return sharedCores(load, report.sourceCost.loadRate, report.machine.cores);
  return null;
}

function cpuShare(limit: Summary, load: Summary): string {
  const most = limit.javaUs / (load.javaUs + load.nodeUs + load.postgresUs);
  return `everything shares the same cores. By the CPU of this run, ${limit.javaUs.toFixed(0)} µs of Java in (a) against ${load.javaUs.toFixed(0)} of Java, ${load.nodeUs.toFixed(1)} of Node and ${load.postgresUs.toFixed(1)} of PostgreSQL in (b), the ratio can be ${figure(most)}.`;
}

function oneThread(sink: Summary, cores: number): string {
  return `a document takes ${sink.nodeUs.toFixed(1)} µs of Node, which is ${figure(1e6 / sink.nodeUs)}/s on a core of its own; here it shares ${cores} cores with PostgreSQL and with the server that answers.`;
}

function twoReaders(limit: Summary | undefined, sink: Summary | undefined): string {
  const ahead =
    limit === undefined || sink === undefined
      ? ''
      : ` One thread carries ${figure(sink.rowsPerSecond / limit.rowsPerSecond)} times what the Elasticsearch of this run takes.`;
  return `two readers share the one thread that encodes, so the second one only fills the first one's waits. More than one thread would pay only before a cluster that takes more than one thread gives.${ahead}`;
}

function sharedCores(load: Summary, loadRate: number, cores: number): string {
  const used = ((load.nodeUs + load.postgresUs + load.javaUs) * loadRate) / 1e6;
  return `at ${figure(loadRate)} documents/s the load and Elasticsearch take ${figure(used)} of the ${cores} cores that the writer has alone otherwise; on a PostgreSQL of its own, ${figure((load.postgresUs * loadRate) / 1e6)} of a core would be the load's.`;
}
