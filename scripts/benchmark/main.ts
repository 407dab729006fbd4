/** The benchmark: `scripts/bench --help` says how it is called. */
import { parseArgs } from 'node:util';
import { connect } from '../../test/support/servers.ts';
import { type BenchWorld, openBenchWorld } from './bench-world.ts';
import type { BulkProxy } from './bulk-proxy.ts';
import { copyDrain, type NamedFigures, nullSink, rebuild, recordBodies, rival, sinkLimit, type TableSize, throttledRebuild } from './cases.ts';
import { type Figures, printTable, summarize } from './figures.ts';
import { type Growth, growth } from './growth.ts';
import { abortBuild, dropBenchIndices } from './measured-rebuild.ts';
import { createProducts, PRODUCT_MAPPING } from './products.ts';
import { RECORDED_SIZE, replayCost, TRANSACTION_SIZES } from './replay-cost.ts';
import { type BenchReport, describeMachine } from './report.ts';
import { sourceCost } from './source-cost.ts';
import { judgeTargets, printTargets } from './targets.ts';
import { renderReport, writeReport } from './write-report.ts';

const USAGE = `scripts/bench [--rows 300000] [--rounds 3] [--changes 100000] [--growth 100000,300000,1000000] [--seed 1] [--only a,b,…] [--shards 1] [--json] [--write | --write-cluster] [--smoke]
  --only    of a b c d e f g h i j (h comes with b)
  --json    the report on stdout instead of tables
  --write   the report as docs/performance.json, and the page and the curves made of it
  --write-cluster  likewise docs/performance-cluster.json: INSTANCE=bench3 ES_NODES=3 ES_HEAP=1g scripts/bench --shards 3 --only a,b --rounds 1 --write-cluster
  --smoke   every case once with a few thousand rows: it shows that the benchmark runs, its figures mean nothing`;
const SMOKE = { rows: '5000', rounds: '1', changes: '1000', growth: '2000,4000' };
const SMOKE_WINDOW_MS = 200;
const WINDOW_MS = 6000;
/** An overloaded machine must not make the smoke test last. */
const LEAST_BYTES_PER_SECOND = 2e6;
const USUAL_RATE = 10_000;

const { values } = parseArgs({
  options: {
    rows: { type: 'string' },
    rounds: { type: 'string' },
    changes: { type: 'string' },
    growth: { type: 'string' },
    seed: { type: 'string', default: '1' },
    shards: { type: 'string', default: '1' },
    'write-cluster': { type: 'boolean', default: false },
    only: { type: 'string', default: 'a,b,c,d,e,f,g,i,j' },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    smoke: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(`${USAGE}\n`);
  process.exit(0);
}
const usual = values.smoke ? SMOKE : { rows: '300000', rounds: '3', changes: '100000', growth: '100000,300000,1000000' };
const rows = Number(values.rows ?? usual.rows);
const rounds = Number(values.rounds ?? usual.rounds);
const changes = Number(values.changes ?? usual.changes);
const sizes = (values.growth ?? usual.growth).split(',').map(Number);
const windowMs = values.smoke ? SMOKE_WINDOW_MS : WINDOW_MS;
const only = new Set(values.only.split(','));
const say = (text: string): void => void process.stderr.write(`${text}\n`);

const startedAt = performance.now();
const runs = new Map<string, Figures[]>();
const take = (named: NamedFigures): void => {
  for (const [name, figures] of named) {
    runs.set(name, [...(runs.get(name) ?? []), figures]);
    say(`  ${name}: ${Math.round(figures.rowsPerSecond)}/s, node ${figures.nodeUs.toFixed(1)} us`);
  }
};

/** A case that fails must not take the figures of the others with it; the run then ends with 1. */
async function attempt<T>(name: string, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    say(`${name} failed: ${error instanceof Error ? error.stack : error}`);
    process.exitCode = 1;
    await abortBuild(world).catch(() => {});
    await dropBenchIndices(world);
    return null;
  }
}

async function newTable(world: BenchWorld): Promise<void> {
  say(`making ${rows} products`);
  const client = await connect(world.databaseUrl);
  await createProducts(client, rows, Number(values.seed));
  await client.end();
}

/** One turn of all that is compared with each other: interleaved, so that each meets the same machine. */
async function round(world: BenchWorld, bodies: BulkProxy): Promise<void> {
  const limit = await sinkLimit(world, rows, bodies, PRODUCT_MAPPING);
  const [mbPerSecond, rate] = [limit[0]?.[1].mbPerSecond ?? 0, limit[0]?.[1].rowsPerSecond ?? 1];
  const table: TableSize = { rows, bytes: Math.round((mbPerSecond * 1e6 * rows) / rate) };
  if (only.has('a')) take(limit);
  if (only.has('b')) take(await rebuild(world, table));
  if (only.has('b')) take(await throttledRebuild(world, table, Math.max((mbPerSecond * 1e6) / 2, LEAST_BYTES_PER_SECOND)));
  if (only.has('c')) take(await rival(world, 'script', table, PRODUCT_MAPPING));
  if (only.has('d')) take(await rival(world, 'offset', table, PRODUCT_MAPPING));
  if (only.has('e')) for (const readers of [1, 2]) take(await nullSink(world, table, readers));
  if (only.has('f')) take(await copyDrain(world, rows));
}

async function rounded(world: BenchWorld): Promise<void> {
  if (!['a', 'b', 'c', 'd', 'e', 'f'].some((name) => only.has(name))) return;
  const bodies = await recordBodies(world);
  try {
    for (let turn = 1; turn <= rounds; turn++) {
      say(`round ${turn} of ${rounds}`);
      await attempt(`round ${turn}`, () => round(world, bodies));
    }
  } finally {
    bodies.close();
  }
}

async function versionsOf(world: BenchWorld): Promise<readonly [postgres: string, elasticsearch: string]> {
  const client = await connect(world.databaseUrl);
  const { rows: shown } = await client.query<{ server_version: string }>('show server_version');
  await client.end();
  const { version } = (await (await fetch(world.elasticsearchUrl)).json()) as { readonly version: { readonly number: string } };
  return [shown[0]?.server_version ?? '', version.number];
}

const world = await openBenchWorld(process.env.INSTANCE ?? 'default', Number(values.shards));
// What a run left that was killed.
await dropBenchIndices(world);
await newTable(world);
await attempt('the comparison', () => rounded(world));
const half = (summarizeAll().find(({ name }) => name.startsWith('(a)'))?.rowsPerSecond ?? 2 * USUAL_RATE) / 2;
if (only.has('i')) say('(i) the writer alone, beside an idle slot, during a load, during the replay');
const cost = only.has('i') ? await attempt('(i)', () => sourceCost(world, rows, half, windowMs)) : null;
if (cost !== null)
  say(
    `  ${Object.entries(cost)
      .map(([name, value]) => `${name} ${Math.round(value)}`)
      .join(', ')}`,
  );
if (only.has('g')) {
  await newTable(world);
  say(`(g) replay of ${changes} changes`);
  const transactionSizes = values.smoke ? [RECORDED_SIZE] : TRANSACTION_SIZES;
  await attempt('(g)', async () => take(await replayCost({ world, rows, changes, sizes: transactionSizes })));
}
const grown: Growth[] = [];
for (const size of only.has('j') ? sizes : []) {
  const one = await attempt(`(j) ${size} rows`, () => growth(world, size, Number(values.seed)));
  if (one === null) continue;
  grown.push(one);
  say(
    `  (j) ${size} rows: ${one.loadUsPerRow.toFixed(1)} us/row, RSS ${one.loadPeakRssMb.toFixed(0)} MB, slot WAL ${one.maxSlotWalMb.toFixed(1)} MB`,
  );
}

function summarizeAll() {
  return [...runs].map(([name, figures]) => summarize(name, figures)).sort((a, b) => a.name.localeCompare(b.name));
}

const summaries = summarizeAll();
const report: BenchReport = {
  format: 1,
  date: new Date().toISOString().slice(0, 10),
  command: `scripts/bench ${process.argv.slice(2).join(' ')}`.trim(),
  machine: describeMachine(...(await versionsOf(world))),
  ...{ rows, rounds, changes, shards: world.shards, nodes: world.pids.elasticsearch.length },
  minutes: Math.round((performance.now() - startedAt) / 6000) / 10,
  ...{ summaries, sourceCost: cost, growth: grown },
  targets: judgeTargets({ summaries, sourceCost: cost, growth: grown }),
};
if (values.write || values['write-cluster']) {
  await writeReport(report, values['write-cluster']);
  await renderReport();
}
process.stdout.write(values.json ? `${JSON.stringify(report, null, 2)}\n` : `${printTable(summaries)}\n\n${printTargets(report.targets)}\n`);
