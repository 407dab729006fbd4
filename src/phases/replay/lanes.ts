import type { DocumentEncoder } from '../../core/encode/document.ts';
import type { Rejection } from '../../core/encode/document-plan.ts';
import { idBytes, idInUtf8 } from '../../core/encode/id-text.ts';
import { isTransient } from '../../core/failure.ts';
import { BulkBody } from '../../core/sink/bulk-body.ts';
import type { VersionType } from '../../core/sink/operation.ts';
import type { SentDelete } from '../../core/wal/delete-memory.ts';
import type { Ticket } from '../../core/wal/watermark.ts';
import { lastingFailure } from '../build/persist.ts';
import type { Run } from '../build/run-state.ts';
import { sendBulk } from '../bulk/send-bulk.ts';
import type { RejectRecord } from '../ports.ts';
import { LaneBatch, type LaneChange, type LaneOperation, settle } from './lanes/lane-batch.ts';
import { SendDelay } from './lanes/send-delay.ts';

/** Of all bodies that wait to be filled again. */
const SPARE_BYTES = 4 << 20;
/** A batch of so much, in memory, is sent at once: the fixed cost of a bulk is a small part of it. */
const ENOUGH_BYTES = 64 << 10;

interface Lane {
  /** Not sent yet, oldest first; the last one takes what is added. */
  readonly waiting: LaneBatch[];
  busy: boolean;
}

interface LaneParts {
  readonly run: Run;
  readonly encoder: DocumentEncoder;
  readonly count: number;
  /** Whether a chunk of the load is in flight. */
  readonly isLoading: () => boolean;
  /** Called whenever operations became durable. */
  readonly settled: () => void;
  /** Called before a delete of our own making is sent (rule R3). */
  readonly remember: (sent: SentDelete) => void;
}

/**
 * Rule R5: operations go by hash of the id into lanes, and a lane has one bulk in flight and finishes its retries before it sends the next one, so the
 * operations of one key reach Elasticsearch in commit order. Versions alone do not protect a delete that overtakes an older insert once its tombstone is gone.
 */
export class Lanes {
  readonly #parts: LaneParts;
  readonly #run: Run;
  readonly #lanes: Lane[];
  readonly #delay: SendDelay;
  /** Sent, to be filled again. */
  readonly #spare: BulkBody[] = [];
  #versionType: VersionType = 'external';
  #pendingBytes = 0;
  /** Whether somebody waits until less is pending. */
  #isAwaited = false;
  #failure: { readonly error: unknown } | null = null;
  #waiters: (() => void)[] = [];

  constructor(parts: LaneParts) {
    this.#parts = parts;
    this.#run = parts.run;
    this.#lanes = Array.from({ length: parts.count }, () => ({ waiting: [], busy: false }));
    const { clock, signal } = parts.run;
    this.#delay = new SendDelay({ clock, signal, isWanted: () => parts.isLoading() && !this.#isAwaited });
  }

  /** Bytes of operations that are not durable yet. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** Call only after `drained`: a lane never mixes the two (rule R2). */
  set versionType(type: VersionType) {
    this.#versionType = type;
  }

  /** A rejected row is not added: whatever there is of its key goes its way, until a delete stands for it. */
  add(change: LaneChange, ticket: Ticket): Rejection | undefined {
    const lane = this.#lanes[(this.#run.laneOf ?? laneOf)(change.id, this.#lanes.length)] as Lane;
    const batch = this.#openBatch(lane);
    const before = batch.byteLength;
    const rejection = batch.add(change, ticket, this.#parts.encoder);
    if (rejection !== undefined) return rejection;
    ticket.outstanding++;
    this.#pendingBytes += batch.byteLength - before;
    if (!lane.busy) this.#start(lane);
    // Only the one that makes it enough: behind a bulk under way many more may come.
    if (before < this.#enoughBytes && this.#isEnough(lane)) this.#delay.startNow();
    return undefined;
  }

  /** Resolves when at most `bytes` are pending; throws what stopped a lane. For one at a time: behind the first, the other's lanes may be delayed. */
  async whenBelow(bytes: number): Promise<void> {
    this.#isAwaited = true;
    this.#delay.startNow();
    try {
      while (this.#pendingBytes > bytes) {
        this.throwIfFailed();
        await new Promise<void>((resolve) => this.#waiters.push(resolve));
      }
    } finally {
      this.#isAwaited = false;
    }
    this.throwIfFailed();
  }

  async drained(): Promise<void> {
    await this.whenBelow(0);
  }

  /** Throws what stopped a lane, which stops all of them: nothing is sent any more. */
  throwIfFailed(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }

  #openBatch(lane: Lane): LaneBatch {
    const last = lane.waiting.at(-1);
    // An empty one may be there from before the version type changed.
    if (last !== undefined && last.body.byteLength < this.#run.bulkTuning.laneBytes && last.body.versionType === this.#versionType) return last;
    const spare = this.#spare.pop();
    const batch = new LaneBatch(spare?.versionType === this.#versionType ? spare : new BulkBody(this.#versionType, 1 << 16));
    lane.waiting.push(batch);
    return batch;
  }

  #start(lane: Lane): void {
    lane.busy = true;
    this.#delay.startSoon(() => {
      this.#pump(lane).catch((error: unknown) => {
        // It has waited for all that passes.
        this.#failure ??= { error: isTransient(error) ? lastingFailure(error) : error };
        this.#wake();
      });
    });
  }

  /** Sends what waits; a small rest waits again. */
  async #pump(lane: Lane): Promise<void> {
    for (let batch = lane.waiting.shift(); batch !== undefined && this.#failure === null; batch = lane.waiting.shift()) {
      await this.#send(batch);
      if (lane.waiting.length > 0 && !this.#isEnough(lane)) return this.#start(lane);
    }
    lane.busy = false;
  }

  get #enoughBytes(): number {
    return Math.min(ENOUGH_BYTES, this.#run.bulkTuning.laneBytes);
  }

  /** Whether what waits is sent at once. */
  #isEnough({ waiting }: Lane): boolean {
    const [first] = waiting;
    return waiting.length > 1 || (first !== undefined && first.byteLength >= this.#enoughBytes);
  }

  async #send(batch: LaneBatch): Promise<void> {
    const sent = batch.lastOfEach();
    const body = batch.lastBody();
    // Before its delete is sent: beyond the limit the older document stays. And behind all that was sent of its key before, which cannot mend it any more.
    const rejected = sent.filter(({ rejection }) => rejection !== null);
    if (rejected.length > 0) await this.#run.rejected.add(rejected.map(recordOf));
    const refused = body.count === 0 ? [] : await sendBulk(this.#run, body, this.#run.bulkWindow.bystander);
    if (refused.length > 0) await this.#replaceByDeletes(refused, sent);
    this.#finish(batch, sent, refused.length > 0 ? new Set(refused.map((one) => one.id)) : null);
  }

  /** A row that cannot be indexed must not leave its older document behind: rejected means absent. */
  async #replaceByDeletes(refused: readonly { readonly id: string; readonly reason: string }[], sent: readonly LaneOperation[]): Promise<void> {
    const ids = new Set(refused.map(({ id }) => id));
    const deletes = new BulkBody(this.#versionType, 1 << 12);
    const rejected = sent.filter((operation) => !operation.deletes && ids.has(idInUtf8(operation.id)));
    await this.#run.rejected.add(refused);
    for (const { id: latin1, routing, version, ticket } of rejected) {
      const id = idBytes(latin1);
      this.#parts.remember({ id, routing, version, xid: xidOf(ticket) });
      deletes.append({ id, routing, version, document: null });
    }
    if (deletes.count > 0) await sendBulk(this.#run, deletes, this.#run.bulkWindow.bystander);
  }

  #finish(batch: LaneBatch, sent: readonly LaneOperation[], refused: ReadonlySet<string> | null): void {
    const { rejected } = this.#run;
    this.#pendingBytes -= batch.byteLength;
    for (const operation of sent) {
      settle(operation);
      if (rejected.ids.size === 0 || operation.rejection !== null) continue;
      const id = idInUtf8(operation.id);
      if (refused === null || !refused.has(id)) rejected.mend(id);
    }
    this.#keep(batch.body);
    this.#parts.settled();
    this.#wake();
  }

  #keep(body: BulkBody): void {
    body.clear();
    const held = this.#spare.reduce((sum, { heldBytes }) => sum + heldBytes, body.heldBytes);
    if (held <= SPARE_BYTES) this.#spare.push(body);
  }

  #wake(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const resolve of waiters) resolve();
  }
}

function xidOf({ xid }: Ticket): number {
  if (xid === null) throw new RangeError('BUG: an operation without a transaction');
  return xid;
}

/** As the list of rejects has it. */
function recordOf({ id, rejection }: LaneOperation): RejectRecord {
  if (rejection === null) throw new RangeError('BUG: a reject without a reason');
  return { id: idInUtf8(id), ...rejection };
}

/** FNV-1a over the id; any fixed function of the id does. */
function laneOf(id: string, count: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % count;
}
