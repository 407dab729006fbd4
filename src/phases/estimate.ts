import { counted } from '../core/counted.ts';
import { buildNames } from '../core/plan/names.ts';
import type { IndexPlan } from '../core/plan/plan-index.ts';
import type { SourceTable } from '../core/table.ts';
import { nameInSql } from '../core/table.ts';
import { isUnfinished } from './build/open-build.ts';
import { type Estimate, estimatesOf, lastTimed } from './estimate/estimates.ts';
import { probeTable } from './estimate/probe.ts';
import type { Clock } from './ports.ts';
import { type PreflightRequest, requireNoFailure, runPreflight } from './preflight.ts';
import type { Generation } from './sink-ports.ts';

export interface BuildEstimate {
  readonly table: SourceTable;
  readonly plan: IndexPlan;
  /** The name pattern of the generation a build would make. */
  readonly generation: string;
  readonly previous: string | null;
  /** The unfinished build that `rebuild` would resume, or null. */
  readonly resumes: string | null;
  readonly rows: number;
  readonly bytes: number;
  readonly estimates: readonly Estimate[];
  readonly steps: readonly string[];
  readonly warnings: readonly string[];
}

interface EstimateRequest {
  readonly request: PreflightRequest;
  readonly clock: Clock;
  readonly table: SourceTable;
  readonly plan: IndexPlan;
  readonly previous: string | null;
  readonly generations: readonly Generation[];
}

/** What `rebuild` would do, read-only. Throws `preflight-refused` if it would not start. */
export async function estimateBuild(request: PreflightRequest, clock: Clock): Promise<BuildEstimate> {
  const { findings, table, plan, mistakes, previous } = await runPreflight(request);
  requireNoFailure({ findings, mistakes });
  if (table === null || plan === null) throw new RangeError('BUG: a preflight without failures has a table and a plan');
  const generations = await request.sink.generations(request.config.alias);
  const unfinished = generations.find(({ state }) => isUnfinished(state.phase));
  const { index } = buildNames(request.config.alias, 'xxxx', clock.date());
  return {
    table,
    plan,
    generation: index,
    previous,
    resumes: unfinished === undefined || request.options.fresh ? null : unfinished.state.build,
    rows: table.estimatedRows,
    bytes: table.bytes,
    estimates: await estimates({ request, clock, table, plan, previous, generations }),
    steps: steps(request, table, index, previous),
    warnings: findings.filter((finding) => finding.level === 'warn').map((finding) => finding.message),
  };
}

async function estimates({ request, clock, table, plan, previous, generations }: EstimateRequest): Promise<readonly Estimate[]> {
  const { source, sink, options } = request;
  const last = lastTimed(generations);
  const bytes = previous === null ? null : await sink.indexBytes(previous);
  const rows = generations.find(({ index }) => index === previous)?.state.pace?.rows ?? 0;
  // The last build says more than a probe, except of how many rows a table has that was never analysed, and of a comparison that it did not make.
  const isEnough = last !== null && table.estimatedRows >= 0 && (options.verify !== 'full' || last.pace.verify === 'full');
  const probe = isEnough ? null : await probeTable(source, clock, table, plan.documentPlan);
  const replicas = Number(plan.settings['index.number_of_replicas'] ?? 1);
  const live = bytes === null || previous === null ? null : { index: previous, bytes, rows };
  return estimatesOf({ table, verify: options.verify, rate: options.rate, replicas: Number.isInteger(replicas) ? replicas : 1, last, live, probe });
}

function steps({ config, options }: PreflightRequest, table: SourceTable, index: string, previous: string | null): string[] {
  return [
    `create publication and logical slot for ${nameInSql(table)}`,
    `create index ${index} behind a hidden build alias`,
    `load ${counted(table.leaves.length, 'relation')} with ${counted(options.copyJobs, 'reader')} and ${bulkConnections(options.bulkJobs)} while the WAL is replayed`,
    `verify (${options.verify}) at a fence; stop on any lasting difference or more than ${counted(options.maxRejects, 'rejected row')}`,
    previous === null
      ? `put alias ${config.alias} on it${options.adopt ? ` (removing a concrete index of that name in the same call)` : ''}`
      : `move alias ${config.alias} from ${previous} in one atomic call`,
    `drop slot and publication; keep ${counted(options.keep, 'older generation')}`,
  ];
}

function bulkConnections(jobs: number | null): string {
  return jobs === null ? 'as many bulk connections as pay' : counted(jobs, 'bulk connection');
}
