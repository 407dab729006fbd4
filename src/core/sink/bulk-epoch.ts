import type { BulkSign } from './bulk-window.ts';

/** One answer of the sink. */
export interface AnsweredBulk {
  readonly sentAt: number;
  readonly at: number;
  readonly bytes: number;
  /** Null: it says nothing about how much the sink takes. */
  readonly sign: BulkSign | null;
}

/** What was seen while one setting was in force. Times in milliseconds. */
export interface SeenEpoch {
  readonly bytesPerMs: number;
  /** Mean time of an answer, and mean size of a body. */
  readonly latencyMs: number;
  readonly bodyBytes: number;
  /** Share of the time in which fewer bulks were under way than there was room for: then the reading, not the sink, decided the rate. */
  readonly starved: number;
  /** There was less room than the setting allows, because bulks were refused. */
  readonly restricted: boolean;
}

const LEAST_MS = 600;
const LEAST_ANSWERS = 8;
/** At rest a longer look costs nothing, and is less often wrong. */
const LONG_MS = 3000;
/** A slow sink is judged by fewer answers, or it would take minutes. */
const PATIENT_MS = 4000;

/**
 * Measures from the first answer to a bulk that was sent under the setting; that one only starts the time. It ends at an answer, so answers that come in groups are
 * counted right.
 */
export class BulkEpoch {
  readonly #jobs: number;
  readonly #leastMs: number;
  #openedAt: number | null = null;
  #passedAt = 0;
  #starvedMs = 0;
  #restricted = false;
  #answers = 0;
  #bytes = 0;
  #latencyMs = 0;

  constructor(jobs: number, long: boolean) {
    this.#jobs = jobs;
    this.#leastMs = long ? LONG_MS : LEAST_MS;
  }

  /** Time passes up to `at`, with so many bulks under way and room for so many. */
  pass(at: number, inFlight: number, room: number): void {
    if (this.#openedAt !== null) {
      if (room < this.#jobs) this.#restricted = true;
      if (inFlight < Math.min(room, this.#jobs)) this.#starvedMs += at - this.#passedAt;
    }
    this.#passedAt = at;
  }

  /** One more answer; what was seen, once that is enough. */
  add(answer: Omit<AnsweredBulk, 'sign'>): SeenEpoch | null {
    if (this.#openedAt === null) {
      this.#openedAt = answer.at;
      return null;
    }
    this.#answers++;
    this.#bytes += answer.bytes;
    this.#latencyMs += answer.at - answer.sentAt;
    const tookMs = answer.at - this.#openedAt;
    if (!this.#isEnough(tookMs)) return null;
    return {
      bytesPerMs: this.#bytes / tookMs,
      latencyMs: this.#latencyMs / this.#answers,
      bodyBytes: this.#bytes / this.#answers,
      starved: this.#starvedMs / tookMs,
      restricted: this.#restricted,
    };
  }

  #isEnough(tookMs: number): boolean {
    if (tookMs >= PATIENT_MS) return this.#answers >= Math.max(4, this.#jobs);
    return tookMs >= this.#leastMs && this.#answers >= Math.max(LEAST_ANSWERS, 3 * this.#jobs);
  }
}
