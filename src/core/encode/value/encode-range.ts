import type { ByteWriter } from '../byte-writer.ts';
import { writeNull } from '../json-text.ts';
import { Literal } from '../literal.ts';
import { PartReader } from './part-reader.ts';
import type { ValueEncoder } from './value-encoder.ts';

const OPEN_INCLUSIVE = 0x5b;
const OPEN_EXCLUSIVE = 0x28;
const CLOSE_INCLUSIVE = 0x5d;
const CLOSE_EXCLUSIVE = 0x29;
const COMMA = 0x2c;
const QUOTE = 0x22;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;
const MALFORMED = 'not a range text';
const EMPTY = Buffer.from('empty');
const GTE = new Literal('"gte":');
const GT = new Literal('"gt":');
const LTE = new Literal('"lte":');
const LT = new Literal('"lt":');

/**
 * `[1,10)` → `{"gte":1,"lt":10}`; an unbounded side has no key; `empty` → null, as Elasticsearch has no empty range. Bounds are quoted like the
 * attributes of composites (https://www.postgresql.org/docs/current/rangetypes.html#RANGETYPES-IO).
 */
export class RangeEncoder implements ValueEncoder {
  readonly #bound: ValueEncoder;
  readonly #part = new PartReader(COMMA, COMMA);

  constructor(bound: ValueEncoder) {
    this.#bound = bound;
  }

  encode(bytes: Buffer, start: number, end: number, out: ByteWriter): string | undefined {
    if (end - start === EMPTY.length && EMPTY.compare(bytes, start, end) === 0) {
      writeNull(out);
      return undefined;
    }
    if (end - start < 3 || !isOpening(bytes[start]) || !isClosing(bytes[end - 1])) return MALFORMED;
    out.byte(BRACE_OPEN);
    const comma = this.#part.read(bytes, start + 1, end - 1);
    if (comma < 0 || bytes[comma] !== COMMA) return MALFORMED;
    const reason = this.#encodeBound(bytes[start] === OPEN_INCLUSIVE ? GTE : GT, out);
    if (reason !== undefined) return reason;
    if (this.#part.read(bytes, comma + 1, end - 1) !== end - 1) return MALFORMED;
    if (comma > start + 1 && !this.#part.missing) out.byte(COMMA);
    const upperReason = this.#encodeBound(bytes[end - 1] === CLOSE_INCLUSIVE ? LTE : LT, out);
    out.byte(BRACE_CLOSE);
    return upperReason;
  }

  #encodeBound(key: Literal, out: ByteWriter): string | undefined {
    if (this.#part.missing) return undefined;
    out.literal(key);
    return this.#part.encodeBy(this.#bound, out);
  }
}

function isOpening(byte: number | undefined): boolean {
  return byte === OPEN_INCLUSIVE || byte === OPEN_EXCLUSIVE;
}

function isClosing(byte: number | undefined): boolean {
  return byte === CLOSE_INCLUSIVE || byte === CLOSE_EXCLUSIVE;
}

/** `{[1,3),[7,9)}` → an array of ranges; the empty multirange `{}` → `[]`. */
export class MultirangeEncoder implements ValueEncoder {
  readonly #range: RangeEncoder;

  constructor(bound: ValueEncoder) {
    this.#range = new RangeEncoder(bound);
  }

  encode(bytes: Buffer, start: number, end: number, out: ByteWriter): string | undefined {
    if (end - start < 2 || bytes[start] !== BRACE_OPEN || bytes[end - 1] !== BRACE_CLOSE) return 'not a multirange text';
    out.byte(OPEN_INCLUSIVE);
    let at = start + 1;
    while (at < end - 1) {
      if (at > start + 1) {
        if (bytes[at++] !== COMMA) return 'not a multirange text';
        out.byte(COMMA);
      }
      const stop = rangeEnd(bytes, at, end - 1);
      const reason = this.#range.encode(bytes, at, stop, out);
      if (reason !== undefined) return reason;
      at = stop;
    }
    out.byte(CLOSE_INCLUSIVE);
    return undefined;
  }
}

/** The position behind the bracket that ends the range at `at`: the first one outside quotes (a doubled quote closes and opens again). */
function rangeEnd(bytes: Buffer, at: number, limit: number): number {
  let inQuotes = false;
  for (let i = at; i < limit; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) inQuotes = !inQuotes;
    else if (!inQuotes && isClosing(byte)) return i + 1;
  }
  return limit;
}
