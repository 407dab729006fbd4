import { Failure } from '../failure.ts';
import { emptyRow, FIELD_NULL, type Row } from '../row.ts';
import { hasByte, viewOf, wordOf } from './byte-view.ts';
import { ByteWriter } from './byte-writer.ts';

const TAB = 0x09;
const NEWLINE = 0x0a;
const BACKSLASH = 0x5c;
const CAPITAL_N = 0x4e;
const TABS = wordOf(TAB);
const BACKSLASHES = wordOf(BACKSLASH);

/** What follows the backslash → the byte meant (the server writes only these; any other byte stands for itself, as in COPY FROM). */
const UNESCAPED = unescapeTable();

function unescapeTable(): Uint8Array {
  const table = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  for (const [letter, byte] of ['b\b', 'f\f', 'n\n', 'r\r', 't\t', 'v\v'].map((pair) => Buffer.from(pair))) {
    table[letter as number] = byte as number;
  }
  return table;
}

/**
 * Cuts the stream of `COPY … TO STDOUT` in text format into rows. A raw newline never occurs inside a row of that format, so a row ends at
 * the next one (https://www.postgresql.org/docs/current/sql-copy.html, "Text Format"; docs/servers.md P21).
 */
export class CopyTextReader {
  readonly #row: Row;
  readonly #columnCount: number;
  /** The beginning of a row whose end has not arrived. */
  readonly #carry = new ByteWriter(1024);
  #rows = 0;

  constructor(columnCount: number) {
    this.#columnCount = columnCount;
    this.#row = emptyRow(columnCount);
  }

  /**
   * Calls `onRow` for every row that ends in this chunk. The row object and its bytes are valid only during the call (`copyRow` keeps them);
   * escapes are undone in place, so the chunk's bytes change. Throws `connection-lost` for a row with the wrong number of fields.
   */
  push(chunk: Buffer, onRow: (row: Row) => void): void {
    let from = this.#carry.offset > 0 ? this.#finishCarried(chunk, onRow) : 0;
    let backslash = nextOf(chunk, BACKSLASH, from);
    let newline = chunk.indexOf(NEWLINE, from);
    while (newline >= 0) {
      if (backslash < from) backslash = nextOf(chunk, BACKSLASH, from);
      this.#row.bytes = chunk;
      this.#emit(from, newline, backslash < newline, onRow);
      from = newline + 1;
      newline = chunk.indexOf(NEWLINE, from);
    }
    if (from < chunk.length) this.#carry.bytes(chunk, from, chunk.length);
  }

  /** The number of rows; throws `connection-lost` if the stream stopped inside a row. */
  end(): number {
    if (this.#carry.offset > 0)
      throw new Failure('connection-lost', `the COPY stream ended inside row ${this.#rows + 1}`, { hint: 'Run the same command again.' });
    return this.#rows;
  }

  /** Completes the carried row; the position behind it (the chunk's length if it still has no end). */
  #finishCarried(chunk: Buffer, onRow: (row: Row) => void): number {
    const newline = chunk.indexOf(NEWLINE);
    if (newline < 0) return 0;
    this.#carry.bytes(chunk, 0, newline);
    const carried = this.#carry.view();
    this.#carry.reset();
    this.#row.bytes = carried;
    this.#emit(0, carried.length, carried.includes(BACKSLASH), onRow);
    return newline + 1;
  }

  #emit(from: number, to: number, escaped: boolean, onRow: (row: Row) => void): void {
    const row = this.#row;
    const fields = escaped ? splitEscaped(row, from, to) : splitPlain(row, from, to);
    this.#rows++;
    if (fields !== this.#columnCount) {
      throw new Failure('connection-lost', `row ${this.#rows} of the COPY stream has ${fields} fields instead of ${this.#columnCount}`, {
        hint: 'The stream is damaged or the table was changed; run the same command again.',
      });
    }
    onRow(row);
  }
}

function nextOf(chunk: Buffer, byte: number, from: number): number {
  const found = chunk.indexOf(byte, from);
  return found < 0 ? Number.MAX_SAFE_INTEGER : found;
}

/** Splits a row without any backslash; the number of fields found. Stores beyond the arrays' length are ignored by typed arrays. */
function splitPlain(row: Row, from: number, to: number): number {
  const { bytes, starts, ends } = row;
  const words = viewOf(bytes);
  const stop = to - 3;
  let field = 0;
  let start = from;
  for (let at = from; at < to; ) {
    if (at < stop && !hasByte(words.getInt32(at, true), TABS)) {
      at += 4;
      continue;
    }
    for (const end = Math.min(at + 4, to); at < end; at++) {
      if (bytes[at] !== TAB) continue;
      starts[field] = start;
      ends[field++] = at;
      start = at + 1;
    }
  }
  starts[field] = start;
  ends[field] = to;
  return field + 1;
}

/** Splits a row and undoes its escapes in place: the text only gets shorter. */
function splitEscaped(row: Row, from: number, to: number): number {
  let field = 0;
  let start = from;
  while (start <= to) {
    const end = splitField(row, field++, start, to);
    start = end + 1;
  }
  return field;
}

/** Reads one field from `start`; the position of the tab (or row end) that ends it. */
function splitField(row: Row, field: number, start: number, to: number): number {
  const { bytes, starts, ends } = row;
  if (isNull(bytes, start, to)) {
    starts[field] = FIELD_NULL;
    ends[field] = FIELD_NULL;
    return start + 2;
  }
  // Most of a field stands before its first escape: there nothing moves.
  let at = plainEnd(bytes, start, to);
  let write = at;
  for (; at < to; at++) {
    let byte = bytes[at] as number;
    if (byte === TAB) break;
    if (byte === BACKSLASH && at + 1 < to) byte = UNESCAPED[bytes[++at] as number] as number;
    bytes[write++] = byte;
  }
  starts[field] = start;
  ends[field] = write;
  return at;
}

/** The position of the first tab or backslash, or `to`. */
function plainEnd(bytes: Buffer, start: number, to: number): number {
  const words = viewOf(bytes);
  let at = start;
  for (const stop = to - 3; at < stop; at += 4) {
    const four = words.getInt32(at, true);
    if (hasByte(four, TABS) || hasByte(four, BACKSLASHES)) break;
  }
  for (; at < to; at++) {
    const byte = bytes[at];
    if (byte === TAB || byte === BACKSLASH) break;
  }
  return at;
}

/** `\N` alone is NULL; a literal `\N` in a text arrives as `\\N`. */
function isNull(bytes: Buffer, at: number, to: number): boolean {
  return bytes[at] === BACKSLASH && bytes[at + 1] === CAPITAL_N && at + 2 <= to && (at + 2 === to || bytes[at + 2] === TAB);
}
