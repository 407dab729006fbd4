import type { Summary } from './figures.ts';
import type { BenchReport } from './report.ts';
import type { BesideNullSink } from './source-cost.ts';
import { figure, finder, LINES, type Target } from './targets.ts';

/** Why a target was missed, as far as the figures themselves say it; only of targets that were. */
export function reasons(report: BenchReport): readonly string[] {
  return report.targets.flatMap((target) => {
    const reason = target.reached === false ? reasonFor(target, report) : null;
    return reason === null ? [] : [`- *${target.name}*: ${reason}`];
  });
}

function reasonFor({ name, wanted }: Target, report: BenchReport): string | null {
  const found = finder(report.summaries);
  const [limit, load, sink, pair] = [LINES.limit, LINES.load, LINES.nullSink, LINES.nullSinkPair].map(found);
  const [, size] = /, (transactions of \d+)$/.exec(name) ?? [];
  const { cores } = report.machine;
  if (name === 'end to end / sink limit') return cpuShare('(a)', limit, '(b)', load);
  if (name.startsWith('end to end / cursor')) {
    const script = found(LINES.script);
    return withReader(cpuShare('(c)', script, '(b)', load), {
      fast: script,
      slow: load,
      readers: [found(LINES.drain)],
      doing: 'read the table, as (f) does,',
      wanted,
    });
  }
  if (name.startsWith('Node CPU per document')) return nodeCpu(report);
  if (name === 'null sink, one thread') return sink === undefined ? null : oneThread(sink, cores);
  if (name.startsWith('null sink, two processes')) return twoThreads({ limit, sink, pair, cores });
  if (name === 'verification full / load') return cpuShare('(b)', load, '(h)', found(LINES.verify));
  if (name.startsWith('replay / sink limit')) {
    const bodies = found(`(g) sink limit, recorded bodies, ${size}`);
    const apply = found(`(g) apply, ${size}`);
    const share = cpuShare('the bodies alone', bodies, 'the apply', apply);
    const readers = [found(`(g) raw drain, ${size}`), found(`(g) decoding, ${size}`)];
    return withReader(share, { fast: bodies, slow: apply, readers, doing: 'received or decoded the changes, whichever was cheaper,', wanted });
  }
  if (name.startsWith('decoding / raw drain'))
    return cpuShare('the drain', found(`(g) raw drain, ${size}`), 'the decoding', found(`(g) decoding, ${size}`));
  if (name.startsWith("writer's TPS")) return sharedCores(report, load);
  if (name.startsWith('time per row')) return timePerRow(report);
  if (name.startsWith('peak RSS of the verification, largest')) return aboveTheLoad(report);
  if (name === "end to end / pgsync's load") return besidePgsync(limit, load, found(LINES.pgsyncLoad));
  return null;
}

const cpuOf = ({ nodeUs, postgresUs, javaUs, sinkUs }: Summary): number => nodeUs + postgresUs + javaUs + sinkUs;

function parts({ nodeUs, postgresUs, javaUs, sinkUs }: Summary): string {
  const named: readonly (readonly [string, number])[] = [
    ['Node', nodeUs],
    ['PostgreSQL', postgresUs],
    ['Java', javaUs],
    ['the null sink', sinkUs],
  ];
  const shown = named.filter(([, us]) => us >= 0.05).map(([name, us]) => `${us.toFixed(1)} of ${name}`);
  return `${shown.slice(0, -1).join(', ')}${shown.length > 1 ? ' and ' : ''}${shown.at(-1) ?? 'nothing'}`;
}

function spent(summary: Summary): string {
  return `${figure(cpuOf(summary))} µs of CPU (${parts(summary)})`;
}

/** What the CPU of a row makes of the ratio where both sides keep the same cores equally busy; no bound, as they may not. */
function cpuShare(fastName: string, fast: Summary | undefined, slowName: string, slow: Summary | undefined): string | null {
  if (fast === undefined || slow === undefined) return null;
  const most = cpuOf(fast) / cpuOf(slow);
  return `everything shares the same cores. A row of ${fastName} takes ${spent(fast)}, one of ${slowName} ${spent(slow)}: by that, with the cores equally busy, the ratio would be about ${figure(most)}.`;
}

interface Reading {
  readonly fast: Summary | undefined;
  readonly slow: Summary | undefined;
  readonly readers: readonly (Summary | undefined)[];
  readonly doing: string;
  readonly wanted: number;
}

/** The same for a tool that only reads the rows: where that is below what is wanted nobody can reach it, else it is told what is between. */
function withReader(share: string | null, { fast, slow, readers, doing, wanted }: Reading): string | null {
  const known = readers.flatMap((reader) => (reader === undefined ? [] : [cpuOf(reader)]));
  if (share === null || fast === undefined || slow === undefined || known.length === 0) return share;
  const least = fast.javaUs + Math.min(...known);
  const most = cpuOf(fast) / least;
  const between =
    most < wanted ? '' : `: ${figure(cpuOf(slow) - least)} µs less, of which ${figure(slow.javaUs - fast.javaUs)} are what Java took more beside it`;
  return `${share} A tool that only ${doing} and had its documents for nothing would come to about ${figure(most)}${between}.`;
}

/** Where the sink's own limit is not much more than what is wanted. */
function besidePgsync(limit: Summary | undefined, load: Summary | undefined, pgsync: Summary | undefined): string | null {
  if (limit === undefined || load === undefined || pgsync === undefined) return null;
  const most = limit.rowsPerSecond / pgsync.rowsPerSecond;
  const share = cpuOf(limit) / cpuOf(load);
  return `the sink's limit (a) is ${figure(most)} times pgsync's load; by the CPU of a row, with the cores equally busy, (b) would be about ${figure(share)} of (a): ${figure(most * share)} times.`;
}

function nodeCpu({ growth, runs, summaries }: BenchReport): string | null {
  const largest = growth.at(-1);
  const load = summaries.find(({ name }) => name === LINES.load);
  const rows = runs.find(({ startedAt }) => startedAt === load?.run)?.rows;
  if (largest === undefined || rows === undefined || largest.rows <= rows) return null;
  return `the ${rows.toLocaleString('en')} rows of (b) share the cost of compiling what is hot; of ${largest.rows.toLocaleString('en')} rows in (j), beside a writer, each takes ${figure(largest.loadNodeUs)} µs.`;
}

function oneThread(sink: Summary, cores: number): string {
  const most = (cores * 1e6) / cpuOf(sink);
  return `a document takes ${spent(sink)}. A thread with a core of its own would carry ${figure(1e6 / sink.nodeUs)}/s; the ${cores} cores, which PostgreSQL and the server that answers share, ${figure(most)}/s.`;
}

interface ThreadFigures {
  readonly limit: Summary | undefined;
  readonly sink: Summary | undefined;
  readonly pair: Summary | undefined;
  readonly cores: number;
}

/** What threads could reach at most, by the CPU that a row needs wherever its work is done. */
function twoThreads({ limit, sink, pair, cores }: ThreadFigures): string | null {
  if (sink === undefined || pair === undefined) return null;
  const busy = (cpuOf(sink) * sink.rowsPerSecond) / 1e6;
  const most = (cores * 1e6) / cpuOf(sink) / sink.rowsPerSecond;
  const pairBusy = (cpuOf(pair) * pair.rowsPerSecond) / 1e6;
  const ahead =
    limit === undefined
      ? ''
      : ` One thread carries ${figure(sink.rowsPerSecond / limit.rowsPerSecond)} times what the Elasticsearch of this run takes.`;
  return `a row of one process takes ${spent(sink)}, which at ${figure(sink.rowsPerSecond)}/s is ${figure(busy)} of the ${cores} cores; all of them allow ${figure(most)} times that rate to any number of threads. With two processes a row took ${spent(pair)}, which was ${figure(pairBusy)} of the cores. With PostgreSQL and the sink on machines of their own, two threads on ${cores} cores could carry at most ${figure(2e6 / sink.nodeUs)}/s.${ahead}`;
}

function sharedCores({ sourceCost, summaries, machine: { cores } }: BenchReport, load: Summary | undefined): string | null {
  if (sourceCost === null || load === undefined) return null;
  const { loadRate, duringLoad, nullSink } = sourceCost;
  const kept = nullSink === null ? '' : keptBesideNullSink(nullSink);
  const used = (cpuOf(load) * loadRate) / 1e6;
  const apply = finder(summaries)('(g) apply, transactions of 1');
  const followed =
    apply === undefined
      ? ''
      : `; the changes that the writer makes meanwhile, by (g) with transactions of 1, up to ${figure((cpuOf(apply) * duringLoad) / 1e6)} more`;
  return `at ${figure(loadRate)} documents/s, by the CPU of (b), the load and Elasticsearch take ${figure(used)} of the ${cores} cores that the writer has alone otherwise${followed}. On a PostgreSQL of its own, ${figure((load.postgresUs * loadRate) / 1e6)} of a core would be the load's.${kept}`;
}

function keptBesideNullSink({ idleSlot, received, duringLoad }: BesideNullSink): string {
  const [slot, load] = [received, duringLoad].map((rate) => figure(rate / idleSlot));
  return ` Beside a slot whose changes are only received and thrown away, by the same reader, the writer kept ${slot} of its rate; beside a load as fast into a null sink, which realign, PostgreSQL and that sink still need the cores for, ${load}.`;
}

function timePerRow({ growth }: BenchReport): string | null {
  const byTime = [...growth].sort((a, b) => a.loadUsPerRow - b.loadUsPerRow);
  const [fastest, slowest] = [byTime[0], byTime.at(-1)];
  if (fastest === undefined || slowest === undefined) return null;
  const of = ({ rows, loadUsPerRow, loadNodeUs, loadJavaUs }: typeof fastest): string =>
    `${rows.toLocaleString('en')} rows (${figure(loadUsPerRow)} µs, with ${figure(loadNodeUs)} of Node's CPU and ${figure(loadJavaUs)} of Java's)`;
  const growing = slowest.rows < fastest.rows ? ' The larger table is the faster: it is no growth.' : '';
  return `a row takes longest in the table of ${of(slowest)}, and least in that of ${of(fastest)}.${growing}`;
}

/** A process gives little of its memory back: what the verification takes is what comes on top. */
function aboveTheLoad({ growth }: BenchReport): string {
  const sizes = growth.map(
    ({ rows, loadPeakRssMb, verifyPeakRssMb }) =>
      `${Math.round(Math.max(0, verifyPeakRssMb - loadPeakRssMb))} MB at ${rows.toLocaleString('en')} rows`,
  );
  return `the verification starts with the memory that the load has left; both are the most of all rounds. Beyond the load's peak it took ${sizes.join(', ')}.`;
}
