import type { FailpointName } from '../../src/phases/build/failpoints.ts';
import { type Failpoints, listenForFailpoints } from '../../test/support/failpoints.ts';
import type { RealignRun } from '../../test/support/run-realign.ts';
import type { BenchWorld } from './bench-world.ts';
import { type BulkProxy, startBulkProxy } from './bulk-proxy.ts';
import { type NamedFigures, nullRebuild, perRow, type TableSize } from './cases.ts';
import { cpuBetween, peakRssMb, readCpu } from './cpu.ts';
import { ALIAS, discardBuilds, type PhaseFigures, startRebuild } from './measured-rebuild.ts';

const DEADLINE_MS = 300_000;

/** (e) realign's load into a server that reads and answers. */
export async function nullSink(world: BenchWorld, { rows, bytes }: TableSize, readers: number): Promise<NamedFigures> {
  const proxy = await startNullSink(world);
  const { load } = await nullRebuild(world, proxy, ['--copy-jobs', String(readers)]);
  proxy.close();
  return [[`(e) realign, null sink, ${readers} reader${readers === 1 ? '' : 's'}`, perRow(rows, load, bytes)]];
}

/**
 * (e) two processes at once, each loading the whole table with one reader: the most that two threads of one process could give. The whole table, so that each
 * compiles as much and warms up as long as the one of `nullSink`.
 */
export async function nullSinkPair(world: BenchWorld, { rows, bytes }: TableSize): Promise<NamedFigures> {
  const proxy = await startNullSink(world);
  try {
    return [['(e) two realign processes, null sink, 1 reader each', perRow(2 * rows, await measurePair(world, proxy), 2 * bytes)]];
  } finally {
    proxy.close();
    await discardBuilds(world);
  }
}

function startNullSink(world: BenchWorld): Promise<BulkProxy> {
  return startBulkProxy({ target: world.elasticsearchUrl, mode: 'null', bytesPerSecond: 0 });
}

/** From the moment at which both have opened their first chunk until both loads are done. */
async function measurePair(world: BenchWorld, { url, pid: sink }: BulkProxy): Promise<PhaseFigures> {
  const failpoints = await listenForFailpoints();
  const runs = ['1', '2'].map((name) => {
    const flags = ['--verify', 'counts', '--copy-jobs', '1'];
    return startRebuild({ world, flags, alias: `${ALIAS}-${name}`, elasticsearchUrl: url, env: failpoints.env });
  });
  const [opened, loaded] = [bothAt(failpoints, 'chunk.opened'), bothAt(failpoints, 'load.finished')];
  const measured = { tool: runs.map(({ pid }) => pid), sink };
  try {
    await inTime(opened.reached, runs);
    const [before, startedAt] = [readCpu(world.pids, measured), performance.now()];
    opened.release();
    await inTime(loaded.reached, runs);
    const seconds = (performance.now() - startedAt) / 1000;
    const cpu = cpuBetween(before, readCpu(world.pids, measured));
    return { ...cpu, seconds, peakRssMb: runs.reduce((sum, { pid }) => sum + peakRssMb(pid), 0) };
  } catch (error) {
    for (const run of runs) run.kill('SIGKILL');
    throw error;
  } finally {
    opened.release();
    loaded.release();
    await Promise.all(runs.map(({ ended }) => ended));
    // Of a run that failed some moments never come, which is not what failed.
    await failpoints.close().catch(() => undefined);
  }
}

/** Holds the first two that come to the moment, one of each process, until they are released. */
function bothAt(failpoints: Failpoints, name: FailpointName): { readonly reached: Promise<void>; readonly release: () => void } {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    failpoints.at(name, () => {
      failpoints.at(name, () => {
        resolve();
        return released;
      });
      return released;
    });
  });
  return { reached, release: () => release() };
}

/** A process that does not come as far must not make the other one wait for ever. */
async function inTime(both: Promise<void>, runs: readonly RealignRun[]): Promise<void> {
  const failed = runs.map(async ({ ended }) => {
    const { code, stderr } = await ended;
    throw new Error(`one of two rebuilds ended with ${code} before both had loaded: ${stderr.slice(-500)}`);
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`two rebuilds did not come as far in ${DEADLINE_MS} ms`)), DEADLINE_MS);
  });
  try {
    await Promise.race([both, late, ...failed]);
  } finally {
    clearTimeout(timer);
    for (const one of failed) one.catch(() => undefined);
  }
}
