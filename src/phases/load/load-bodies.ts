import type { DocumentEncoder } from '../../core/encode/document.ts';
import type { Rejection } from '../../core/encode/document-plan.ts';
import { idInUtf8, standInId } from '../../core/encode/id-text.ts';
import { rateDelayMs } from '../../core/plan/rate.ts';
import type { Row } from '../../core/row.ts';
import { BulkBody } from '../../core/sink/bulk-body.ts';
import { ALL_BODIES_BYTES } from '../../core/sink/bulk-setting.ts';
import type { Run } from '../build/run-state.ts';
import { sendBulk } from '../bulk/send-bulk.ts';
import type { RejectRecord } from '../ports.ts';

/** Room behind the wanted size for the piece of COPY that fills a body: one read of the socket, of short rows with long keys mostly. */
const LAST_PIECE_BYTES = 1 << 19;
/** An order counts within a second, also while the rate lets nothing pass. */
const LONGEST_SLEEP_MS = 500;
const LARGEST_BYTES = 64 << 20;
const MOST_PENDING_REJECTS = 10_000;

/**
 * The load's bulk bodies: one for each connection and one for each reader; how many and how large that is may change while it runs. Taking one waits until it is free, which is
 * the back-pressure on COPY; it is also where `--rate` slows the load down.
 */
export class LoadBodies {
  readonly #run: Run;
  readonly #free: BulkBody[] = [];
  #made = 0;
  #waiting: ((body: BulkBody) => void)[] = [];
  #rejects: RejectRecord[] = [];
  #startedAt: number;
  #taken = 0;
  #rate: number | null;

  constructor(run: Run) {
    this.#run = run;
    this.#startedAt = run.clock.now();
    this.#rate = run.steering.limits.rate;
  }

  async take(): Promise<BulkBody> {
    await this.#flushRejects();
    await this.#keepToRate();
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#made < this.#most) return this.#make();
    return await new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** True if the body should be sent: its size reached, or with `--rate` a quarter of a second's rows. */
  isFull(body: BulkBody): boolean {
    const { rate } = this.#run.steering.limits;
    // Rows that are all rejected fill no body.
    if (this.#rejects.length >= MOST_PENDING_REJECTS) return true;
    return body.byteLength >= this.#run.bulkTuning.bytes || (rate !== null && body.count * 4 >= rate);
  }

  giveBack(body: BulkBody): void {
    body.clear();
    // One too many, or too large to keep: its memory is what the other bodies grow into.
    if (this.#made > this.#most || !this.#mayKeep(body.heldBytes)) this.#made--;
    else this.#offer(body);
    while (this.#waiting.length > 0 && this.#made < this.#most) this.#offer(this.#make());
  }

  /** Sends the body and gives it back; a rejected operation goes on the list of rejects. */
  async send(body: BulkBody): Promise<void> {
    this.#taken += body.count;
    try {
      const refused = body.count === 0 ? [] : await sendBulk(this.#run, body, this.#run.bulkWindow);
      await this.#flushRejects(refused);
    } finally {
      this.giveBack(body);
    }
  }

  /** Notes a row that cannot become a document; it is written down before the next body is taken. */
  reject(encoder: DocumentEncoder, row: Row, rejection: Rejection): void {
    const id = encoder.idText(row);
    this.#rejects.push({ id: idInUtf8(typeof id === 'string' ? id : standInId(row, this.#run.documents.key)), ...rejection });
  }

  /** Together with those that a body brought back: the first one too many must not hide the others. */
  async #flushRejects(refused: readonly RejectRecord[] = []): Promise<void> {
    const rejects = [...this.#rejects, ...refused];
    this.#rejects = [];
    await this.#run.rejected.add(rejects);
  }

  get #most(): number {
    return this.#run.bulkTuning.jobs + this.#run.steering.limits.copyJobs;
  }

  /**
   * Up to half as large again as is wanted now, or what all of them may be together. A size that was tried and taken back may be tried again: a new body for each change of mind is
   * garbage, and what V8 does about it costs more than the room.
   */
  #mayKeep(heldBytes: number): boolean {
    return heldBytes <= 1.5 * this.#capacityBytes || heldBytes * this.#most <= ALL_BODIES_BYTES;
  }

  get #capacityBytes(): number {
    return Math.min(this.#run.bulkTuning.bytes + LAST_PIECE_BYTES, LARGEST_BYTES);
  }

  #make(): BulkBody {
    this.#made++;
    return new BulkBody('external', this.#capacityBytes);
  }

  #offer(body: BulkBody): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(body);
    else next(body);
  }

  /** A new rate counts from when it was ordered. */
  #restartRate(rate: number | null): void {
    if (rate === this.#rate) return;
    this.#rate = rate;
    this.#taken = 0;
    this.#startedAt = this.#run.clock.now();
  }

  async #keepToRate(): Promise<void> {
    const { counters, clock, signal } = this.#run;
    let held = '';
    for (let delayMs = this.#rateDelayMs(); delayMs >= 1; delayMs = this.#rateDelayMs()) {
      held = `--rate ${this.#rate}`;
      counters.throttle = held;
      await clock.sleep(Math.min(delayMs, LONGEST_SLEEP_MS), signal);
    }
    if (held !== '') counters.throttle = '';
  }

  #rateDelayMs(): number {
    const { rate } = this.#run.steering.limits;
    this.#restartRate(rate);
    // Somebody waits for an exclusive lock: this chunk holds his lock queue up, so it ends as fast as it can.
    if (rate === null || this.#run.throttle.has('lock')) return 0;
    return rateDelayMs(this.#taken, this.#run.clock.now() - this.#startedAt, rate);
  }
}
