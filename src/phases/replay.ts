import { DocumentEncoder } from '../core/encode/document.ts';
import { isTransient } from '../core/failure.ts';
import { seededRandom } from '../core/random.ts';
import { Acknowledger } from '../core/wal/acknowledger.ts';
import { DeleteMemory } from '../core/wal/delete-memory.ts';
import type { PgSnapshot } from '../core/wal/snapshot.ts';
import { Watermark } from '../core/wal/watermark.ts';
import { lastingFailure } from './build/persist.ts';
import { type Run, throwIfAborted, unlessAborted } from './build/run-state.ts';
import type { ChangeStream } from './ports.ts';
import { StepApplier } from './replay/apply-steps.ts';
import { Breather } from './replay/breather.ts';
import { Lanes } from './replay/lanes.ts';
import { LoadGate } from './replay/load-gate.ts';
import { Pinger } from './replay/pinger.ts';
import type { ReplayControl } from './replay/replay-control.ts';
import { resendDeletes } from './replay/resend-deletes.ts';
import { StepReader } from './replay/step-reader.ts';
import { TouchedKeys } from './replay/touched-keys.ts';

const READ_TIMEOUT_MS = 200;
const ACKNOWLEDGE_EVERY_MS = 500;
const RECONNECT_MS = 500;
const LOST_IN_VAIN = 5;

/** Where the replay is told to stop: between transactions now (`fence: null`), or when everything before the fence is applied. */
interface Stop {
  readonly fence: bigint | null;
  readonly reached: () => void;
}

/** Connections lost since the last progress, the first of them at `atMs`. */
interface Losses {
  readonly count: number;
  readonly atMs: number;
  readonly durableLsn: bigint;
}

/**
 * Consumes the WAL from the slot's consistent point beside the load and behind it: steps in stream order, effects in lanes, then the watermark, then the
 * acknowledgement (rules R1, R2, R4, R5). Reconnects by itself; anything else that fails aborts the run.
 */
export class Replay implements ReplayControl {
  readonly gate = new LoadGate();
  readonly deletes = new DeleteMemory();
  readonly touched: TouchedKeys;
  readonly acknowledger: Acknowledger;
  readonly #run: Run;
  readonly #watermark: Watermark;
  readonly #lanes: Lanes;
  readonly #applier: StepApplier;
  readonly #breather: Breather;
  readonly #pinger: Pinger;
  #stream: ChangeStream | null = null;
  #reader: StepReader | null = null;
  #stop: Stop | null = null;
  #snapshotName: string | null = null;
  #release: (() => void) | null = null;
  #waiters: { readonly lsn: bigint; readonly resolve: () => void }[] = [];
  #closing = false;
  #finished: Promise<void> = Promise.resolve();
  #acknowledgedAt = 0;

  constructor(run: Run, startLsn: bigint) {
    this.#run = run;
    this.touched = new TouchedKeys(seededRandom(run.options.seed));
    this.#breather = new Breather(run.clock);
    this.#pinger = new Pinger(run.clock);
    this.#watermark = new Watermark(startLsn);
    this.acknowledger = new Acknowledger(startLsn);
    const encoder = new DocumentEncoder(run.documents);
    this.#lanes = new Lanes({
      run,
      encoder,
      count: run.bulkTuning.lanes,
      isLoading: () => this.gate.inFlight > 0,
      settled: () => this.#advance(),
      remember: (sent) => this.#applier.remember(sent),
    });
    const { gate, deletes, touched } = this;
    this.#applier = new StepApplier({ run, encoder, lanes: this.#lanes, watermark: this.#watermark, gate, deletes, touched });
  }

  /** Everything committed before this position is in the sink, durably. */
  get durableLsn(): bigint {
    return this.#watermark.durableLsn;
  }

  start(): void {
    this.#finished = this.#loop().catch((error: unknown) => this.#run.abort(error));
  }

  /** Ends the stream after the transaction at hand; what is durable has been acknowledged. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#release?.();
    await this.#finished;
    await this.#stream?.close();
    this.#stream = null;
  }

  loadFinished(): void {
    this.#applier.loadFinished();
    this.deletes.clear();
  }

  /** Rule R3: sends the deletes again that `snapshot` did not see; call it when all bulks of the chunk are acknowledged. */
  async resendDeletes(snapshot: PgSnapshot): Promise<void> {
    await resendDeletes(this.#run, this.deletes, snapshot);
  }

  async hold(): Promise<void> {
    await this.#stopAt(null);
  }

  async runTo(fenceLsn: bigint, lookupSnapshot: string): Promise<void> {
    this.#snapshotName = lookupSnapshot;
    const reached = this.#stopAt(fenceLsn);
    this.#release?.();
    await reached;
    this.#snapshotName = null;
  }

  release(): void {
    this.#release?.();
  }

  async waitUntilApplied(lsn: bigint): Promise<void> {
    if (this.#watermark.durableLsn >= lsn) return;
    await unlessAborted(this.#run.signal, new Promise<void>((resolve) => this.#waiters.push({ lsn, resolve })));
  }

  changedKeys(): readonly (readonly string[])[] {
    return this.touched.sample.changed;
  }

  deletedKeys(): readonly (readonly string[])[] {
    return this.touched.sample.deleted;
  }

  get #mayEnd(): boolean {
    return this.#closing && !this.#applier.halfApplied;
  }

  async #loop(): Promise<void> {
    let lost = { count: 0, atMs: 0, durableLsn: -1n };
    while (!this.#mayEnd) {
      try {
        await this.#connect();
        await this.#follow();
      } catch (error) {
        if (!isTransient(error)) throw error;
        // Another stream would be of no use to a lane that has waited in vain already; and what it waited for is the reason, not the stream.
        this.#lanes.throwIfFailed();
        lost = this.#lostAgain(lost);
        if (lost.count >= LOST_IN_VAIN && this.#run.clock.now() - lost.atMs > this.#run.options.stallTimeoutMs) throw lastingFailure(error);
        this.#run.counters.retries++;
        this.#run.reporter.report({ type: 'retry', operation: 'stream', errorType: error.kind, attempt: 1, delayMs: RECONNECT_MS });
        await this.#run.clock.sleep(RECONNECT_MS, this.#run.signal);
      }
    }
  }

  /** A transaction that never gets through before the connection breaks is no progress, however often its beginning is applied. */
  #lostAgain(before: Losses): Losses {
    const { durableLsn } = this;
    return durableLsn > before.durableLsn ? { count: 1, atMs: this.#run.clock.now(), durableLsn } : { ...before, count: before.count + 1 };
  }

  /** What was read but is not confirmed comes again, so everything in between starts from nothing. */
  async #connect(): Promise<void> {
    await this.#stream?.close();
    this.#stream = null;
    await this.#lanes.drained();
    this.acknowledger.restart();
    this.#watermark.restart(this.acknowledger.ackedLsn);
    this.#applier.restart();
    const { slot, publication } = this.#run.names;
    this.#stream = await this.#run.source.openStream({ slot, publication, from: this.acknowledger.ackedLsn });
    this.#reader = new StepReader(this.#run, this.#stream);
  }

  async #follow(): Promise<void> {
    const reader = this.#reader as StepReader;
    while (!this.#mayEnd) {
      throwIfAborted(this.#run.signal);
      // Else a lane that gave up would be noticed only by the next one who waits for it, perhaps never.
      this.#lanes.throwIfFailed();
      if (this.#stop?.fence === null && reader.betweenTransactions) await this.#pause();
      const fence = this.#stop?.fence ?? null;
      const isAwaited = this.#waiters.length > 0 || fence !== null;
      if (isAwaited) this.#pinger.ping(this.#stream);
      const { steps, fenced } = await reader.next(isAwaited ? this.#pinger.everyMs : READ_TIMEOUT_MS, fence, this.#stop?.fence === null);
      await this.#applier.apply(steps, this.#snapshotName);
      if (this.#breather.due) await this.#breather.breathe();
      this.#advance();
      await this.#acknowledge(false);
      if (fenced) await this.#pause();
    }
    await this.#lanes.drained();
    await this.#acknowledge(true);
  }

  /** Holds until released; everything applied so far is durable when the one who asked is told. */
  async #pause(): Promise<void> {
    await this.#lanes.drained();
    this.#advance();
    const stop = this.#stop;
    this.#stop = null;
    const released = new Promise<void>((resolve) => {
      this.#release = resolve;
    });
    stop?.reached();
    if (!this.#closing) await unlessAborted(this.#run.signal, released);
    this.#release = null;
  }

  async #stopAt(fence: bigint | null): Promise<void> {
    await unlessAborted(
      this.#run.signal,
      new Promise<void>((resolve) => {
        this.#stop = { fence, reached: resolve };
      }),
    );
  }

  #advance(): void {
    this.acknowledger.offer(this.#watermark.advance());
    const durable = this.#watermark.durableLsn;
    if (this.#waiters.length === 0) return;
    const reached = this.#waiters.filter((waiter) => waiter.lsn <= durable);
    this.#waiters = this.#waiters.filter((waiter) => waiter.lsn > durable);
    for (const waiter of reached) waiter.resolve();
  }

  async #acknowledge(now: boolean): Promise<void> {
    const time = this.#run.clock.now();
    if (!now && time - this.#acknowledgedAt < ACKNOWLEDGE_EVERY_MS) return;
    this.#acknowledgedAt = time;
    // The snapshot is taken after the commits became durable, so it may release them all.
    if (this.acknowledger.waiting > 0) this.acknowledger.observe(await this.#run.source.currentSnapshot());
    await this.#run.rejected.save();
    await this.#run.failpoint?.('replay.durable');
    this.#stream?.acknowledge(this.acknowledger.ackedLsn);
    await this.#run.failpoint?.('replay.acknowledged');
  }
}
