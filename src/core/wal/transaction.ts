import type { DocumentEncoder } from '../encode/document.ts';
import type { DocumentPlan, Rejection } from '../encode/document-plan.ts';
import { standInId } from '../encode/id-text.ts';
import { FIELD_ABSENT, fillAbsent, type Row, unreadRow } from '../row.ts';
import { readTuple } from './pgoutput.ts';

/** The most that Node receives of a socket at once; a row is a view of it. */
const PIECE_BYTES = 1 << 16;

/** The net effect of a transaction (or of a part of one) on one key. `row: null` deletes; a row with absent fields must be looked up. */
export interface KeyChange {
  /** The bytes of the document's id as latin1 text; of a row whose key makes none, what stands for it. */
  readonly id: string;
  /** `row`, or of a row that is gone the old one: its key is here. */
  readonly keyRow: Row;
  readonly row: Row | null;
  readonly rejection: Rejection | null;
  /** The row lacks a value, or a filter must judge it, which only the server can. */
  readonly needsLookup: boolean;
  /** The row is gone and could never have a document, because its key makes no id: only its entry among the rejects goes. */
  readonly unindexed?: true;
}

/** Transactions larger than memory come in several parts; only the last one carries `endLsn`. */
export interface CollapsedTransaction {
  readonly finalLsn: bigint;
  readonly xid: number;
  readonly endLsn: bigint | null;
  readonly firstPart: boolean;
  /** Every document of the index goes before `changes` are applied. */
  readonly truncate: boolean;
  readonly changes: readonly KeyChange[];
  readonly rowChanges: number;
}

/**
 * Collects one transaction and keeps one operation per key, the last one (rule R2): two operations of one key must never share a version.
 * Unchanged TOAST values are filled from the old tuple or from the key's earlier state in the same transaction (docs/servers.md P12).
 */
export class TransactionBuffer {
  readonly #encoder: DocumentEncoder;
  readonly #plan: DocumentPlan;
  #changes = new Map<string, KeyChange>();
  #finalLsn = 0n;
  #xid = 0;
  #open = false;
  #firstPart = true;
  #truncate = false;
  #rowChanges = 0;
  #byteLength = 0;
  /** Since the last row. */
  #passedBytes = 0;

  constructor(encoder: DocumentEncoder, plan: DocumentPlan) {
    this.#encoder = encoder;
    this.#plan = plan;
  }

  get open(): boolean {
    return this.#open;
  }

  get finalLsn(): bigint {
    return this.#finalLsn;
  }

  /** Bytes held: messages, and an estimate for the objects of each change. */
  get byteLength(): number {
    return this.#byteLength;
  }

  begin(finalLsn: bigint, xid: number): void {
    this.#finalLsn = finalLsn;
    this.#xid = xid;
    this.#open = true;
    this.#firstPart = true;
    this.#reset();
  }

  insert(bytes: Buffer, after: number, target: Int32Array): void {
    this.#put(this.#tuple(bytes, after, target), null);
  }

  /** `at` says where in `bytes` the two tuples are; `before` is −1 if there is no old one. */
  update(
    bytes: Buffer,
    at: { readonly before: number; readonly identity: 'key' | 'full' | 'none'; readonly after: number },
    target: Int32Array,
  ): void {
    const old = at.before < 0 ? null : this.#oldTuple(bytes, at.before, at.identity === 'full', target);
    const fresh = this.#tuple(bytes, at.after, target);
    this.#put(old === null ? fresh : fillAbsent(fresh, old), old);
  }

  delete(bytes: Buffer, before: number, full: boolean, target: Int32Array): void {
    this.#rowChanges++;
    this.#remove(this.#oldTuple(bytes, before, full, target));
  }

  truncate(): void {
    this.#changes = new Map();
    this.#truncate = true;
    this.#rowChanges++;
  }

  /** What was collected so far, as a part that `external_gte` must apply; the transaction stays open. */
  takePart(): CollapsedTransaction {
    const part = this.#collapsed(null);
    this.#firstPart = false;
    this.#reset();
    return part;
  }

  /** Closes the transaction; `endLsn` is the position behind its commit record. */
  commit(endLsn: bigint): CollapsedTransaction {
    const whole = this.#collapsed(endLsn);
    this.#open = false;
    this.#reset();
    return whole;
  }

  /** A message without rows came in between: it lies in the piece that the row before it keeps, of which no more than that piece counts. */
  passOver(byteLength: number): void {
    if (this.#changes.size === 0) return;
    const counted = Math.min(byteLength, PIECE_BYTES - this.#passedBytes);
    this.#passedBytes += counted;
    this.#byteLength += counted;
  }

  #reset(): void {
    this.#changes = new Map();
    this.#truncate = false;
    this.#rowChanges = 0;
    this.#byteLength = 0;
  }

  #collapsed(endLsn: bigint | null): CollapsedTransaction {
    return {
      finalLsn: this.#finalLsn,
      xid: this.#xid,
      endLsn,
      firstPart: this.#firstPart,
      truncate: this.#truncate,
      changes: [...this.#changes.values()],
      rowChanges: this.#rowChanges,
    };
  }

  #put(row: Row, old: Row | null): void {
    this.#rowChanges++;
    const id = this.#encoder.idText(row);
    const oldId = old === null ? id : this.#encoder.idText(old);
    const earlier = typeof oldId === 'string' ? this.#changes.get(oldId) : undefined;
    const whole = earlier?.row ? fillAbsent(row, earlier.row) : row;
    if (old !== null && (typeof oldId !== 'string' || oldId !== id)) this.#remove(old);
    // A row that can have no id must be asked for as well if there is a filter: outside of it, it is no reject.
    if (typeof id !== 'string')
      this.#set({ id: standInId(row, this.#plan.key), keyRow: row, row: null, rejection: id, needsLookup: this.#encoder.isFiltered });
    else this.#set({ id, keyRow: whole, row: whole, rejection: null, needsLookup: !this.#encoder.isComplete(whole) });
  }

  #remove(row: Row): void {
    const id = this.#encoder.idText(row);
    const gone = { keyRow: row, row: null, rejection: null, needsLookup: false };
    this.#set(typeof id === 'string' ? { id, ...gone } : { id: standInId(row, this.#plan.key), ...gone, unindexed: true });
  }

  #set(change: KeyChange): void {
    this.#changes.set(change.id, change);
    this.#passedBytes = 0;
    this.#byteLength += memoryOf(change);
  }

  #tuple(bytes: Buffer, offset: number, target: Int32Array): Row {
    const row = unreadRow(this.#plan.columns.length);
    readTuple(bytes, offset, target, row);
    return row;
  }

  /** In a key-only old tuple, `n` in the other columns does not mean NULL: they are absent (docs/servers.md P12). */
  #oldTuple(bytes: Buffer, offset: number, full: boolean, target: Int32Array): Row {
    const row = this.#tuple(bytes, offset, target);
    if (full) return row;
    for (let column = 0; column < row.starts.length; column++) {
      if (!this.#plan.key.includes(column)) row.starts[column] = FIELD_ABSENT;
    }
    return row;
  }
}

/** V8 keeps the elements of a larger typed array elsewhere, with something to manage them. */
const LARGE_ROW = 16;

/** What a change takes in memory, objects and all, by what V8 makes of them (Node 20): its message, the arrays of its row, the id, an entry of a map. */
function memoryOf({ id, keyRow: { bytes, starts } }: KeyChange): number {
  return 650 + id.length + bytes.length + 16 * starts.length + (starts.length > LARGE_ROW ? 350 : 0);
}
