import type { RunOptions } from './plan/index-config.ts';

/** What an operator may change while a build runs, by the names of the flags. */
export interface LimitChanges {
  /** Documents per second of the load; 0 takes the limit away. */
  readonly rate?: number;
  readonly copyJobs?: number;
  readonly bulkJobs?: number;
  /** Bytes. */
  readonly maxSlotWal?: number;
}

/**
 * What a build has been told from outside. It is kept as the comment of the build's publication: whoever may run a build can write it from any host, a crash
 * does not lose it, and it goes with the publication.
 */
export interface Control {
  /** The Elasticsearch cluster of the build: another cluster's builds on the same server are none of ours. */
  readonly cluster: string | null;
  readonly alias: string | null;
  readonly paused: boolean;
  /** Null: as the command line and the config say. */
  readonly hold: boolean | null;
  readonly swapNow: boolean;
  /** One-shot: a run takes it back when it starts. */
  readonly stop: boolean;
  /** RFC 3339: the follower goes on feeding its generation until then though the alias has left it. */
  readonly keepFreshUntil: string | null;
  readonly limits: LimitChanges;
}

export const NO_CONTROL: Control = {
  cluster: null,
  alias: null,
  paused: false,
  hold: null,
  swapNow: false,
  stop: false,
  keepFreshUntil: null,
  limits: {},
};

/** What `ctl` can say to a build. */
export type ControlOrder =
  | { readonly kind: 'pause' | 'resume' | 'hold' | 'swap-now' | 'stop' }
  | { readonly kind: 'set'; readonly limits: LimitChanges };

/** The control in a comment; a comment that is none of ours is no control. */
export function parseControl(comment: string | null): Control {
  if (comment === null || !comment.startsWith('{')) return NO_CONTROL;
  try {
    const { realign } = JSON.parse(comment) as { readonly realign?: Partial<Control> };
    return realign === undefined ? NO_CONTROL : { ...NO_CONTROL, ...realign };
  } catch {
    return NO_CONTROL;
  }
}

export function formatControl(control: Control): string {
  return JSON.stringify({ realign: control });
}

/** The control after one more order. */
export function obey(control: Control, order: ControlOrder): Control {
  switch (order.kind) {
    case 'pause':
      return { ...control, paused: true };
    case 'resume':
      return { ...control, paused: false };
    case 'hold':
      return { ...control, hold: true, swapNow: false };
    case 'swap-now':
      return { ...control, hold: false, swapNow: true };
    case 'stop':
      return { ...control, stop: true };
    case 'set':
      return { ...control, limits: { ...control.limits, ...order.limits } };
  }
}

/** What an order says to a load and to nothing else, in words; null for one that means something to every run. */
export function loadOnly(order: ControlOrder): string | null {
  if (order.kind === 'pause') return 'pause';
  if (order.kind !== 'set') return null;
  const { rate, copyJobs, bulkJobs } = order.limits;
  const names = [rate === undefined ? '' : 'rate', copyJobs === undefined ? '' : 'copy-jobs', bulkJobs === undefined ? '' : 'bulk-jobs'];
  const given = names.filter((name) => name !== '');
  return given.length === 0 ? null : `set ${given.join(', ')}`;
}

/** The orders in force, in words; empty without any. */
export function describeControl({ paused, hold, swapNow, keepFreshUntil, limits }: Control): string {
  const changed = Object.entries(limits).map(([name, value]) => `${name}=${value}`);
  const words = [paused ? 'paused' : '', hold === true ? 'held' : '', swapNow ? 'swap-now' : '', ...changed];
  if (keepFreshUntil !== null) words.push(`kept fresh until ${keepFreshUntil}`);
  return words.filter((word) => word !== '').join(', ');
}

/** The limits a run keeps just now; an order may change them at any time. */
export interface RunLimits {
  readonly rate: number | null;
  readonly copyJobs: number;
  /** Null: found while it runs. */
  readonly bulkJobs: number | null;
  readonly maxSlotWalBytes: bigint;
}

/** The run's own limits with the orders over them. */
export function limitsUnder(
  own: Pick<RunOptions, 'rate' | 'copyJobs' | 'bulkJobs'> & { readonly maxSlotWalBytes: bigint },
  control: Control,
): RunLimits {
  const { rate, copyJobs, bulkJobs, maxSlotWal } = control.limits;
  return {
    rate: rate === undefined ? own.rate : rate === 0 ? null : rate,
    copyJobs: copyJobs ?? own.copyJobs,
    bulkJobs: bulkJobs ?? own.bulkJobs,
    maxSlotWalBytes: maxSlotWal === undefined ? own.maxSlotWalBytes : BigInt(maxSlotWal),
  };
}
