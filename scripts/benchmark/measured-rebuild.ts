import { startRealign } from '../../test/support/run-realign.ts';
import type { BenchWorld } from './bench-world.ts';
import { type Cpu, cpuBetween, peakRssMb, readCpu } from './cpu.ts';
import { PRODUCT_FIELDS } from './products.ts';

/** What one phase of one run cost. */
export interface PhaseFigures extends Cpu {
  readonly seconds: number;
}

export interface RebuildFigures {
  readonly load: PhaseFigures;
  readonly verify: PhaseFigures | null;
  readonly totalSeconds: number;
  readonly peakRssMb: number;
  readonly maxSlotWalBytes: number;
  readonly exitCode: number | null;
}

export const ALIAS = 'realign-bench';

/** Runs the command line's `rebuild` of `products` as its users do, and accounts for its phases by the events it prints. */
export async function measuredRebuild(
  world: BenchWorld,
  flags: readonly string[],
  elasticsearchUrl = world.elasticsearchUrl,
): Promise<RebuildFigures> {
  const run = startRealign({
    args: ['rebuild', ALIAS, '--keep', '0', ...flags],
    databaseUrl: world.databaseUrl,
    config: {
      elasticsearch: { url: elasticsearchUrl },
      indices: { [ALIAS]: { table: 'public.products', fields: PRODUCT_FIELDS, settings: { number_of_replicas: 0, number_of_shards: 1 } } },
    },
  });
  const startedAt = performance.now();
  const marks = new Map<string, { readonly at: number; readonly cpu: Cpu }>();
  const mark = async (type: string, phase: string): Promise<void> => {
    await run.event(`${type} ${phase}`, (event) => event.type === type && event.phase === phase, 3_600_000);
    marks.set(`${type} ${phase}`, { at: performance.now(), cpu: readCpu(world.pids, run.pid) });
  };
  const marking = ['load', 'verify'].flatMap((phase) => [mark('phase.started', phase), mark('phase.finished', phase)]);
  let rss = 0;
  const watch = setInterval(() => {
    rss = Math.max(rss, peakRssMb(run.pid));
  }, 100);
  const exit = await run.ended;
  clearInterval(watch);
  await Promise.allSettled(marking);
  const phase = (name: string): PhaseFigures | null => {
    const [from, to] = [marks.get(`phase.started ${name}`), marks.get(`phase.finished ${name}`)];
    return from === undefined || to === undefined ? null : { seconds: (to.at - from.at) / 1000, ...cpuBetween(from.cpu, to.cpu) };
  };
  const load = phase('load');
  if (load === null) throw new Error(`the rebuild ended with ${exit.code} before its load did: ${exit.stderr.slice(-500)}`);
  const slotWal = exit.events.filter((event) => event.type === 'progress').map((event) => Number(event.slotWalBytes));
  return {
    load,
    verify: phase('verify'),
    totalSeconds: (performance.now() - startedAt) / 1000,
    peakRssMb: rss,
    maxSlotWalBytes: Math.max(0, ...slotWal),
    exitCode: exit.code,
  };
}

/** Removes what the runs left in Elasticsearch. */
export async function dropBenchIndices(world: BenchWorld): Promise<void> {
  const answer = await fetch(`${world.elasticsearchUrl}/_cat/indices/${ALIAS}-*?h=index&format=json&expand_wildcards=all`);
  for (const { index } of (await answer.json()) as { readonly index: string }[])
    await fetch(`${world.elasticsearchUrl}/${index}`, { method: 'DELETE' });
}
