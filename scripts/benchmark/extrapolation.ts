import type { Summary } from './figures.ts';
import type { BenchReport } from './report.ts';
import { finder, LINES } from './targets.ts';

const ROWS = 100e6;
const NODES = 3;
const CORES = 8;
/** Of a node's cores, for indexing: searches of the live index go on. */
const SHARE = 0.5;
const SECONDS = 3600;

/** What the figures say of 100 million such rows; nothing for a report without the cases it needs. */
export function extrapolation(report: BenchReport, cluster: BenchReport | null): string {
  const [limit, load, sink, verify] = [LINES.limit, LINES.load, LINES.nullSink, LINES.verify].map(finder(report.summaries));
  if (limit === undefined || load === undefined || sink === undefined || verify === undefined) return '';
  const several = severalNodes(cluster);
  const clusterUs = NODES * CORES * SHARE * 1e6;
  const indexing = clusterUs / costlier(limit, several?.limit).javaUs;
  const { nodeUs: loadNode } = costlier(load, several?.load);
  // One process has one thread that encodes.
  const tool = Math.min(1e6 / loadNode, sink.rowsPerSecond);
  const rate = Math.min(indexing / 2, tool);
  const hours = (seconds: number): string => `${(seconds / SECONDS).toFixed(1)} h`;
  const { nodeUs: scanNode, javaUs: scanJava } = costlier(verify, several?.verify);
  const scanned = clusterUs / Math.max(scanJava, 0.1);
  const verifyRate = Math.min(1e6 / scanNode, scanned);
  return `## 100 million rows on three nodes

An extrapolation by arithmetic, not a measurement. Assumptions:

1. ${NODES} data nodes of ${CORES} cores like these, ${SHARE * 100} % of them for indexing, at least ${NODES} primary shards; a document costs what it costs in (a): ${limit.javaUs.toFixed(0)} µs of Java${alsoOn(several)}. That is ${Math.round(indexing).toLocaleString('en')} documents/s.
2. The load writes primaries only; replicas are made once, by copying segments, before the swap, and how long that takes is not in here. For merges of larger segments the rate is halved, which is a guess: ${Math.round(indexing / 2).toLocaleString('en')} documents/s.
3. realign alone on its machine: ${loadNode.toFixed(1)} µs of one core per document of the load and ${scanNode.toFixed(1)} of the verification, and ${Math.round(sink.rowsPerSecond).toLocaleString('en')} documents/s into a sink that costs nothing: at most ${Math.round(tool).toLocaleString('en')}/s for one process.
4. Time per row does not grow with the table, and memory stays where it is at the largest (the curves above); the network carries ${Math.round((rate * 865) / 1e6)} MB/s.
5. What several nodes take together is what is loaded, up to the limit of 3. ${supported(report, cluster)}

The smaller of the cluster's and realign's rate counts.

| | per second | time | the limit is |
|---|---:|---:|---|
| load | ${Math.round(rate).toLocaleString('en')} | ${hours(ROWS / rate)} | ${indexing / 2 < tool ? 'the cluster' : "realign's core"} |
| verification \`full\` | ${Math.round(verifyRate).toLocaleString('en')} | ${hours(ROWS / verifyRate)} | ${scanned < 1e6 / scanNode ? 'the cluster' : "realign's core"} |`;
}

/** Of one node and of several, if they were measured. */
function costlier(one: Summary, several: Summary | undefined): Pick<Summary, 'nodeUs' | 'javaUs'> {
  return { nodeUs: Math.max(one.nodeUs, several?.nodeUs ?? 0), javaUs: Math.max(one.javaUs, several?.javaUs ?? 0) };
}

interface SeveralNodes {
  readonly nodes: number;
  readonly limit: Summary;
  readonly load: Summary;
  readonly verify: Summary;
}

/** What the same table cost several nodes; null if that was not measured. */
function severalNodes(cluster: BenchReport | null): SeveralNodes | null {
  if (cluster === null) return null;
  const [limit, load, verify] = [LINES.limit, LINES.load, LINES.verify].map(finder(cluster.summaries));
  const nodes = cluster.runs.at(-1)?.nodes ?? 1;
  return limit === undefined || load === undefined || verify === undefined || nodes === 1 ? null : { nodes, limit, load, verify };
}

function alsoOn(several: SeveralNodes | null): string {
  return several === null
    ? ''
    : ` on one node, ${several.limit.javaUs.toFixed(0)} on ${several.nodes} that share the cores; of their figures the larger ones count`;
}

/** What case (k) says to assumption 5. */
function supported(report: BenchReport, cluster: BenchReport | null): string {
  const points = (simulated(report, cluster)?.scaling ?? []).filter(({ sink }) => sink === 'elasticsearch');
  const [one, most] = [points[0], points.at(-1)];
  if (one === undefined || most === undefined || one.nodes === most.nodes) return 'Not simulated.';
  const factor = most.rowsPerSecond / one.rowsPerSecond;
  return `The simulation above: ${most.nodes} throttled nodes ${factor.toFixed(2)} times as fast as ${one.nodes === 1 ? 'one' : one.nodes}.`;
}

/** The report whose (k) counts: the one of several nodes, if it has one. */
export function simulated(report: BenchReport, cluster: BenchReport | null): BenchReport | null {
  return [cluster, report].find((one) => one !== null && one.scaling.length > 0) ?? null;
}
