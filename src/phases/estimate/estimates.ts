import type { BuildPace } from '../../core/plan/build-state.ts';
import type { VerifyMode } from '../../core/plan/index-config.ts';
import type { SourceTable } from '../../core/table.ts';
import type { Generation } from '../sink-ports.ts';
import type { Probe } from './probe.ts';

/** What a build will need of one thing, and what says so. */
export interface Estimate {
  readonly of: 'load' | 'verification' | 'disk';
  /** Seconds, for the disk bytes; null if nothing is known to go by. */
  readonly amount: number | null;
  readonly unit: 's' | 'bytes';
  /** `least`: something that only the build itself will show comes on top. */
  readonly bound: 'about' | 'least';
  readonly basis: string;
}

/** What the estimates stand on. */
export interface EstimateBasis {
  readonly table: SourceTable;
  readonly verify: VerifyMode;
  readonly rate: number | null;
  readonly replicas: number;
  /** The newest build that was timed. */
  readonly last: { readonly build: string; readonly startedAt: string; readonly pace: BuildPace } | null;
  /** Size of the live index's primary shards and of how many rows it was made. */
  readonly live: { readonly index: string; readonly bytes: number; readonly rows: number } | null;
  readonly probe: Probe | null;
}

/** As in the disk check of the preflight. */
const INDEX_PER_SOURCE_BYTE = 1.5;

/** The newest of the alias's generations whose build was timed. */
export function lastTimed(generations: readonly Generation[]): EstimateBasis['last'] {
  for (const { state } of generations) {
    if (state.pace !== undefined && state.pace.rows > 0) return { build: state.build, startedAt: state.startedAt, pace: state.pace };
  }
  return null;
}

/** Estimates of the load, of the verification and of the disk, each with its basis. */
export function estimatesOf(basis: EstimateBasis): readonly Estimate[] {
  const rows = expectedRows(basis);
  return [estimateLoad(basis, rows), estimateVerification(basis, rows), estimateDisk(basis, rows)];
}

/** A table that was never analysed has no estimate of its own: the density of what was read stands for all of it. */
function expectedRows({ table, probe }: EstimateBasis): number {
  if (table.estimatedRows >= 0 || probe === null) return Math.max(0, table.estimatedRows);
  const blocks = table.leaves.reduce((sum, leaf) => sum + leaf.blocks, 0);
  return Math.round((probe.rows / probe.blocks) * blocks);
}

function estimateLoad({ last, probe, rate }: EstimateBasis, rows: number): Estimate {
  const seconds = (perSecond: number): number => round(rows / Math.min(perSecond, rate ?? Number.POSITIVE_INFINITY));
  const limited = rate === null ? '' : `, --rate ${rate}`;
  if (last !== null) {
    const perSecond = (last.pace.rows * 1000) / last.pace.loadMs;
    const held = last.pace.rate === undefined ? '' : ` (which had --rate ${last.pace.rate})`;
    return {
      of: 'load',
      amount: seconds(perSecond),
      unit: 's',
      bound: 'about',
      basis: `${rows} rows${limited}, ${pace(perSecond)} in build ${named(last)}${held}`,
    };
  }
  if (probe === null) return { of: 'load', amount: 0, unit: 's', bound: 'least', basis: 'the table has no rows' };
  const perSecond = (probe.rows * 1000) / probe.milliseconds;
  return {
    ...{ of: 'load', unit: 's', bound: 'least' },
    amount: probe.rows === 0 ? null : seconds(perSecond),
    basis: `${rows} rows${limited}, ${pace(perSecond)} read and encoded in a probe of ${probe.rows}; how fast Elasticsearch takes them, no build has shown yet`,
  };
}

function estimateVerification({ last, verify, probe }: EstimateBasis, rows: number): Estimate {
  if (last === null || last.pace.verify !== verify) return verificationByProbe(verify, probe, rows);
  // A comparison of everything takes its time by the row; the others hardly do.
  const perRow = verify === 'full' ? rows / last.pace.rows : 1;
  return {
    ...{ of: 'verification', unit: 's', bound: 'about' },
    amount: round((last.pace.verifyMs / 1000) * perRow),
    basis: `--verify ${verify} took ${round(last.pace.verifyMs / 1000)} s for ${last.pace.rows} rows in build ${named(last)}`,
  };
}

/** A comparison of everything reads and encodes the table once more; the others depend on what only the build will show. */
function verificationByProbe(verify: VerifyMode, probe: Probe | null, rows: number): Estimate {
  const untimed = `no build with --verify ${verify} was timed yet`;
  if (verify !== 'full' || probe === null || probe.rows === 0) {
    return { of: 'verification', amount: null, unit: 's', bound: 'about', basis: untimed };
  }
  const perSecond = (probe.rows * 1000) / probe.milliseconds;
  return {
    ...{ of: 'verification', unit: 's', bound: 'least' },
    amount: round(rows / perSecond),
    basis: `${rows} rows, ${pace(perSecond)} read and encoded in a probe of ${probe.rows}; ${untimed}`,
  };
}

function estimateDisk({ live, table, replicas }: EstimateBasis, rows: number): Estimate {
  const copies = replicas === 0 ? '' : `, with ${replicas} replica${replicas === 1 ? '' : 's'}`;
  if (live !== null && live.rows > 0) {
    const amount = Math.round((live.bytes / live.rows) * rows * (1 + replicas));
    return { of: 'disk', amount, unit: 'bytes', bound: 'about', basis: `${live.index} has ${live.bytes} bytes for ${live.rows} rows${copies}` };
  }
  const amount = Math.round(table.bytes * INDEX_PER_SOURCE_BYTE * (1 + replicas));
  return {
    of: 'disk',
    amount,
    unit: 'bytes',
    bound: 'about',
    basis: `${INDEX_PER_SOURCE_BYTE} times the table${copies}: a guess until there is an index`,
  };
}

function named({ build, startedAt }: { readonly build: string; readonly startedAt: string }): string {
  return `${build} of ${startedAt.slice(0, 10)}`;
}

function pace(perSecond: number): string {
  return `${Math.round(perSecond)} rows/s`;
}

function round(seconds: number): number {
  return seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds);
}
