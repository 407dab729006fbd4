import { writeFileSync } from 'node:fs';
import { type RealignRun, startRealign } from '../../test/support/run-realign.ts';
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
  /** A proxy before the server. */
  readonly elasticsearchUrl?: string;
  readonly env?: { readonly [name: string]: string };
}

export const ALIAS = 'realign-bench';
const LONGEST_MS = 900_000;
const WATCH_MS = 100;

/** Starts the command line's `rebuild` of `products` as its users do. */
export function startRebuild({ world, flags, elasticsearchUrl = world.elasticsearchUrl, env = {} }: RebuildRequest): RealignRun {
  return runCommand(world, ['rebuild', ALIAS, '--keep', '0', ...flags], elasticsearchUrl, env);
}

/** Removes an unfinished build with all it has made. */
export async function abortBuild(world: BenchWorld): Promise<void> {
  const { code, stderr } = await runCommand(world, ['abort', ALIAS, '--yes'], world.elasticsearchUrl, {}).ended;
  if (code !== 0) throw new Error(`abort ended with ${code}: ${stderr.slice(-500)}`);
}

function runCommand(world: BenchWorld, args: readonly string[], url: string, env: { readonly [name: string]: string }): RealignRun {
  const settings = { number_of_replicas: 0, number_of_shards: world.shards };
  return startRealign({
    args,
    env,
    databaseUrl: world.databaseUrl,
    config: { elasticsearch: { url }, indices: { [ALIAS]: { table: 'public.products', fields: PRODUCT_FIELDS, settings } } },
  });
}

/** Waits until the run tells of the phase. */
export async function phaseEvent(run: RealignRun, type: 'phase.started' | 'phase.finished', phase: string): Promise<void> {
  await run.event(`${type} ${phase}`, (event) => event.type === type && event.phase === phase, LONGEST_MS);
}

/** Runs a rebuild to its end and accounts for its phases by the events it prints. */
export async function measuredRebuild(request: RebuildRequest): Promise<RebuildFigures> {
  const { world } = request;
  const run = startRebuild(request);
  const load = measurePhase(world, run, 'load');
  const verify = measurePhase(world, run, 'verify');
  const exit = await run.ended;
  const measured = await load;
  if (measured === null) throw new Error(`the rebuild ended with ${exit.code} before its load did: ${exit.stderr.slice(-500)}`);
  const progress = exit.events.filter((event) => event.type === 'progress' && event.phase === 'load');
  const startedAt = Date.parse(String(progress[0]?.time));
  const slotWal = progress.map((event) => ({ seconds: (Date.parse(String(event.time)) - startedAt) / 1000, bytes: Number(event.slotWalBytes) }));
  return { load: measured, verify: await verify, slotWal, exitCode: exit.code };
}

/** Null if the run ended before the phase did. */
async function measurePhase(world: BenchWorld, run: RealignRun, phase: string): Promise<PhaseFigures | null> {
  let peak = 0;
  let watch: NodeJS.Timeout | undefined;
  try {
    await phaseEvent(run, 'phase.started', phase);
    forgetPeakRss(run.pid);
    const startedAt = performance.now();
    const before = readCpu(world.pids, run.pid);
    watch = setInterval(() => {
      peak = Math.max(peak, peakRssMb(run.pid));
    }, WATCH_MS);
    await phaseEvent(run, 'phase.finished', phase);
    const seconds = (performance.now() - startedAt) / 1000;
    return { ...cpuBetween(before, readCpu(world.pids, run.pid)), seconds, peakRssMb: Math.max(peak, peakRssMb(run.pid)) };
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
