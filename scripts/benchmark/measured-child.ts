import { type ChildProcess, spawn } from 'node:child_process';
import type { BenchWorld } from './bench-world.ts';
import { type Cpu, cpuBetween, type Measured, peakRssMb, readCpu } from './cpu.ts';
import type { PhaseFigures } from './measured-rebuild.ts';

const WATCH_MS = 50;

export interface ChildCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: { readonly [name: string]: string };
  readonly cwd?: string;
  /** An open file for its stderr, which is the benchmark's own otherwise. */
  readonly errors?: number;
}

/** Another program's run: what it costs is in its process, or in one that it waits for. */
export interface MeasuredChild {
  readonly child: ChildProcess;
  /** What it has cost since it was started, or until it ended. */
  figures(): PhaseFigures;
  /** Resolves with its exit code, and throws if that is not 0. */
  readonly ended: Promise<void>;
}

/** Starts a program and watches it, beside what else works for it. Its CPU counts as that of Node. */
export function startMeasured(world: BenchWorld, { command, args, env, cwd, errors = 2 }: ChildCommand, beside: Measured = {}): MeasuredChild {
  const child = spawn(command, args, {
    stdio: ['ignore', 'ignore', errors],
    ...(env === undefined ? {} : { env: { PATH: process.env.PATH ?? '', ...env } }),
    ...(cwd === undefined ? {} : { cwd }),
  });
  const pid = child.pid ?? 0;
  const measured = { ...beside, tool: [pid, ...(beside.tool ?? [])] };
  const before = readCpu(world.pids, measured);
  const startedAt = performance.now();
  let last: Cpu = before;
  let rss = 0;
  let seconds = 0;
  const look = (): void => {
    const now = readCpu(world.pids, measured);
    // Nothing is to be read of one that has ended.
    last = { ...now, nodeUs: Math.max(now.nodeUs, last.nodeUs) };
    rss = Math.max(rss, peakRssMb(pid));
    seconds = (performance.now() - startedAt) / 1000;
  };
  const watch = setInterval(look, WATCH_MS);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  })
    .then((code) => {
      if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}`);
    })
    .finally(() => {
      clearInterval(watch);
      look();
    });
  ended.catch(() => undefined);
  return {
    child,
    ended,
    figures: () => {
      if (child.exitCode === null) look();
      return { ...cpuBetween(before, last), seconds, peakRssMb: rss };
    },
  };
}
