import { cpus, totalmem } from 'node:os';
import type { Summary } from './figures.ts';
import type { Growth } from './growth.ts';
import type { SourceCost } from './source-cost.ts';
import type { Target } from './targets.ts';

/** What a run of the benchmark found: written as JSON, and read again for the page. */
export interface BenchReport {
  readonly format: 1;
  readonly date: string;
  readonly command: string;
  readonly machine: Machine;
  readonly rows: number;
  readonly shards: number;
  /** Data nodes of Elasticsearch. */
  readonly nodes: number;
  readonly rounds: number;
  readonly changes: number;
  readonly minutes: number;
  readonly summaries: readonly Summary[];
  readonly sourceCost: SourceCost | null;
  readonly growth: readonly Growth[];
  readonly targets: readonly Target[];
}

export interface Machine {
  readonly cores: number;
  readonly cpu: string;
  readonly memoryGiB: number;
  readonly node: string;
  readonly postgres: string;
  readonly elasticsearch: string;
}

/** The machine this runs on. */
export function describeMachine(postgres: string, elasticsearch: string): Machine {
  const [cpu] = cpus();
  return {
    cores: cpus().length,
    cpu: `${cpu?.model ?? 'unknown'}${cpu === undefined || cpu.speed === 0 ? '' : ` at ${(cpu.speed / 1000).toFixed(1)} GHz`}`,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version.slice(1),
    postgres,
    elasticsearch,
  };
}
