import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { withSides } from '../../test/e2e/in-process.ts';
import type { RealignRun } from '../../test/support/run-realign.ts';
import { connect } from '../../test/support/servers.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { BenchWorld } from './bench-world.ts';
import { startBulkProxy } from './bulk-proxy.ts';
import { whileReceiving } from './drain.ts';
import { median } from './figures.ts';
import { type LoadWriter, rateUntil, startLoadWriter } from './load-writer.ts';
import { discardBuilds, phaseEvent, type RebuildRequest, startRebuild } from './measured-rebuild.ts';

export interface BesideNullSink {
  readonly idleSlot: number;
  /** Beside a slot whose stream is received and thrown away. */
  readonly received: number;
  readonly duringLoad: number;
}

/** What the writing application gets done, in transactions a second. */
export interface SourceCost {
  readonly loadRate: number;
  readonly alone: number;
  readonly idleSlot: number;
  readonly duringLoad: number;
  readonly duringReplay: number;
  /** Later, with nothing that Elasticsearch does meanwhile: beside slots, and during a load as fast into a null sink. Null if that was not measured. */
  readonly nullSink: BesideNullSink | null;
}

const CLIENTS = 2;
const TURNS = 3;
/** Of a slot, and of the publication of one that is read; `discardBuilds` removes what begins with realign_. */
const SLOT = 'realign_bench_slot';

/** (i) the same writer alone, beside a slot that nobody reads, during a load at `loadRate` documents a second, while the replay follows; and, with an Elasticsearch that does nothing, beside a slot that is only received, and during such a load into a null sink. */
export async function sourceCost(world: BenchWorld, rows: number, loadRate: number, windowMs: number): Promise<SourceCost> {
  const writer = await startLoadWriter({ url: world.databaseUrl, clients: CLIENTS, keys: rows, transactionsPerSecond: 0 });
  try {
    // Pages are written whole the first time after a checkpoint: that must not be in one window only.
    await pause(windowMs / 2);
    const { alone, idleSlot } = await withoutBuild(world, writer, windowMs);
    const flags = ['--verify', 'counts', '--hold', '--rate', String(Math.max(1, Math.round(loadRate)))];
    const { run, duringLoad } = await throughLoad(writer, { world, flags });
    // Not until it has caught up: it may not, behind a writer that nothing holds back on the same cores.
    await phaseEvent(run, 'phase.started', 'catchup');
    const duringReplay = await rateUntil(writer, pause(windowMs));
    run.kill('SIGINT');
    await run.ended;
    await discardBuilds(world);
    const nullSink = await besideNullSink(writer, { world, flags }, windowMs);
    return { loadRate, alone, idleSlot, duringLoad, duringReplay, nullSink };
  } finally {
    await writer.stop();
    await discardBuilds(world);
  }
}

async function throughLoad(writer: LoadWriter, request: RebuildRequest): Promise<{ readonly run: RealignRun; readonly duringLoad: number }> {
  const run = startRebuild(request);
  await phaseEvent(run, 'phase.started', 'load');
  return { run, duringLoad: await rateUntil(writer, phaseEvent(run, 'phase.finished', 'load')) };
}

async function besideNullSink(writer: LoadWriter, request: RebuildRequest, windowMs: number): Promise<BesideNullSink> {
  const client = await connect(request.world.databaseUrl);
  // Its own one: the table has grown since the first.
  const slots = async (): Promise<readonly [idle: number, received: number]> => [
    await besideIdleSlot(client, writer, windowMs),
    await besideReceivedSlot(request.world, client, writer, windowMs),
  ];
  const [idleSlot, received] = await slots().finally(() => client.end());
  const proxy = await startBulkProxy({ target: request.world.elasticsearchUrl, mode: 'null', bytesPerSecond: 0 });
  try {
    const { run, duringLoad } = await throughLoad(writer, { ...request, elasticsearchUrl: proxy.url });
    run.kill('SIGINT');
    await run.ended;
    return { idleSlot, received, duringLoad };
  } finally {
    proxy.close();
  }
}

/** In turns, as the machine changes under it. */
async function withoutBuild(world: BenchWorld, writer: LoadWriter, windowMs: number): Promise<{ readonly alone: number; readonly idleSlot: number }> {
  const client = await connect(world.databaseUrl);
  const alone: number[] = [];
  const idle: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    alone.push(await rateUntil(writer, pause(windowMs)));
    idle.push(await besideIdleSlot(client, writer, windowMs));
  }
  await client.end();
  return { alone: median(alone), idleSlot: median(idle) };
}

async function besideIdleSlot(client: Client, writer: LoadWriter, windowMs: number): Promise<number> {
  await createSlot(client);
  const rate = await rateUntil(writer, pause(windowMs));
  await dropSlot(client);
  return rate;
}

/** What receiving the changes takes from the writer, whatever becomes of them. */
async function besideReceivedSlot({ databaseUrl }: BenchWorld, client: Client, writer: LoadWriter, windowMs: number): Promise<number> {
  await client.query(`create publication ${SLOT} for table products`);
  await createSlot(client);
  const window = (): Promise<number> => rateUntil(writer, pause(windowMs));
  const rate = await withSides({ url: databaseUrl }, ({ source }) => whileReceiving({ source, slot: SLOT }, window));
  await dropSlot(client);
  await client.query(`drop publication ${SLOT}`);
  return rate;
}

async function createSlot(client: Client): Promise<void> {
  await client.query("select pg_create_logical_replication_slot($1, 'pgoutput')", [SLOT]);
}

/** Whoever has read it may still be leaving. */
async function dropSlot(client: Client): Promise<void> {
  const drop = 'select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = $1 and not active';
  await waitFor('nobody reads the slot', async () => (await client.query(drop, [SLOT])).rowCount === 1);
}
