import { BulkBody } from '../../core/sink/bulk-body.ts';
import type { VersionType, WriteOperation } from '../../core/sink/operation.ts';
import type { SentDelete } from '../../core/wal/delete-memory.ts';
import type { Ticket } from '../../core/wal/watermark.ts';
import type { Run } from '../build/run-state.ts';
import { sendBulk } from '../bulk/send-bulk.ts';

interface LaneOperation extends WriteOperation {
  /** The commits that wait for this operation; more than one where a later operation replaced an unsent one of the same key. */
  readonly tickets: Ticket[];
  /** False for the delete that stands for a rejected row: it must stay on the list of rejects. */
  readonly mends: boolean;
}

interface Lane {
  readonly pending: Map<string, LaneOperation>;
  body: BulkBody;
  busy: boolean;
}

/**
 * Rule R5: operations go by hash of the id into lanes, and a lane has one bulk in flight and finishes its retries before it sends the next one, so the
 * operations of one key reach Elasticsearch in commit order. Versions alone do not protect a delete that overtakes an older insert once its tombstone is gone.
 */
export class Lanes {
  readonly #run: Run;
  readonly #lanes: Lane[];
  readonly #settled: () => void;
  readonly #remember: (sent: SentDelete) => void;
  #versionType: VersionType = 'external';
  #pendingBytes = 0;
  #failure: { readonly error: unknown } | null = null;
  #waiters: (() => void)[] = [];

  /** `settled` is called whenever operations became durable, `remember` before a delete of our own making is sent (rule R3). */
  constructor(run: Run, count: number, settled: () => void, remember: (sent: SentDelete) => void) {
    this.#run = run;
    this.#settled = settled;
    this.#remember = remember;
    this.#lanes = Array.from({ length: count }, () => ({ pending: new Map(), body: new BulkBody('external', 1 << 16), busy: false }));
  }

  /** Bytes of operations that are not durable yet. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** Call only after `drained`: a lane never mixes the two (rule R2). */
  set versionType(type: VersionType) {
    this.#versionType = type;
  }

  add(operation: WriteOperation, ticket: Ticket, mends = true): void {
    const key = operation.id.toString('latin1');
    const lane = this.#lanes[(this.#run.laneOf ?? laneOf)(operation.id, this.#lanes.length)] as Lane;
    const replaced = lane.pending.get(key);
    if (replaced !== undefined) this.#pendingBytes -= sizeOf(replaced);
    lane.pending.set(key, { ...operation, tickets: replaced === undefined ? [ticket] : [...replaced.tickets, ticket], mends });
    ticket.outstanding++;
    this.#pendingBytes += sizeOf(operation);
    if (!lane.busy) this.#start(lane);
  }

  /** Resolves when at most `bytes` are pending; throws what stopped a lane. */
  async whenBelow(bytes: number): Promise<void> {
    while (this.#pendingBytes > bytes) {
      this.throwIfFailed();
      await new Promise<void>((resolve) => this.#waiters.push(resolve));
    }
    this.throwIfFailed();
  }

  async drained(): Promise<void> {
    await this.whenBelow(0);
  }

  throwIfFailed(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }

  #start(lane: Lane): void {
    lane.busy = true;
    // The next macrotask: operations added together travel together.
    setImmediate(() => {
      this.#pump(lane).catch((error: unknown) => {
        this.#failure ??= { error };
        this.#wake();
      });
    });
  }

  async #pump(lane: Lane): Promise<void> {
    while (lane.pending.size > 0 && this.#failure === null) {
      const sent = this.#fill(lane);
      const refused = await sendBulk(this.#run, lane.body, this.#run.bulkWindow.bystander);
      if (refused.length > 0) await this.#replaceByDeletes(refused, sent);
      this.#finish(sent, refused.length > 0 ? new Set(refused.map((one) => one.id)) : null);
    }
    lane.busy = false;
  }

  #fill(lane: Lane): LaneOperation[] {
    const sent: LaneOperation[] = [];
    if (lane.body.versionType === this.#versionType) lane.body.clear();
    else lane.body = new BulkBody(this.#versionType, 1 << 16);
    for (const [key, operation] of lane.pending) {
      if (sent.length > 0 && lane.body.byteLength >= this.#run.bulkTuning.laneBytes) break;
      lane.pending.delete(key);
      lane.body.append(operation);
      sent.push(operation);
    }
    return sent;
  }

  /** A row that cannot be indexed must not leave its older document behind: rejected means absent. */
  async #replaceByDeletes(refused: readonly { readonly id: string; readonly reason: string }[], sent: readonly LaneOperation[]): Promise<void> {
    const ids = new Set(refused.map(({ id }) => id));
    const deletes = new BulkBody(this.#versionType, 1 << 12);
    const rejected = sent.filter(({ id, document }) => document !== null && ids.has(id.toString('utf8')));
    await this.#run.rejected.add(refused);
    for (const operation of rejected) {
      const { id, routing, version } = operation;
      this.#remember({ id, routing, version, xid: xidOf(operation) });
      deletes.append({ id, routing, version, document: null });
    }
    if (deletes.count > 0) await sendBulk(this.#run, deletes, this.#run.bulkWindow.bystander);
  }

  #finish(sent: readonly LaneOperation[], refused: ReadonlySet<string> | null): void {
    const { rejected } = this.#run;
    for (const operation of sent) {
      for (const ticket of operation.tickets) ticket.outstanding--;
      this.#pendingBytes -= sizeOf(operation);
      if (rejected.ids.size === 0 || !operation.mends) continue;
      const id = operation.id.toString('utf8');
      if (refused === null || !refused.has(id)) rejected.mend(id);
    }
    this.#settled();
    this.#wake();
  }

  #wake(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const resolve of waiters) resolve();
  }
}

/** Of the transaction it came with: the last one, where it replaced unsent ones of others. */
function xidOf({ tickets }: LaneOperation): number {
  const xid = tickets.at(-1)?.xid ?? null;
  if (xid === null) throw new RangeError('BUG: an operation without a transaction');
  return xid;
}

function sizeOf(operation: WriteOperation): number {
  return 400 + operation.id.length * 2 + (operation.document?.length ?? 0);
}

/** FNV-1a over the id; any fixed function of the id does. */
function laneOf(id: Buffer, count: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ (id[i] as number), 0x01000193);
  return (hash >>> 0) % count;
}
