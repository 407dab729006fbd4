import type { DocumentEncoder } from '../../core/encode/document.ts';
import type { Rejection } from '../../core/encode/document-plan.ts';
import type { Row } from '../../core/row.ts';
import type { BulkBody } from '../../core/sink/bulk-body.ts';
import type { Ticket } from '../../core/wal/watermark.ts';

/** What an operation takes in memory besides its bytes. */
const OPERATION_BYTES = 250;

/** One operation of a batch: what its bytes do not say. */
export interface LaneOperation {
  /** The bytes of the document's id as latin1 text. */
  readonly id: string;
  readonly routing: Buffer | undefined;
  readonly version: bigint;
  readonly deletes: boolean;
  readonly mends: boolean;
  /** The commit that waits for it. */
  readonly ticket: Ticket;
  /** The commits that wait for it besides: of the operations of the same key that it replaced before they were sent. */
  replaced: Ticket[] | null;
  /** False once a later one has replaced it. */
  sendable: boolean;
}

/** The operations that a lane sends next, as a body that is already written: of each key only the last one is sent. */
export class LaneBatch {
  readonly body: BulkBody;
  readonly #operations: LaneOperation[] = [];
  readonly #last = new Map<string, LaneOperation>();

  /** `body` is empty. */
  constructor(body: BulkBody) {
    this.body = body;
  }

  /** In memory, with what has been replaced. */
  get byteLength(): number {
    return this.body.byteLength + OPERATION_BYTES * this.#operations.length;
  }

  /** Writes the operation: of `row`, or a delete. Unless it is rejected, `put` must follow. */
  append({ id, routing, version }: LaneOperation, row: Row | null, encoder: DocumentEncoder): Rejection | undefined {
    if (row !== null) return this.body.appendRow(encoder, row, version);
    this.body.append({ id: Buffer.from(id, 'latin1'), routing, version, document: null });
    return undefined;
  }

  put(operation: LaneOperation): void {
    this.#operations.push(operation);
    this.#last.set(operation.id, operation);
  }

  /** If there is one of the same key, `by` stands for it from now on, and for all that it stood for. */
  replace(by: LaneOperation): boolean {
    const older = this.#last.get(by.id);
    if (older === undefined || !older.sendable) return false;
    older.sendable = false;
    by.replaced = older.replaced ?? [];
    by.replaced.push(older.ticket);
    older.replaced = null;
    return true;
  }

  sendable(): readonly LaneOperation[] {
    return this.#operations.filter(isSendable);
  }

  /** The body of `operations`, which are its sendable ones. */
  bodyOf(operations: readonly LaneOperation[]): BulkBody {
    if (operations.length === this.#operations.length) return this.body;
    return this.body.slice(this.#operations.flatMap(({ sendable }, position) => (sendable ? [position] : [])));
  }
}

/** Tells the commits that waited for the operation. */
export function settle({ ticket, replaced }: LaneOperation): void {
  ticket.outstanding--;
  if (replaced === null) return;
  for (const other of replaced) other.outstanding--;
}

function isSendable({ sendable }: LaneOperation): boolean {
  return sendable;
}
