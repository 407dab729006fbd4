import { readdirSync, readFileSync } from 'node:fs';

const TICK_US = 10_000;

export interface ServerPids {
  readonly postgres: number;
  readonly elasticsearch: readonly number[];
}

/** CPU in microseconds since the start of each, read from Linux's /proc. */
export interface Cpu {
  readonly nodeUs: number;
  readonly postgresUs: number;
  readonly javaUs: number;
  /** Of the server that answers in Elasticsearch's place, if there is one. */
  readonly sinkUs: number;
}

/** Processes of the tool that is measured, and of what stands for Elasticsearch. */
export interface Measured {
  readonly tool?: readonly number[];
  readonly sink?: number;
}

export function readCpu(pids: ServerPids, { tool = [], sink }: Measured): Cpu {
  const children = childrenOf(pids.postgres);
  return {
    nodeUs: tool.reduce((sum, pid) => sum + ticksOf(pid, false), 0),
    sinkUs: sink === undefined ? 0 : ticksOf(sink, false),
    // Backends that have ended are in the postmaster's account.
    postgresUs: ticksOf(pids.postgres, true) + children.reduce((sum, pid) => sum + ticksOf(pid, false), 0),
    javaUs: pids.elasticsearch.reduce((sum, pid) => sum + ticksOf(pid, false), 0),
  };
}

export function cpuBetween(before: Cpu, after: Cpu): Cpu {
  return {
    nodeUs: after.nodeUs - before.nodeUs,
    postgresUs: after.postgresUs - before.postgresUs,
    javaUs: after.javaUs - before.javaUs,
    sinkUs: after.sinkUs - before.sinkUs,
  };
}

/** The largest resident set of a process so far, in MB; 0 if it is gone. */
export function peakRssMb(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

function statOf(pid: number | string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  } catch {
    return [];
  }
}

function ticksOf(pid: number, withReaped: boolean): number {
  const fields = statOf(pid);
  const ticks = (withReaped ? [11, 12, 13, 14] : [11, 12]).reduce((sum, i) => sum + Number(fields[i] ?? 0), 0);
  return ticks * TICK_US;
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(statOf(name)[1]) === parent)
    .map(Number);
}
