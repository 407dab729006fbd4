import { join } from 'node:path';
import { connect, elasticsearch } from '../../test/support/servers.ts';
import type { BenchWorld } from './bench-world.ts';
import { type BulkProxy, startBulkProxy } from './bulk-proxy.ts';
import { cpuBetween, readCpu } from './cpu.ts';
import type { Figures } from './figures.ts';
import { startMeasured } from './measured-child.ts';
import { discardBuilds, dropBenchIndices, measuredRebuild, type PhaseFigures, type RebuildFigures, type RebuildRequest } from './measured-rebuild.ts';
import { LINES } from './targets.ts';

/** Figures by the name of the line they belong to: a rebuild gives one for its load and one for its verification. */
export type NamedFigures = readonly (readonly [name: string, figures: Figures])[];

/** The bulk bytes are those of realign's documents. */
export interface TableSize {
  readonly rows: number;
  readonly bytes: number;
}

const RIVALS = join(import.meta.dirname, 'rivals.js');
const RIVAL_INDEX = 'realign-bench-rival';

/** A phase's figures per row (or per change). */
export function perRow(rows: number, phase: PhaseFigures, bytes: number): Figures {
  return {
    rowsPerSecond: rows / phase.seconds,
    mbPerSecond: bytes / phase.seconds / 1e6,
    nodeUs: phase.nodeUs / rows,
    postgresUs: phase.postgresUs / rows,
    javaUs: phase.javaUs / rows,
    sinkUs: phase.sinkUs / rows,
    peakRssMb: phase.peakRssMb,
  };
}

/** Runs realign once with its bulks recorded, so that (a) sends the very bytes of (b). */
export async function recordBodies(world: BenchWorld): Promise<BulkProxy> {
  const proxy = await startBulkProxy({ target: world.elasticsearchUrl, mode: 'record', bytesPerSecond: 0 });
  await nullRebuild(world, proxy, []);
  return proxy;
}

/** Nothing is indexed, so the run ends at its verification, and what it leaves goes. */
export async function nullRebuild(world: BenchWorld, { url, pid }: BulkProxy, flags: readonly string[]): Promise<RebuildFigures> {
  const figures = await measuredRebuild({ world, flags: ['--verify', 'counts', ...flags], elasticsearchUrl: url, sink: pid });
  await discardBuilds(world);
  return figures;
}

interface SinkLimit {
  readonly world: BenchWorld;
  readonly rows: number;
  readonly bodies: BulkProxy;
  readonly mapping: unknown;
}

/** (a) the sink's limit: the recorded bodies into an index with the same mapping and load-time settings. */
export async function sinkLimit(request: SinkLimit): Promise<NamedFigures> {
  return [[LINES.limit, await sendRecorded(request)]];
}

/** (a) the same when the sink takes only so much. What it loses to the sink's own pauses (docs/servers.md E38), the load loses as well. */
export async function throttledLimit(request: SinkLimit, bytesPerSecond: number): Promise<NamedFigures> {
  const proxy = await startBulkProxy({ target: request.world.elasticsearchUrl, mode: 'pass', bytesPerSecond });
  try {
    return [[LINES.throttledLimit, await sendRecorded(request, proxy.url)]];
  } finally {
    proxy.close();
  }
}

async function sendRecorded({ world, rows, bodies, mapping }: SinkLimit, by?: string): Promise<Figures> {
  const index = `${RIVAL_INDEX}-limit`;
  await elasticsearch('DELETE', `/${index}`);
  await elasticsearch('PUT', `/${index}`, {
    mappings: mapping,
    settings: { number_of_shards: world.shards, number_of_replicas: 0, refresh_interval: '-1', 'index.mapping.coerce': false },
  });
  const before = readCpu(world.pids, {});
  const { bytes, seconds } = await bodies.replay(`/${index}/_bulk?filter_path=errors,items.*.status,items.*.error`, 3, by);
  const cpu = cpuBetween(before, readCpu(world.pids, {}));
  await elasticsearch('DELETE', `/${index}`);
  return perRow(rows, { ...cpu, seconds, peakRssMb: 0 }, bytes);
}

/** (b) realign end to end and (h) its verification. */
export async function rebuild(world: BenchWorld, { rows, bytes }: TableSize): Promise<NamedFigures> {
  const { load, verify } = await finishedRebuild({ world, flags: ['--verify', 'full'] });
  if (verify === null) throw new Error('the rebuild ended without a verification');
  return [
    [LINES.load, perRow(rows, load, bytes)],
    [LINES.verify, perRow(rows, verify, bytes)],
  ];
}

/** (b) once more before a sink that takes half of what it could. */
export async function throttledRebuild(world: BenchWorld, { rows, bytes }: TableSize, bytesPerSecond: number): Promise<NamedFigures> {
  const proxy = await startBulkProxy({ target: world.elasticsearchUrl, mode: 'pass', bytesPerSecond });
  try {
    const { load } = await finishedRebuild({ world, flags: ['--verify', 'counts'], elasticsearchUrl: proxy.url });
    return [[LINES.throttled, perRow(rows, load, bytes)]];
  } finally {
    proxy.close();
  }
}

/** A rebuild that ends well, and what it made removed. */
export async function finishedRebuild(request: RebuildRequest): Promise<RebuildFigures> {
  const figures = await measuredRebuild(request);
  await dropBenchIndices(request.world);
  if (figures.exitCode !== 0) throw new Error(`the rebuild ended with ${figures.exitCode}`);
  return figures;
}

/** (c) and (d): what people write. */
export async function rival(world: BenchWorld, name: 'script' | 'offset', { rows, bytes }: TableSize, mapping: unknown): Promise<NamedFigures> {
  await elasticsearch('DELETE', `/${RIVAL_INDEX}`);
  await elasticsearch('PUT', `/${RIVAL_INDEX}`, {
    mappings: mapping,
    settings: { number_of_shards: world.shards, number_of_replicas: 0, refresh_interval: '-1' },
  });
  const run = startMeasured(world, {
    command: process.execPath,
    args: [RIVALS, name, world.databaseUrl, world.elasticsearchUrl, RIVAL_INDEX],
  });
  await run.ended;
  await elasticsearch('DELETE', `/${RIVAL_INDEX}`);
  const title = name === 'script' ? '(c) cursor, objects, helpers.bulk' : '(d) OFFSET pages of 1000';
  return [[title, perRow(rows, run.figures(), bytes)]];
}

/** (f) COPY text drained by nobody. */
export async function copyDrain(world: BenchWorld, rows: number): Promise<NamedFigures> {
  const { to } = await import('pg-copy-streams');
  const client = await connect(world.databaseUrl);
  const before = readCpu(world.pids, { tool: [process.pid] });
  const startedAt = performance.now();
  let bytes = 0;
  for await (const chunk of client.query(to('copy products to stdout'))) bytes += (chunk as Buffer).length;
  const seconds = (performance.now() - startedAt) / 1000;
  const cpu = cpuBetween(before, readCpu(world.pids, { tool: [process.pid] }));
  await client.end();
  return [['(f) COPY drained by nobody', perRow(rows, { ...cpu, seconds, peakRssMb: 0 }, bytes)]];
}
