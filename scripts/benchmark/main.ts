/** The benchmark: `scripts/bench --help` says how it is called. */
import { connect } from '../../test/support/servers.ts';
import { type BenchOptions, readOptions, USAGE, UsageError } from './bench-options.ts';
import { type BenchWorld, openBenchWorld } from './bench-world.ts';
import { printTable } from './figures.ts';
import { type Growth, type GrowthRound, growth, summarizeGrowth } from './growth.ts';
import { inTurns } from './in-turns.ts';
import { discardBuilds, dropBenchIndices } from './measured-rebuild.ts';
import { judged } from './merge-reports.ts';
import { installPeers, MissingClient, type Peers } from './peers/install.ts';
import { pgsync } from './peers/pgsync.ts';
import { searchReplica } from './peers/search-replica.ts';
import { createProducts } from './products.ts';
import { Recorder, say } from './recorder.ts';
import { replayCost, TRANSACTION_SIZES } from './replay-cost.ts';
import { type BenchReport, type BenchRun, describeMachine } from './report.ts';
import { type ScalingPoint, scaling } from './scaling.ts';
import { type SourceCost, sourceCost } from './source-cost.ts';
import { LINES, printTargets } from './targets.ts';
import { keepsMeasured, keptLimit, renderReport, writeReport } from './write-report.ts';

const SMOKE_WINDOW_MS = 200;
const WINDOW_MS = 6000;
/** A busy machine must not make (k) last. */
const LEAST_MB_PER_SECOND = 2;
/** Where (a) and (e) were not run, and none is kept. */
const USUAL = { rate: 20_000, mbPerSecond: 17, nullSinkMbPerSecond: 60 };
/** Of the limit of one Elasticsearch, so that three of them are below it. */
const NODE_SHARE = 0.2;
/** Of one thread's limit, so that three of them are above it. */
const NULL_NODE_SHARE = 0.45;

interface Bench {
  readonly world: BenchWorld;
  readonly options: BenchOptions;
  readonly recorder: Recorder;
}

async function newTable({ world, options: { seed } }: Bench, rows: number): Promise<void> {
  say(`making ${rows} products`);
  const client = await connect(world.databaseUrl);
  await createProducts(client, rows, seed);
  await client.end();
}

/** (i) */
async function measureSource({ world, options, recorder }: Bench): Promise<SourceCost | null> {
  if (!options.only.has('i')) return null;
  say(
    '(i) the writer alone, beside an idle slot, during a load, during the replay, beside a slot that is only received, during a load into a null sink',
  );
  // The page sets (i) beside the (a) that it keeps.
  const limit = recorder.summary(LINES.limit)?.rowsPerSecond ?? (options.write ? await keptLimit() : null) ?? USUAL.rate;
  // The figures of a smoke run mean nothing, and on a busy machine it must not last.
  const half = Math.max(limit / 2, options.smoke ? options.rows / 2 : 1);
  const windowMs = options.smoke ? SMOKE_WINDOW_MS : WINDOW_MS;
  const cost = await recorder.attempt('(i)', () => sourceCost(world, options.rows, half, windowMs));
  if (cost === null) return null;
  const { nullSink, ...rates } = cost;
  const told = {
    ...rates,
    ...(nullSink === null ? {} : { idleSlotThen: nullSink.idleSlot, receivedSlot: nullSink.received, duringNullLoad: nullSink.duringLoad }),
  };
  const figures = Object.entries(told).map(([name, value]) => `${name} ${Math.round(value)}`);
  say(`  ${figures.join(', ')}`);
  return cost;
}

/** (k) */
async function measureScaling({ world, options, recorder }: Bench): Promise<readonly ScalingPoint[]> {
  if (!options.only.has('k')) return [];
  say('(k) the load before several throttled nodes');
  const told = ({ sink, nodes, allowedMbPerSecond, mbPerSecond }: ScalingPoint): void =>
    say(`  (k) ${sink}, ${nodes} nodes: ${mbPerSecond.toFixed(1)} of ${allowedMbPerSecond.toFixed(1)} MB/s`);
  const request = { world, rows: options.rows, told };
  const limit = Math.max((recorder.summary(LINES.limit)?.mbPerSecond ?? USUAL.mbPerSecond) * NODE_SHARE, LEAST_MB_PER_SECOND);
  const nullLimit = Math.max((recorder.summary(LINES.nullSink)?.mbPerSecond ?? USUAL.nullSinkMbPerSecond) * NULL_NODE_SHARE, LEAST_MB_PER_SECOND);
  const nodeCounts = options.smoke ? [2] : [1, 2, 3];
  const points = await recorder.attempt('(k)', async () => [
    ...(await scaling({ ...request, nodeCounts }, 'elasticsearch', limit)),
    ...(await scaling({ ...request, nodeCounts }, 'null', nullLimit)),
  ]);
  return points ?? [];
}

/** (p) on the table of the comparison, before others change it. */
async function measurePeers({ world, options, recorder }: Bench, peers: Peers | null, bytes: number | null): Promise<void> {
  if (peers === null) return;
  const size = { rows: options.rows, bytes: bytes ?? 0 };
  await recorder.attempt('(p) pgsync', async () => recorder.take(await pgsync(world, peers, size)));
  const { searchReplica: program } = peers;
  if (program === null) say('(p) search-replica: left out, as said above');
  else await recorder.attempt('(p) search-replica', async () => recorder.take(await searchReplica(world, { ...peers, program }, size)));
}

/** (g): its changes need a table of their own. */
async function measureReplay(bench: Bench): Promise<void> {
  const { world, options, recorder } = bench;
  if (!options.only.has('g')) return;
  const { changes, rounds } = options;
  const rows = Math.max(options.rows, changes);
  await newTable(bench, rows);
  say(`(g) replay of ${changes} changes, ${rounds} times`);
  const sizes = options.smoke ? [10] : TRANSACTION_SIZES;
  await recorder.attempt('(g)', () => replayCost({ world, rows, changes, sizes, rounds, take: (named) => recorder.take(named) }));
}

/** (j), the sizes in turns, there and back: none must always follow the same one. */
async function measureGrowth({ world, options, recorder }: Bench): Promise<readonly Growth[]> {
  const sizes = options.only.has('j') ? options.growth : [];
  const measured = new Map<number, GrowthRound[]>(sizes.map((size) => [size, []]));
  // Whoever comes first after the start of the servers pays for their getting warm: not the smallest table.
  const [smallest] = sizes;
  if (smallest !== undefined) await recorder.attempt('(j) getting warm', () => growth(world, smallest, options.seed));
  for (const size of Array.from({ length: options.rounds }, (_, round) => (round % 2 === 0 ? sizes : sizes.toReversed())).flat()) {
    const one = await recorder.attempt(`(j) ${size} rows`, () => growth(world, size, options.seed));
    if (one === null) continue;
    measured.get(size)?.push(one);
    const [load, verify] = [one.loadUsPerRow, one.verifyUsPerRow].map((us) => us.toFixed(1));
    const [rss, verifyRss, wal] = [one.loadPeakRssMb.toFixed(0), one.verifyPeakRssMb.toFixed(0), one.maxSlotWalMb.toFixed(1)];
    say(`  (j) ${size} rows: load ${load}, verification ${verify} us/row, RSS ${rss} and ${verifyRss} MB, slot WAL ${wal} MB`);
  }
  return [...measured.values()].filter((rounds) => rounds.length > 0).map(summarizeGrowth);
}

async function versionsOf(world: BenchWorld): Promise<readonly [postgres: string, elasticsearch: string]> {
  const client = await connect(world.databaseUrl);
  const { rows: shown } = await client.query<{ server_version: string }>('show server_version');
  await client.end();
  const { version } = (await (await fetch(world.elasticsearchUrl)).json()) as { readonly version: { readonly number: string } };
  return [shown[0]?.server_version ?? '', version.number];
}

async function measure(bench: Bench, peers: Peers | null): Promise<BenchReport> {
  const { world, options, recorder } = bench;
  const [startedAt, began] = [new Date().toISOString(), performance.now()];
  await newTable(bench, options.rows);
  const bytes = await recorder.attempt('the comparison', () => inTurns(bench));
  await measurePeers(bench, peers, bytes);
  const scaled = await measureScaling(bench);
  const cost = await measureSource(bench);
  await measureReplay(bench);
  const grown = await measureGrowth(bench);
  const { rows, rounds, changes, smoke, shards } = options;
  const of = { run: startedAt };
  const run: BenchRun = {
    startedAt,
    command: `scripts/bench ${process.argv.slice(2).join(' ')}`.trim(),
    minutes: Math.round((performance.now() - began) / 6000) / 10,
    ...{ smoke, rows, rounds, changes, shards, nodes: world.pids.elasticsearch.length },
  };
  return judged({
    format: 2,
    machine: describeMachine(...(await versionsOf(world))),
    runs: [run],
    summaries: recorder.summaries().map((summary) => ({ ...summary, ...of })),
    sourceCost: cost === null ? null : { ...cost, ...of },
    growth: grown.map((one) => ({ ...one, ...of })),
    scaling: scaled.map((point) => ({ ...point, ...of })),
  });
}

async function main(options: BenchOptions): Promise<number> {
  if (options.smoke && (options.write || options.writeCluster) && (await keepsMeasured(options.writeCluster))) {
    throw new UsageError('--smoke --write: figures of a smoke run mean nothing, and those that are kept do; remove the report first');
  }
  const peers = options.peers ? installPeers(say) : null;
  const world = await openBenchWorld(process.env.INSTANCE ?? 'default', options.shards);
  // What a run left that was killed.
  await dropBenchIndices(world);
  const recorder = new Recorder(() => discardBuilds(world));
  const report = await measure({ world, options, recorder }, peers);
  if (options.write || options.writeCluster) {
    const stayed = await writeReport(report, options.writeCluster);
    if (!stayed) say('the report that was there is of another machine, of other servers or of a smoke run: nothing of it was kept');
    await renderReport();
  }
  const verdicts = options.smoke ? 'a smoke run: its figures mean nothing, so no target is judged' : printTargets(report.targets);
  const tables = `${printTable(report.summaries)}\n\n${verdicts}`;
  process.stdout.write(`${options.json ? JSON.stringify(report, null, 2) : tables}\n`);
  return recorder.failed ? 1 : 0;
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(USAGE);
  else process.exitCode = await main(options);
} catch (error) {
  const code = error instanceof UsageError ? 64 : error instanceof MissingClient ? 69 : null;
  if (code === null || !(error instanceof Error)) throw error;
  process.stderr.write(`scripts/bench: ${error.message}\n`);
  process.exitCode = code;
}
