import { ByteWriter } from '../encode/byte-writer.ts';
import type { DocumentEncoder } from '../encode/document.ts';
import type { Rejection } from '../encode/document-plan.ts';
import { writeString } from '../encode/json-text.ts';
import { Literal } from '../encode/literal.ts';
import type { Row } from '../row.ts';
import type { VersionType, WriteOperation } from './operation.ts';

const NEWLINE = 0x0a;
const LETTER_I = 0x69;
const INDEX_OPEN = new Literal('{"index":{"_id":');
const DELETE_OPEN = new Literal('{"delete":{"_id":');
const ROUTING = new Literal(',"routing":');
const VERSION = new Literal(',"version":');
const CLOSE: { readonly [type in VersionType]: Literal } = { external: closeOf('external'), external_gte: closeOf('external_gte') };
/** A buffer that one huge document made larger than this (and than four times the wanted capacity) is not kept for the next use. */
const KEPT_BYTES = 32 << 20;
const MAX_VERSION = (1n << 63n) - 1n;

/**
 * The body of one `_bulk` request, built as bytes: `{"index":{"_id":"…","routing":"…","version":N,"version_type":"external"}}`, the document, and so on. Versions
 * are decimal text straight from the bigint (a JSON number through `Number` loses digits, docs/servers.md E1).
 */
export class BulkBody {
  readonly versionType: VersionType;
  #out: ByteWriter;
  readonly #capacityBytes: number;
  /** Where each operation begins; it ends where the next one begins. */
  #starts: number[] = [];
  /** The version of `#digits`. A chunk has one version for all its rows, a transaction one for all its changes. */
  #version: bigint | undefined;
  #digits = Buffer.alloc(0);

  constructor(versionType: VersionType, capacityBytes = 1 << 16) {
    this.versionType = versionType;
    this.#capacityBytes = capacityBytes;
    this.#out = new ByteWriter(capacityBytes);
  }

  get count(): number {
    return this.#starts.length;
  }

  get byteLength(): number {
    return this.#out.offset;
  }

  /** Bytes of memory it takes, however few are in use. */
  get heldBytes(): number {
    return this.#out.buffer.length;
  }

  /** Appends the row as an index operation, encoded in place; a rejection leaves the body as it was. `version` is 0 … 2⁶³−1, else `RangeError`. */
  appendRow(encoder: DocumentEncoder, row: Row, version: bigint): Rejection | undefined {
    const id = encoder.documentId;
    const noId = id.read(row);
    if (noId !== undefined) return noId;
    const mark = this.#out.offset;
    if (version !== this.#version) this.#useVersion(version);
    this.#open(INDEX_OPEN, id.bytes, id.start, id.end);
    const routing = encoder.routingColumn;
    if (routing >= 0) this.#route(row.bytes, row.starts[routing] as number, row.ends[routing] as number);
    this.#close();
    const rejection = encoder.encode(row, this.#out);
    if (rejection !== undefined) {
      this.#out.offset = mark;
      return rejection;
    }
    this.#out.byte(NEWLINE);
    this.#starts.push(mark);
    return undefined;
  }

  append(operation: WriteOperation): void {
    const { id, routing, document } = operation;
    const mark = this.#out.offset;
    if (operation.version !== this.#version) this.#useVersion(operation.version);
    this.#open(document === null ? DELETE_OPEN : INDEX_OPEN, id, 0, id.length);
    if (routing !== undefined) this.#route(routing, 0, routing.length);
    this.#close();
    if (document !== null) {
      this.#out.all(document);
      this.#out.byte(NEWLINE);
    }
    this.#starts.push(mark);
  }

  /** The NDJSON: a view, valid until the next change of this body. */
  bytes(): Buffer {
    return this.#out.view();
  }

  idAt(position: number): string {
    const action = this.#actionAt(position);
    const found = (action.index ?? action.delete)?._id;
    if (found === undefined) throw new RangeError(`operation ${position} of the bulk has no id`);
    return found;
  }

  kindAt(position: number): 'index' | 'delete' {
    return this.#out.buffer[this.#startOf(position) + 2] === LETTER_I ? 'index' : 'delete';
  }

  /** A new body of the operations at these positions, in the order given. */
  slice(positions: readonly number[]): BulkBody {
    const length = positions.reduce((sum, position) => sum + this.#endOf(position) - this.#startOf(position), 0);
    const part = new BulkBody(this.versionType, length);
    for (const position of positions) {
      part.#starts.push(part.#out.offset);
      part.#out.bytes(this.#out.buffer, this.#startOf(position), this.#endOf(position));
    }
    return part;
  }

  clear(): void {
    if (this.#out.buffer.length > Math.max(KEPT_BYTES, 4 * this.#capacityBytes)) this.#out = new ByteWriter(this.#capacityBytes);
    this.#out.reset();
    this.#starts = [];
  }

  #open(open: Literal, id: Buffer, start: number, end: number): void {
    this.#out.literal(open);
    writeString(id, start, end, this.#out);
  }

  #route(routing: Buffer, start: number, end: number): void {
    this.#out.literal(ROUTING);
    writeString(routing, start, end, this.#out);
  }

  #close(): void {
    this.#out.literal(VERSION);
    this.#out.all(this.#digits);
    this.#out.literal(CLOSE[this.versionType]);
  }

  #useVersion(version: bigint): void {
    if (version < 0n || version > MAX_VERSION) throw new RangeError(`version ${version} is not between 0 and 2^63 - 1`);
    this.#version = version;
    this.#digits = Buffer.from(String(version), 'latin1');
  }

  #startOf(position: number): number {
    const start = this.#starts[position];
    if (start === undefined) throw new RangeError(`the bulk has no operation ${position}`);
    return start;
  }

  #endOf(position: number): number {
    return this.#starts[position + 1] ?? this.#out.offset;
  }

  #actionAt(position: number): { readonly index?: { readonly _id: string }; readonly delete?: { readonly _id: string } } {
    const start = this.#startOf(position);
    const end = this.#out.buffer.indexOf(NEWLINE, start);
    return JSON.parse(this.#out.buffer.toString('utf8', start, end));
  }
}

function closeOf(type: VersionType): Literal {
  return new Literal(`,"version_type":"${type}"}}\n`);
}
