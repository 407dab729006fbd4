import type { DocumentEncoder } from '../../core/encode/document.ts';
import type { Rejection } from '../../core/encode/document-plan.ts';
import { idBytes, idInUtf8 } from '../../core/encode/id-text.ts';
import { Failure } from '../../core/failure.ts';
import { emptyRow, keyTexts, type Row, releaseBytes } from '../../core/row.ts';
import type { DeleteMemory, SentDelete } from '../../core/wal/delete-memory.ts';
import { readHeld } from '../../core/wal/held-row.ts';
import type { CollapsedTransaction, KeyChange } from '../../core/wal/transaction.ts';
import type { Ticket, Watermark } from '../../core/wal/watermark.ts';
import type { Run } from '../build/run-state.ts';
import { Breather } from './breather.ts';
import type { LaneChange } from './lanes/lane-batch.ts';
import type { Lanes } from './lanes.ts';
import type { LoadGate } from './load-gate.ts';
import { LookupSize, lookupGroups, type Segment } from './lookup-groups.ts';
import { type LookedUpRows, resolveLookups } from './resolve-lookups.ts';
import type { Step } from './step-reader.ts';
import type { TouchedKeys } from './touched-keys.ts';
import { truncateIndex, truncateVersion } from './truncate.ts';

/** Of all lanes: each has a bulk under way and another one waiting. */
const PENDING_BYTES = 4 << 20;
const RETRY_MS = 20;

/** Applies steps to the sink: one versioned operation per transaction and key, in lanes. */
export class StepApplier {
  readonly #run: Run;
  readonly #touched: TouchedKeys;
  readonly #lanes: Lanes;
  readonly #watermark: Watermark;
  readonly #gate: LoadGate;
  /** Null once the load is done: then no row that was read earlier can be written any more. */
  #deletes: DeleteMemory | null;
  readonly #encoder: DocumentEncoder;
  readonly #breather: Breather;
  readonly #lookupSize = new LookupSize();
  /** Room to read a row and the one that has its key. */
  readonly #row: Row;
  readonly #keyRow: Row;
  readonly #keyOf: (change: KeyChange) => readonly string[];
  #parts: Ticket | null = null;
  /** `final_lsn` of the newest transaction of which only a part may be in the index. */
  #half: bigint | null = null;
  /** Of the transaction at hand. */
  #ticket: Ticket | null = null;

  constructor(parts: {
    readonly run: Run;
    readonly encoder: DocumentEncoder;
    readonly lanes: Lanes;
    readonly watermark: Watermark;
    readonly gate: LoadGate;
    readonly deletes: DeleteMemory;
    readonly touched: TouchedKeys;
  }) {
    this.#run = parts.run;
    this.#touched = parts.touched;
    this.#lanes = parts.lanes;
    this.#watermark = parts.watermark;
    this.#gate = parts.gate;
    this.#deletes = parts.deletes;
    this.#encoder = parts.encoder;
    this.#breather = new Breather(parts.run.clock);
    const { length } = parts.run.documents.columns;
    this.#row = emptyRow(length);
    this.#keyRow = emptyRow(length);
    this.#keyOf = ({ keyRow }) => keyTexts(readHeld(keyRow, this.#keyRow), parts.run.documents.key);
  }

  /**
   * True while only a part of a transaction is in the index, also when the stream broke off then: it comes again whole. The replay must not be ended before, or readers
   * are left with states that no commit ever made.
   */
  get halfApplied(): boolean {
    return this.#half !== null;
  }

  loadFinished(): void {
    this.#deletes = null;
  }

  /** The stream starts again: a transaction applied in parts comes again whole. */
  restart(): void {
    this.#parts = null;
    this.#ticket = null;
    this.#lanes.versionType = 'external';
  }

  async apply(steps: readonly Step[], snapshotName: string | null): Promise<void> {
    if (steps.length === 0) return;
    for (const group of lookupGroups(steps, this.#lookupSize)) {
      const rows = await resolveLookups(this.#run, this.#encoder, group, { snapshotName, size: this.#lookupSize });
      for (const segment of group) {
        if (segment.step.kind === 'position') this.#watermark.reached(segment.step.lsn);
        else await this.#applySegment(segment.step.transaction, segment, rows);
      }
    }
    for (const row of [this.#row, this.#keyRow]) releaseBytes(row);
  }

  async #applySegment(transaction: CollapsedTransaction, { from, to }: Segment, rows: LookedUpRows): Promise<void> {
    if (from === 0) await this.#begin(transaction);
    const ticket = this.#ticket;
    if (ticket === null) throw new RangeError('BUG: a segment before the beginning of its transaction');
    for (let at = from; at < to; at++) {
      // Nearly never is there anything to wait for, and a wait of nothing costs more than the change.
      const rejecting = this.#applyChange(transaction.changes[at] as KeyChange, transaction, ticket, rows);
      if (rejecting !== null) await rejecting;
      if (this.#isOutOfBounds) await this.#keepBounds();
    }
    if (to === transaction.changes.length) await this.#finish(transaction, ticket);
  }

  async #begin(transaction: CollapsedTransaction): Promise<void> {
    this.#ticket = this.#parts ?? this.#watermark.open(transaction.xid);
    if (this.#half === null || transaction.finalLsn > this.#half) this.#half = transaction.finalLsn;
    if (isPart(transaction)) {
      // Rule R2: parts share a version, so they go strictly one after another.
      await this.#lanes.drained();
      this.#lanes.versionType = 'external_gte';
      this.#parts = this.#ticket;
    }
    if (transaction.truncate) await this.#truncate(truncateVersion(transaction.finalLsn, isPart(transaction)));
  }

  async #finish(transaction: CollapsedTransaction, ticket: Ticket): Promise<void> {
    this.#run.counters.changes += transaction.rowChanges;
    if (isPart(transaction)) await this.#lanes.drained();
    if (transaction.endLsn === null) return;
    if (this.#half !== null && transaction.finalLsn >= this.#half) this.#half = null;
    ticket.endLsn = transaction.endLsn;
    this.restart();
  }

  /** Memory, and the event loop: neither may depend on the size of a transaction. */
  get #isOutOfBounds(): boolean {
    return this.#lanes.pendingBytes > PENDING_BYTES || this.#tooManyDeletes !== null || this.#breather.due;
  }

  /** Those remembered, when they take more than they may; else null. */
  get #tooManyDeletes(): DeleteMemory | null {
    const deletes = this.#deletes;
    return deletes !== null && deletes.byteLength > this.#run.options.transactionBytes ? deletes : null;
  }

  async #keepBounds(): Promise<void> {
    if (this.#lanes.pendingBytes > PENDING_BYTES) await this.#lanes.whenBelow((PENDING_BYTES * 3) / 4);
    const deletes = this.#tooManyDeletes;
    if (deletes !== null) await this.#forgetDeletes(deletes);
    if (this.#breather.due) await this.#breather.breathe();
  }

  /** Puts what the change comes to into the lanes. Null if that is all; else what to wait for, until the reject is written down. */
  #applyChange(change: KeyChange, transaction: CollapsedTransaction, ticket: Ticket, rows: LookedUpRows): Promise<void> | null {
    // The row as looked up, null if it is gone; undefined where the change itself has all of it.
    const looked = change.needsLookup ? (rows.get(change.id) ?? null) : undefined;
    if (change.unindexed === true || (looked === null && change.rejection !== null)) {
      this.#run.rejected.mend(idInUtf8(change.id));
      return null;
    }
    if (change.rejection !== null) return this.#reject(change, change.rejection);
    const row = looked === undefined ? this.#rowOf(change) : looked;
    if (row === null) {
      this.#touched.deleted(this.#keyOf, change);
      this.#delete(change, transaction, ticket, null);
      return null;
    }
    this.#touched.changed(this.#keyOf, change);
    const rejection = this.#lanes.add(this.#laneChange(change, transaction, row, null), ticket);
    // Rejected means absent: the older document must not stay.
    if (rejection !== undefined) this.#delete(change, transaction, ticket, rejection);
    return null;
  }

  #rowOf({ row }: KeyChange): Row | null {
    return row === null ? null : readHeld(row, this.#row);
  }

  async #reject(change: KeyChange, rejection: Rejection): Promise<void> {
    await this.#run.rejected.add([{ id: idInUtf8(change.id), ...rejection }]);
  }

  /** Rule R3, as long as rows are loaded. */
  remember(sent: SentDelete): void {
    this.#deletes?.remember(sent);
  }

  /** With a rejection it stands for a row that can be no document. */
  #delete(change: KeyChange, transaction: CollapsedTransaction, ticket: Ticket, rejection: Rejection | null): void {
    const operation = this.#laneChange(change, transaction, null, rejection);
    const { routing, version } = operation;
    this.remember({ id: idBytes(change.id), routing, version, xid: transaction.xid });
    this.#lanes.add(operation, ticket);
  }

  #laneChange(change: KeyChange, { finalLsn: version }: CollapsedTransaction, row: Row | null, rejection: Rejection | null): LaneChange {
    return { id: change.id, routing: this.#routingOf(change), version, row, rejection };
  }

  /** From the key alone: a delete goes to the shard of the document that it deletes. A copy: the row's bytes are not kept for it. */
  #routingOf({ keyRow }: KeyChange): Buffer | undefined {
    if (this.#encoder.routingColumn < 0) return undefined;
    const routing = this.#encoder.routing(readHeld(keyRow, this.#keyRow));
    return routing === undefined ? undefined : Buffer.from(routing);
  }

  /**
   * What rule R3 must remember is bounded too: when no chunk is in flight, the only ones that could bring a row back are later ones, and those see whatever a
   * snapshot taken now sees.
   */
  async #forgetDeletes(deletes: DeleteMemory): Promise<void> {
    const { clock, counters, options, signal, source } = this.#run;
    const startedAt = clock.now();
    await this.#gate.quiesce();
    try {
      for (;;) {
        deletes.forgetSeenBy([await source.currentSnapshot()]);
        if (deletes.byteLength <= options.transactionBytes / 2) return;
        if (clock.now() - startedAt > options.stallTimeoutMs) throw notVisible();
        counters.throttle = 'postgres: a streamed commit is not visible yet (synchronous standby)';
        await clock.sleep(RETRY_MS, signal);
      }
    } finally {
      this.#gate.open();
    }
  }

  async #truncate(version: bigint): Promise<void> {
    await this.#lanes.drained();
    await this.#gate.quiesce();
    try {
      await truncateIndex(this.#run, version);
      for (const id of this.#run.rejected.ids) this.#run.rejected.mend(id);
      this.#run.counters.truncates++;
    } finally {
      this.#gate.open();
    }
  }
}

function isPart(transaction: CollapsedTransaction): boolean {
  return transaction.endLsn === null || !transaction.firstPart;
}

function notVisible(): Failure {
  return new Failure('stalled', 'streamed deletes are still not visible to new snapshots', {
    hint: 'A synchronous standby does not answer (synchronous_standby_names). The same command again resumes the build.',
  });
}
