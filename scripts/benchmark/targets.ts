import type { Summary } from './figures.ts';
import type { Growth } from './growth.ts';
import type { SourceCost } from './source-cost.ts';

/** One promise and what became of it; `measured` is null for a case that was not run. */
export interface Target {
  readonly name: string;
  readonly wanted: number;
  /** `min`: at least so much. */
  readonly bound: 'min' | 'max';
  readonly unit: string;
  readonly measured: number | null;
  readonly reached: boolean | null;
}

interface Measured {
  readonly summaries: readonly Summary[];
  readonly sourceCost: SourceCost | null;
  readonly growth: readonly Growth[];
}

type Promised = Omit<Target, 'measured' | 'reached'>;

/** Every target as a ratio within one run, so that a slower machine reaches the same. */
export function judgeTargets(measured: Measured): readonly Target[] {
  return [...loadTargets(measured), ...replayTargets(measured), ...growthTargets(measured)].map(([promised, value]) => {
    const reached = value === null ? null : promised.bound === 'min' ? value >= promised.wanted : value <= promised.wanted;
    return { ...promised, measured: value, reached };
  });
}

function atLeast(wanted: number, name: string, unit = 'x'): Promised {
  return { name, wanted, bound: 'min', unit };
}

function atMost(wanted: number, name: string, unit = 'x'): Promised {
  return { name, wanted, bound: 'max', unit };
}

type Judged = readonly (readonly [Promised, number | null])[];

function loadTargets({ summaries }: Measured): Judged {
  const rate = rateOf(summaries);
  const found = (name: string): Summary | undefined => summaries.find((summary) => summary.name === name);
  const throttled = found('(b) realign, sink throttled to half');
  const limit = found('(a) sink limit, recorded bodies');
  const half = throttled === undefined || limit === undefined ? null : throttled.mbPerSecond / (limit.mbPerSecond / 2);
  return [
    [atLeast(0.85, 'end to end / sink limit'), ratio(rate('(b) realign, load'), rate('(a) sink limit, recorded bodies'))],
    [atLeast(0.97, 'end to end / a sink throttled to half of its limit'), half],
    [atLeast(1.3, 'end to end / cursor, objects, helpers.bulk'), ratio(rate('(b) realign, load'), rate('(c) cursor, objects, helpers.bulk'))],
    [atMost(8, 'Node CPU per document, end to end', 'us'), found('(b) realign, load')?.nodeUs ?? null],
    [atLeast(90_000, 'null sink, one reader', 'rows/s'), rate('(e) realign, null sink, 1 reader')],
    [atLeast(1.6, 'null sink, two readers / one'), ratio(rate('(e) realign, null sink, 2 readers'), rate('(e) realign, null sink, 1 reader'))],
    [atLeast(2, 'verification full / load'), ratio(rate('(h) realign, verify full'), rate('(b) realign, load'))],
  ];
}

function replayTargets({ summaries, sourceCost }: Measured): Judged {
  const rate = rateOf(summaries);
  const applied = rate('(g) apply, transactions of 10');
  return [
    [atLeast(0.85, 'replay / sink limit for its operations'), ratio(applied, rate('(g) sink limit, recorded bodies, transactions of 10'))],
    [
      atLeast(0.8, 'decoding / raw drain, transactions of 10'),
      ratio(rate('(g) decoding, transactions of 10'), rate('(g) raw drain, transactions of 10')),
    ],
    [atLeast(0.85, "writer's TPS during the load / beside an idle slot"), sourceCost === null ? null : sourceCost.duringLoad / sourceCost.idleSlot],
  ];
}

function growthTargets({ growth, summaries }: Measured): Judged {
  const [smallest, largest] = [growth[0], growth.at(-1)];
  const times = growth.map(({ loadUsPerRow }) => loadUsPerRow);
  const most = (figure: (grown: Growth) => number): number | null => (growth.length === 0 ? null : Math.max(...growth.map(figure)));
  const applies = summaries.filter(({ name }) => name.startsWith('(g) apply, ')).map(({ peakRssMb }) => peakRssMb);
  return [
    [atMost(1.2, 'time per row, slowest size / fastest size'), growth.length < 2 ? null : Math.max(...times) / Math.min(...times)],
    [atMost(200, 'peak RSS of the load, any size', 'MB'), most(({ loadPeakRssMb }) => loadPeakRssMb)],
    [atMost(200, 'peak RSS of the verification, any size', 'MB'), most(({ verifyPeakRssMb }) => verifyPeakRssMb)],
    [atMost(200, 'peak RSS of the replay', 'MB'), applies.length === 0 ? null : Math.max(...applies)],
    [
      atMost(1.1, 'peak RSS of the verification, largest size / smallest'),
      smallest === undefined || largest === undefined || growth.length < 2 ? null : largest.verifyPeakRssMb / smallest.verifyPeakRssMb,
    ],
  ];
}

function rateOf(summaries: readonly Summary[]): (name: string) => number | null {
  return (name) => summaries.find((summary) => summary.name === name)?.rowsPerSecond ?? null;
}

function ratio(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a / b;
}

/** One table for people. */
export function printTargets(targets: readonly Target[]): string {
  const line = ({ name, wanted, bound, unit, measured, reached }: Target): string => {
    const verdict = reached === null ? 'not run' : reached ? 'reached' : 'MISSED';
    return `${verdict.padEnd(8)} ${name}: ${measured === null ? '-' : figure(measured)} ${unit} (${bound === 'min' ? 'at least' : 'at most'} ${figure(wanted)})`;
  };
  return targets.map(line).join('\n');
}

/** Two digits behind the point where they mean something. */
export function figure(value: number): string {
  return value >= 1000 ? Math.round(value).toLocaleString('en') : value >= 100 ? value.toFixed(0) : Number(value.toFixed(2)).toString();
}
