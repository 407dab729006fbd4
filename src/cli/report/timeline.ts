import type { ProgressFigures } from '../../core/events.ts';
import type { TimelineSample } from './report-schema.ts';

/** Points of a plot; when there are twice as many, each two become one, so that a run of a week needs no more memory than one of a minute. */
const MAX_POINTS = 240;

interface Point {
  readonly atMs: number;
  readonly phase: string;
  readonly rows: number;
  readonly retries: number;
  readonly lagBytes: bigint;
  readonly slotWalBytes: bigint;
}

/** Keeps the progress of a run in bounded memory: totals as they stood, lag and slot WAL by their largest value between two points. */
export class Timeline {
  #points: Point[] = [];
  #every = 1;
  #sinceLast = 0;
  #pending: Point | null = null;
  #last: ProgressFigures | null = null;
  peakLagBytes = 0n;
  peakSlotWalBytes = 0n;

  add(atMs: number, phase: string, figures: ProgressFigures): void {
    const [lagBytes, slotWalBytes] = [BigInt(figures.lagBytes), BigInt(figures.slotWalBytes)];
    this.#last = figures;
    this.peakLagBytes = larger(this.peakLagBytes, lagBytes);
    this.peakSlotWalBytes = larger(this.peakSlotWalBytes, slotWalBytes);
    const point = { atMs: Math.round(atMs), phase, rows: figures.rows, retries: figures.retries, lagBytes, slotWalBytes };
    this.#pending = this.#pending === null ? point : merged(this.#pending, point);
    this.#sinceLast++;
    if (this.#sinceLast >= this.#every) this.#keep();
  }

  /** The figures as they were last reported. */
  get last(): ProgressFigures | null {
    return this.#last;
  }

  samples(): readonly TimelineSample[] {
    const points = this.#pending === null ? this.#points : [...this.#points, this.#pending];
    return points.map((point, at) => sampleOf(points[at - 1] ?? { atMs: 0, rows: 0, retries: 0 }, point));
  }

  #keep(): void {
    if (this.#pending !== null) this.#points.push(this.#pending);
    this.#pending = null;
    this.#sinceLast = 0;
    if (this.#points.length < MAX_POINTS * 2) return;
    const points = this.#points;
    this.#points = points.flatMap((point, at) => (at % 2 === 0 ? [] : [merged(points[at - 1] ?? point, point)]));
    this.#every *= 2;
  }
}

function merged(earlier: Point, later: Point): Point {
  return { ...later, lagBytes: larger(earlier.lagBytes, later.lagBytes), slotWalBytes: larger(earlier.slotWalBytes, later.slotWalBytes) };
}

function sampleOf(before: { readonly atMs: number; readonly rows: number; readonly retries: number }, point: Point): TimelineSample {
  const seconds = Math.max(0.001, (point.atMs - before.atMs) / 1000);
  return {
    atMs: point.atMs,
    phase: point.phase,
    // The count may start again in one run (a TRUNCATE begins the load anew).
    docsPerSecond: Math.max(0, Math.round((point.rows - before.rows) / seconds)),
    lagBytes: String(point.lagBytes),
    slotWalBytes: String(point.slotWalBytes),
    retries: Math.max(0, point.retries - before.retries),
  };
}

function larger(left: bigint, right: bigint): bigint {
  return left > right ? left : right;
}
