import { seededRandom } from '../../../src/core/random.ts';
import type { BulkSetting } from '../../../src/core/sink/bulk-setting.ts';
import { BulkTuner } from '../../../src/core/sink/bulk-tuner.ts';
import type { TunedBulks } from '../../../src/core/sink/bulk-tuner-mode.ts';

/** A server without a server. Rates in bytes per millisecond. */
export interface SimulatedSink {
  /** What all bulks together get when so many are worked on. */
  readonly rate: (working: number, atMs: number) => number;
  /** What each answer takes besides. */
  readonly floorMs?: number;
  /** More at a time are refused. */
  readonly most?: number;
  /** In these moments nothing is read. */
  readonly paused?: (atMs: number) => boolean;
  /** What the source gives at most. */
  readonly sourceRate?: number;
}

interface Flying {
  readonly sentAt: number;
  readonly bytes: number;
  left: number;
  floorMs: number;
}

export interface Simulation {
  /** Bytes per millisecond of the second half. */
  readonly rate: number;
  readonly told: readonly (TunedBulks & { readonly atMs: number })[];
  /** What it has settled on, whatever it tries at the end. */
  readonly setting: BulkSetting;
  readonly mostBytes: number;
}

const BACKOFF_MS = 100;
const NOISE = 0.1;

/** Runs the tuner against the sink, a millisecond at a time; with a `fixed` setting nothing is tuned, which is what it is compared with. */
export function simulate(sink: SimulatedSink, seconds: number, fixed: BulkSetting | null = null): Simulation {
  const tuner = new BulkTuner(() => ({ jobs: fixed?.jobs ?? null, bytes: fixed?.bytes ?? null, readers: 2 }));
  const random = seededRandom('sink');
  const told: (TunedBulks & { atMs: number })[] = [];
  let flying: Flying[] = [];
  let ready = 0;
  let waitUntil = 0;
  let room = Number.POSITIVE_INFINITY;
  let late = 0;
  let lateFrom = 0;
  let lateTo = 1;
  let mostBytes = 0;
  for (let at = 0; at < seconds * 1000; at++) {
    if (sink.paused?.(at - 1) === true && !sink.paused(at)) tuner.interrupted(at);
    const { jobs, bytes } = tuner.setting;
    mostBytes = Math.max(mostBytes, (jobs + 2) * bytes);
    ready = Math.min(ready + (sink.sourceRate ?? Number.POSITIVE_INFINITY), 2 * bytes);
    while (at >= waitUntil && sink.paused?.(at) !== true && flying.length < Math.floor(Math.min(jobs, room)) && ready >= bytes) {
      ready -= bytes;
      tuner.sent(at, Math.floor(Math.min(jobs, room)));
      const sent = { sentAt: at, bytes, left: bytes * (1 - NOISE + 2 * NOISE * random()), floorMs: sink.floorMs ?? 0 };
      if (flying.length < (sink.most ?? Number.POSITIVE_INFINITY)) flying.push(sent);
      else {
        // As the window of the load does it: half as many, and one after the other back up.
        tuner.answered({ sentAt: at, at, bytes, sign: 'overloaded' });
        room = Math.max(1, flying.length / 2);
        waitUntil = at + BACKOFF_MS;
      }
      if (sink.sourceRate === undefined) ready = Number.POSITIVE_INFINITY;
    }
    const share = sink.rate(flying.length, at) / Math.max(1, flying.length);
    let answers = false;
    for (const one of flying) {
      if (one.floorMs > 0) one.floorMs--;
      else one.left -= share;
      if (one.left <= 0) answers = true;
    }
    if (!answers) continue;
    const done = flying.filter(({ left }) => left <= 0);
    flying = flying.filter(({ left }) => left > 0);
    for (const { sentAt, bytes: size } of done) {
      // From an answer to an answer, or what is under way at the ends would count by chance.
      if (lateFrom === 0 && at >= seconds * 500) lateFrom = at;
      if (lateFrom > 0 && at > lateFrom) late += size;
      lateTo = at;
      room = room + 1 / room;
      if (room > jobs) room = Number.POSITIVE_INFINITY;
      const tuned = tuner.answered({ sentAt, at, bytes: size, sign: 'accepted' });
      if (tuned !== null) told.push({ ...tuned, atMs: at });
    }
  }
  return { rate: late / (lateTo - lateFrom), told, setting: fixed ?? told.at(-1) ?? tuner.setting, mostBytes };
}

/** The best that any setting within the bounds gets of this sink. */
export function bestOf(sink: SimulatedSink, seconds: number): { readonly rate: number; readonly setting: BulkSetting } {
  let best = { rate: 0, setting: { jobs: 0, bytes: 0 } };
  for (const jobs of [1, 2, 4, 5, 8, 12]) {
    for (const bytes of [1 << 20, 3 << 20].filter((size) => (jobs + 2) * size <= 28 << 20)) {
      const { rate } = simulate(sink, seconds, { jobs, bytes });
      if (rate > best.rate) best = { rate, setting: { jobs, bytes } };
    }
  }
  return best;
}
