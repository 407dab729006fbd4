import type { DocumentEncoder } from '../encode/document.ts';
import type { DocumentPlan, Rejection } from '../encode/document-plan.ts';
import { standInId } from '../encode/id-text.ts';
import { emptyRow, fillAbsent, type Row, releaseBytes } from '../row.ts';
import { type HeldRow, holdRow, holdTuple, readHeld, type TupleTargets } from './held-row.ts';
import { readTuple, type WalBytes } from './pgoutput.ts';

/** The most that Node receives of a socket at once: a row keeps all of the piece it came in. */
const PIECE_BYTES = 1 << 16;

/** The net effect of a transaction (or of a part of one) on one key. `row: null` deletes; a row with absent fields must be looked up. */
export interface KeyChange {
  /** The bytes of the document's id as latin1 text; of a row whose key makes none, what stands for it. */
  readonly id: string;
  /** `row`, or of a row that is gone the old one: its key is here. */
  readonly keyRow: HeldRow;
  readonly row: HeldRow | null;
  readonly rejection: Rejection | null;
  /** The row lacks a value, or a filter must judge it, which only the server can. */
  readonly needsLookup: boolean;
  /** The row is gone and could never have a document, because its key makes no id: only its entry among the rejects goes. */
  readonly unindexed?: true;
}

/** A row and what it is held as. */
interface ReadRow {
  readonly row: Row;
  readonly held: HeldRow;
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
  /** Room to read three rows at a time: the change's, its old one, and that of the key's earlier state. */
  readonly #row: Row;
  readonly #old: Row;
  readonly #earlier: Row;
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
    this.#row = emptyRow(plan.columns.length);
    this.#old = emptyRow(plan.columns.length);
    this.#earlier = emptyRow(plan.columns.length);
  }

  get open(): boolean {
    return this.#open;
  }

  get finalLsn(): bigint {
    return this.#finalLsn;
  }

  /**
   * Bytes held: messages, and an estimate for the objects of each change. By the messages alone, never by how they were cut on their way: a transaction that comes again must go in
   * parts where it did before, or what an earlier part wrote with its version would refuse the rest (rule R2).
   */
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

  /** `after` is where its tuple begins in the message's piece. Throws `RangeError` where a tuple ends behind its message. */
  insert(message: WalBytes, after: number, { whole }: TupleTargets): void {
    this.#count(message);
    this.#put(this.#read(message, after, whole, this.#row), null);
  }

  /** `at` says where the two tuples begin; `before` is −1 if there is no old one. */
  update(
    message: WalBytes,
    at: { readonly before: number; readonly identity: 'key' | 'full' | 'none'; readonly after: number },
    { whole, key }: TupleTargets,
  ): void {
    this.#count(message);
    const old = at.before < 0 ? null : this.#read(message, at.before, at.identity === 'full' ? whole : key, this.#old);
    this.#put(this.#read(message, at.after, whole, this.#row), old);
  }

  delete(message: WalBytes, before: number, full: boolean, { whole, key }: TupleTargets): void {
    this.#count(message);
    this.#remove(this.#read(message, before, full ? whole : key, this.#old));
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
  passOver({ start, end }: WalBytes): void {
    if (this.#changes.size === 0) return;
    const counted = Math.min(end - start, PIECE_BYTES - this.#passedBytes);
    this.#passedBytes += counted;
    this.#byteLength += counted;
  }

  #count({ start, end }: WalBytes): void {
    this.#rowChanges++;
    this.#passedBytes = 0;
    this.#byteLength += end - start;
  }

  #reset(): void {
    this.#changes = new Map();
    this.#truncate = false;
    this.#rowChanges = 0;
    this.#byteLength = 0;
    for (const row of [this.#row, this.#old, this.#earlier]) releaseBytes(row);
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

  #read({ piece, end }: WalBytes, offset: number, target: Int32Array, row: Row): ReadRow {
    const behind = readTuple(piece, offset, target, row);
    // The next message would be read as if it were this row's.
    if (behind > end) throw new RangeError(`a tuple ends ${behind - end} bytes behind its message`);
    return { row, held: holdTuple(piece, offset, target) };
  }

  #put(fresh: ReadRow, old: ReadRow | null): void {
    const row = old === null ? fresh.row : fillAbsent(fresh.row, old.row);
    const id = this.#encoder.idText(row);
    const oldId = old === null ? id : this.#encoder.idText(old.row);
    const earlier = typeof oldId === 'string' ? this.#changes.get(oldId) : undefined;
    const whole = earlier?.row ? fillAbsent(row, readHeld(earlier.row, this.#earlier)) : row;
    if (old !== null && (typeof oldId !== 'string' || oldId !== id)) this.#remove(old);
    const held = whole === fresh.row ? fresh.held : holdRow(whole);
    // A row that can have no id must be asked for as well if there is a filter: outside of it, it is no reject.
    if (typeof id !== 'string') {
      this.#set({ id: standInId(row, this.#plan.key), keyRow: held, row: null, rejection: id, needsLookup: this.#encoder.isFiltered });
    } else this.#set({ id, keyRow: held, row: held, rejection: null, needsLookup: !this.#encoder.isComplete(whole) });
  }

  #remove({ row, held }: ReadRow): void {
    const id = this.#encoder.idText(row);
    const gone = { keyRow: held, row: null, rejection: null, needsLookup: false };
    this.#set(typeof id === 'string' ? { id, ...gone } : { id: standInId(row, this.#plan.key), ...gone, unindexed: true });
  }

  #set(change: KeyChange): void {
    this.#changes.set(change.id, change);
    this.#byteLength += memoryOf(change);
  }
}

/** What a change takes in memory besides its message, by what V8 makes of it (Node 20): its objects, its id, an entry of a map, a piece of its own; the bytes and arrays of a row put together. */
function memoryOf({ id, keyRow: { row } }: KeyChange): number {
  const whole = row === null ? 0 : 700 + row.bytes.length + 16 * row.starts.length;
  return 650 + id.length + whole;
}
