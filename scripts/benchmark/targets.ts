import type { Summary } from './figures.ts';
import type { Growth } from './growth.ts';
import type { Of } from './report.ts';
import type { SourceCost } from './source-cost.ts';

/** One promise and what became of it; `measured` is null for what was not run, or not in one run. */
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
  readonly summaries: readonly Of<Summary>[];
  readonly sourceCost: Of<SourceCost> | null;
  readonly growth: readonly Of<Growth>[];
}

type Promised = Omit<Target, 'measured' | 'reached'>;

/** The lines of cases that targets and their reasons look up. */
export const LINES = {
  limit: '(a) sink limit, recorded bodies',
  throttledLimit: '(a) sink limit, throttled to half',
  load: '(b) realign, load',
  throttled: '(b) realign, sink throttled to half',
  script: '(c) cursor, objects, helpers.bulk',
  nullSink: '(e) realign, null sink, 1 reader',
  nullSinkPair: '(e) two realign processes, null sink, 1 reader each',
  verify: '(h) realign, verify full',
  replay: '(g) apply, transactions of 10',
  drain: '(f) COPY drained by nobody',
  pgsyncLoad: '(p) pgsync, load',
  pgsyncChanges: '(p) pgsync, changes',
  searchReplicaLoad: '(p) search-replica, load',
  searchReplicaChanges: '(p) search-replica, changes',
} as const;

/** Every target as a ratio within one run, so that a slower machine reaches the same. */
export function judgeTargets(measured: Measured): readonly Target[] {
  return [...loadTargets(measured), ...replayTargets(measured), ...peerTargets(measured), ...growthTargets(measured)].map(([promised, value]) => {
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
  const found = finder(summaries);
  const [limit, load, nullSink] = [LINES.limit, LINES.load, LINES.nullSink].map(found);
  return [
    [atLeast(0.85, 'end to end / sink limit'), ratio(load, limit)],
    [atLeast(0.97, 'end to end / sink limit, both throttled to half'), ratio(found(LINES.throttled), found(LINES.throttledLimit))],
    [atLeast(1.3, 'end to end / cursor, objects, helpers.bulk'), ratio(load, found(LINES.script))],
    [atMost(8, 'Node CPU per document, end to end', 'us'), load?.nodeUs ?? null],
    [atLeast(90_000, 'null sink, one thread', 'rows/s'), nullSink?.rowsPerSecond ?? null],
    [atLeast(1.6, 'null sink, two processes / one (upper bound of two threads)'), ratio(found(LINES.nullSinkPair), nullSink)],
    [atLeast(2, 'verification full / load'), ratio(found(LINES.verify), load)],
  ];
}

/** The title that the lines of (g) have in common. */
const TRANSACTIONS = /^\(g\) apply, (transactions of \d+)$/;

function replayTargets({ summaries, sourceCost }: Measured): Judged {
  const found = finder(summaries);
  const run = summaries.flatMap(({ name }) => TRANSACTIONS.exec(name)?.[1] ?? []).sort((a, b) => a.length - b.length);
  const titles = run.length === 0 ? ['transactions of 10'] : run;
  return [
    ...titles.map((title) => {
      const limit = found(`(g) sink limit, recorded bodies, ${title}`);
      return [atLeast(0.85, `replay / sink limit for its operations, ${title}`), ratio(found(`(g) apply, ${title}`), limit)] as const;
    }),
    ...titles.map((title) => {
      return [atLeast(0.8, `decoding / raw drain, ${title}`), ratio(found(`(g) decoding, ${title}`), found(`(g) raw drain, ${title}`))] as const;
    }),
    [atLeast(0.85, "writer's TPS during the load / beside an idle slot"), sourceCost === null ? null : sourceCost.duringLoad / sourceCost.idleSlot],
  ];
}

/** Only of a run with `--peers`. */
function peerTargets({ summaries }: Measured): Judged {
  const found = finder(summaries);
  const [load, changes] = [found(LINES.pgsyncLoad), found(LINES.pgsyncChanges)];
  if (load === undefined && changes === undefined) return [];
  return [
    [atLeast(4, "end to end / pgsync's load"), ratio(found(LINES.load), load)],
    [atLeast(20, "replay / pgsync's changes"), ratio(found(LINES.replay), changes)],
  ];
}

function growthTargets({ growth, summaries }: Measured): Judged {
  const [smallest, largest] = [growth[0], growth.at(-1)];
  const times = growth.map(({ loadUsPerRow }) => loadUsPerRow);
  const most = (figure: (grown: Growth) => number): number | null => (growth.length === 0 ? null : Math.max(...growth.map(figure)));
  const applies = summaries.filter(({ name }) => TRANSACTIONS.test(name)).map(({ peakRssMb }) => peakRssMb);
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

/** Looks up the figures of a case by the name of its line. */
export function finder(summaries: readonly Of<Summary>[]): (name: string) => Of<Summary> | undefined {
  return (name) => summaries.find((summary) => summary.name === name);
}

/** Null unless both were measured, and in one run: another run met another machine. */
function ratio(a: Of<Summary> | undefined, b: Of<Summary> | undefined): number | null {
  return a === undefined || b === undefined || a.run !== b.run ? null : a.rowsPerSecond / b.rowsPerSecond;
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
