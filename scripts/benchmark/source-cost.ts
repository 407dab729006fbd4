import { setTimeout as pause } from 'node:timers/promises';
import { connect } from '../../test/support/servers.ts';
import type { BenchWorld } from './bench-world.ts';
import { median } from './figures.ts';
import { type LoadWriter, rateUntil, startLoadWriter } from './load-writer.ts';
import { discardBuilds, phaseEvent, startRebuild } from './measured-rebuild.ts';

/** What the writing application gets done, in transactions a second. */
export interface SourceCost {
  readonly loadRate: number;
  readonly alone: number;
  readonly idleSlot: number;
  readonly duringLoad: number;
  readonly duringReplay: number;
}

const CLIENTS = 2;
const TURNS = 3;
const IDLE_SLOT = 'realign_bench_idle';

/** (i) the same writer alone, beside a slot that nobody reads, during a load at `loadRate` documents a second, and while the replay follows. */
export async function sourceCost(world: BenchWorld, rows: number, loadRate: number, windowMs: number): Promise<SourceCost> {
  const writer = await startLoadWriter({ url: world.databaseUrl, clients: CLIENTS, keys: rows, transactionsPerSecond: 0 });
  try {
    // Pages are written whole the first time after a checkpoint: that must not be in one window only.
    await pause(windowMs / 2);
    const { alone, idleSlot } = await withoutBuild(world, writer, windowMs);
    const run = startRebuild({ world, flags: ['--verify', 'counts', '--hold', '--rate', String(Math.max(1, Math.round(loadRate)))] });
    await phaseEvent(run, 'phase.started', 'load');
    const duringLoad = await rateUntil(writer, phaseEvent(run, 'phase.finished', 'load'));
    // Not until it has caught up: it may not, behind a writer that nothing holds back on the same cores.
    await phaseEvent(run, 'phase.started', 'catchup');
    const duringReplay = await rateUntil(writer, pause(windowMs));
    run.kill('SIGINT');
    await run.ended;
    return { loadRate, alone, idleSlot, duringLoad, duringReplay };
  } finally {
    await writer.stop();
    await discardBuilds(world);
  }
}

/** In turns, as the machine changes under it. */
async function withoutBuild(world: BenchWorld, writer: LoadWriter, windowMs: number): Promise<{ readonly alone: number; readonly idleSlot: number }> {
  const client = await connect(world.databaseUrl);
  const alone: number[] = [];
  const idle: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    alone.push(await rateUntil(writer, pause(windowMs)));
    await client.query("select pg_create_logical_replication_slot($1, 'pgoutput')", [IDLE_SLOT]);
    idle.push(await rateUntil(writer, pause(windowMs)));
    await client.query('select pg_drop_replication_slot($1)', [IDLE_SLOT]);
  }
  await client.end();
  return { alone: median(alone), idleSlot: median(idle) };
}
