import { writeFileSync } from 'node:fs';
import { type RealignRun, startRealign } from '../../test/support/run-realign.ts';
import { connect } from '../../test/support/servers.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { BenchWorld } from './bench-world.ts';
import { type Cpu, cpuBetween, peakRssMb, readCpu } from './cpu.ts';
import { PRODUCT_FIELDS } from './products.ts';

/** What one phase of one run cost. */
export interface PhaseFigures extends Cpu {
  readonly seconds: number;
  readonly peakRssMb: number;
}

/** The slot's retained WAL at a moment of the run. */
export interface WalPoint {
  readonly seconds: number;
  readonly bytes: number;
}

export interface RebuildFigures {
  readonly load: PhaseFigures;
  readonly verify: PhaseFigures | null;
  /** During the load. */
  readonly slotWal: readonly WalPoint[];
  readonly exitCode: number | null;
}

export interface RebuildRequest {
  readonly world: BenchWorld;
  readonly flags: readonly string[];
  /** Proxies before the server. */
  readonly elasticsearchUrl?: string | readonly string[];
  /** The pid of the proxy that answers itself. */
  readonly sink?: number;
  readonly alias?: string;
  readonly env?: { readonly [name: string]: string };
}

export const ALIAS = 'realign-bench';
const LONGEST_MS = 900_000;
const SLOT_FREE_MS = 60_000;
const WATCH_MS = 100;

/** Starts the command line's `rebuild` of `products` as its users do. */
export function startRebuild({ world, flags, elasticsearchUrl: url = world.elasticsearchUrl, alias = ALIAS, env = {} }: RebuildRequest): RealignRun {
  const settings = { number_of_replicas: 0, number_of_shards: world.shards };
  return startRealign({
    args: ['rebuild', alias, '--keep', '0', ...flags],
    env,
    databaseUrl: world.databaseUrl,
    config: { elasticsearch: { url }, indices: { [alias]: { table: 'public.products', fields: PRODUCT_FIELDS, settings } } },
  });
}

/** Removes what unfinished builds have made, by hand: the command `abort` would take as long to start as a small case lasts. Their processes have ended. */
export async function discardBuilds(world: BenchWorld): Promise<void> {
  const client = await connect(world.databaseUrl);
  const slots = "from pg_replication_slots where database = current_database() and not temporary and slot_name like 'realign\\_%'";
  await waitFor('nobody reads the slots', async () => (await client.query(`select ${slots} and active`)).rowCount === 0, SLOT_FREE_MS);
  await client.query(`select pg_drop_replication_slot(slot_name) ${slots}`);
  const { rows } = await client.query<{ name: string }>("select quote_ident(pubname) as name from pg_publication where pubname like 'realign\\_%'");
  for (const { name } of rows) await client.query(`drop publication ${name}`);
  await client.end();
  await dropBenchIndices(world);
}

/** Waits until the run tells of the phase. */
export async function phaseEvent(run: RealignRun, type: 'phase.started' | 'phase.finished', phase: string): Promise<void> {
  await run.event(`${type} ${phase}`, (event) => event.type === type && event.phase === phase, LONGEST_MS);
}

/** Runs a rebuild to its end and accounts for its phases by the events it prints. */
export async function measuredRebuild(request: RebuildRequest): Promise<RebuildFigures> {
  const run = startRebuild(request);
  const load = measurePhase(request, run, 'load');
  const verify = measurePhase(request, run, 'verify');
  const exit = await run.ended;
  const measured = await load;
  if (measured === null) throw new Error(`the rebuild ended with ${exit.code} before its load did: ${exit.stderr.slice(-500)}`);
  const progress = exit.events.filter((event) => event.type === 'progress' && event.phase === 'load');
  const startedAt = Date.parse(String(progress[0]?.time));
  const slotWal = progress.map((event) => ({ seconds: (Date.parse(String(event.time)) - startedAt) / 1000, bytes: Number(event.slotWalBytes) }));
  return { load: measured, verify: await verify, slotWal, exitCode: exit.code };
}

/** Null if the run ended before the phase did. */
async function measurePhase({ world, sink }: RebuildRequest, run: RealignRun, phase: string): Promise<PhaseFigures | null> {
  const measured = { tool: [run.pid], ...(sink === undefined ? {} : { sink }) };
  let peak = 0;
  let watch: NodeJS.Timeout | undefined;
  try {
    await phaseEvent(run, 'phase.started', phase);
    forgetPeakRss(run.pid);
    const startedAt = performance.now();
    const before = readCpu(world.pids, measured);
    watch = setInterval(() => {
      peak = Math.max(peak, peakRssMb(run.pid));
    }, WATCH_MS);
    await phaseEvent(run, 'phase.finished', phase);
    const seconds = (performance.now() - startedAt) / 1000;
    return { ...cpuBetween(before, readCpu(world.pids, measured)), seconds, peakRssMb: Math.max(peak, peakRssMb(run.pid)) };
  } catch {
    return null;
  } finally {
    clearInterval(watch);
  }
}

/** Linux: 5 sets the high-water mark of the resident set to its present size (proc_pid_clear_refs(5)). */
function forgetPeakRss(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Removes what the runs left in Elasticsearch. */
export async function dropBenchIndices(world: BenchWorld): Promise<void> {
  const answer = await fetch(`${world.elasticsearchUrl}/_cat/indices/${ALIAS}-*?h=index&format=json&expand_wildcards=all`);
  for (const { index } of (await answer.json()) as { readonly index: string }[])
    await fetch(`${world.elasticsearchUrl}/${index}`, { method: 'DELETE' });
}
