import { cpus, totalmem } from 'node:os';
import type { Summary } from './figures.ts';
import type { Growth } from './growth.ts';
import type { ScalingPoint } from './scaling.ts';
import type { SourceCost } from './source-cost.ts';
import type { Target } from './targets.ts';

/** One run of the benchmark. */
export interface BenchRun {
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly command: string;
  readonly minutes: number;
  readonly smoke: boolean;
  readonly rows: number;
  readonly rounds: number;
  readonly changes: number;
  readonly shards: number;
  /** Data nodes of Elasticsearch. */
  readonly nodes: number;
}

/** A figure, and which run made it: its `startedAt`. */
export type Of<T> = T & { readonly run: string };

/** What runs of the benchmark found: written as JSON, and read again for the page. */
export interface BenchReport {
  readonly format: 2;
  readonly machine: Machine;
  /** Those that made the figures below, the oldest first. */
  readonly runs: readonly BenchRun[];
  readonly summaries: readonly Of<Summary>[];
  readonly sourceCost: Of<SourceCost> | null;
  readonly growth: readonly Of<Growth>[];
  readonly scaling: readonly Of<ScalingPoint>[];
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

/** `(b) realign, load` is of the case `(b)`. */
export function caseOf(name: string): string {
  return name.slice(0, name.indexOf(')') + 1);
}
