import type { DocumentEncoder } from '../../../core/encode/document.ts';
import type { Rejection } from '../../../core/encode/document-plan.ts';
import { idBytes } from '../../../core/encode/id-text.ts';
import type { Row } from '../../../core/row.ts';
import type { BulkBody } from '../../../core/sink/bulk-body.ts';
import type { Ticket } from '../../../core/wal/watermark.ts';

/** What becomes of one key: its document is that of `row`, or goes (`null`). */
export interface LaneChange {
  /** The bytes of the document's id as latin1 text. */
  readonly id: string;
  readonly routing: Buffer | undefined;
  readonly version: bigint;
  readonly row: Row | null;
  /** Why the row can be no document: then its delete stands for it, and it becomes a reject when that is sent. */
  readonly rejection: Rejection | null;
}

/** One operation of a batch: what its bytes do not say. */
export interface LaneOperation {
  readonly id: string;
  readonly routing: Buffer | undefined;
  readonly version: bigint;
  readonly deletes: boolean;
  readonly rejection: Rejection | null;
  /** The commit that waits for it. */
  readonly ticket: Ticket;
  /** The commits that wait for it besides: of the operations of its key that it stands for. */
  readonly others: Ticket[];
  /** Whether it is the last one of its key. */
  isLast: boolean;
}

/** What an operation takes in memory besides its bytes. */
const OPERATION_BYTES = 250;
const NO_TICKETS: Ticket[] = [];

/** The operations that a lane sends next, as a body that is already written: of each key only the last one is sent. */
export class LaneBatch {
  readonly body: BulkBody;
  readonly #operations: LaneOperation[] = [];
  readonly #last = new Map<string, LaneOperation>();
  #routingBytes = 0;

  /** `body` is empty. */
  constructor(body: BulkBody) {
    this.body = body;
  }

  /** In memory, with what is not sent because something stands for it. */
  get byteLength(): number {
    return this.body.byteLength + this.#routingBytes + OPERATION_BYTES * this.#operations.length;
  }

  /** Writes the operation; a rejected row leaves the batch as it was. */
  add({ id, routing, version, row, rejection }: LaneChange, ticket: Ticket, encoder: DocumentEncoder): Rejection | undefined {
    const rejected = row === null ? this.#appendDelete(id, routing, version) : this.body.appendRow(encoder, row, version);
    if (rejected !== undefined) return rejected;
    const others = this.#takeOver(id);
    const operation = { id, routing, version, deletes: row === null, rejection, ticket, others, isLast: true };
    this.#operations.push(operation);
    this.#last.set(id, operation);
    this.#routingBytes += routing?.length ?? 0;
    return undefined;
  }

  lastOfEach(): readonly LaneOperation[] {
    return this.#operations.filter(isLast);
  }

  /** The body of `lastOfEach`. */
  lastBody(): BulkBody {
    if (this.#last.size === this.#operations.length) return this.body;
    const positions: number[] = [];
    for (let at = 0; at < this.#operations.length; at++) if (this.#operations[at]?.isLast) positions.push(at);
    return this.body.slice(positions);
  }

  #appendDelete(id: string, routing: Buffer | undefined, version: bigint): undefined {
    this.body.append({ id: idBytes(id), routing, version, document: null });
  }

  /** The commits that waited for the operation of this key so far, if there is one: the next one stands for it. */
  #takeOver(id: string): Ticket[] {
    const older = this.#last.get(id);
    if (older === undefined) return NO_TICKETS;
    older.isLast = false;
    const others = older.others === NO_TICKETS ? [] : older.others;
    others.push(older.ticket);
    return others;
  }
}

/** Tells the commits that waited for the operation. */
export function settle({ ticket, others }: LaneOperation): void {
  ticket.outstanding--;
  for (let i = 0; i < others.length; i++) (others[i] as Ticket).outstanding--;
}

function isLast(operation: LaneOperation): boolean {
  return operation.isLast;
}
