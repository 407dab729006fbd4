import type { AnsweredBulk, SeenEpoch } from './bulk-epoch.ts';
import { type BulkMove, type BulkSetting, SMALLEST_BYTES } from './bulk-setting.ts';

/** Below this a difference is noise. */
const GAIN = 1.05;
/** A gain that needs no second look. */
const SURE_GAIN = 1.25;
/** Answers that come sooner are mostly the cost of asking: larger bodies then only must not be slower. */
const SOON_MS = 200;
const NOT_SLOWER = 0.97;
/** Bodies do not grow beyond what is answered within this. */
export const LATE_MS = 2000;
/** Beyond this they shrink: well above, or a server that pauses now and then would make them small for good. */
const TOO_LATE_MS = 2 * LATE_MS;

/** Whether a tried move pays. A small gain may be the sink's own getting faster (a JIT, an idle merge): then the old setting is looked at once more. */
export function judgeTrial(move: BulkMove, base: SeenEpoch, tried: SeenEpoch): 'pays' | 'as-good' | 'perhaps' | 'not' {
  const gain = tried.bytesPerMs / base.bytesPerMs;
  if (gain >= SURE_GAIN) return 'pays';
  if (move === 'larger' && base.latencyMs < SOON_MS) return gain >= NOT_SLOWER ? 'as-good' : 'not';
  return gain >= GAIN ? 'perhaps' : 'not';
}

/** An answer that came too late, to a body that may be smaller. */
export function isTooLate({ sentAt, at, bytes }: AnsweredBulk, wanted: number): boolean {
  return at - sentAt > TOO_LATE_MS && wanted > SMALLEST_BYTES && bytes >= wanted / 2;
}

/** At the second look. */
export function isConfirmed(tried: SeenEpoch, base: SeenEpoch): boolean {
  return tried.bytesPerMs >= base.bytesPerMs * GAIN;
}

/** The last body of a chunk is a part of one: of four bodies three and a little. */
const FULL_SHARE = 0.7;

/** Bodies that a chunk or a rate ends before they are full would not become larger. */
function isFull({ bytes }: BulkSetting, { bodyBytes }: SeenEpoch): boolean {
  return bodyBytes >= bytes * FULL_SHARE;
}

/** Whether a larger size is worth a try: its answers must not come too late. */
export function mayGrow(from: BulkSetting, to: BulkSetting, seen: SeenEpoch): boolean {
  return isFull(from, seen) && (seen.latencyMs * to.bytes) / from.bytes <= LATE_MS;
}

/** Whether asking takes most of the time, so that larger bodies save work though the sink is not what is waited for. */
export function isHasty(setting: BulkSetting, seen: SeenEpoch): boolean {
  return isFull(setting, seen) && seen.latencyMs < SOON_MS / 2;
}
