import type { ByteWriter } from '../byte-writer.ts';
import { writeNull } from '../json-text.ts';
import { PartReader } from './part-reader.ts';
import type { ValueEncoder } from './value-encoder.ts';

const OPEN = 0x7b;
const CLOSE = 0x7d;
const BOUNDS = 0x5b;
const EQUALS = 0x3d;
const COMMA = 0x2c;
const JSON_OPEN = 0x5b;
const JSON_CLOSE = 0x5d;
const MALFORMED = 'not an array text';

/**
 * `{1,NULL,"a b"}` and deeper ones → JSON arrays. Lower bounds (`[0:1]={…}`) are dropped: JSON has none. NULL elements stay; an element that
 * is the word NULL arrives quoted (https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO). The delimiter is `;` for box only.
 */
export class ArrayEncoder implements ValueEncoder {
  readonly #element: ValueEncoder;
  readonly #delimiter: number;
  readonly #part: PartReader;

  constructor(element: ValueEncoder, delimiter: ',' | ';') {
    this.#element = element;
    this.#delimiter = delimiter.charCodeAt(0);
    this.#part = new PartReader(this.#delimiter, CLOSE);
  }

  encode(bytes: Buffer, start: number, end: number, out: ByteWriter): string | undefined {
    let at = bytes[start] === BOUNDS ? bytes.indexOf(EQUALS, start) + 1 : start;
    if (at < start || at >= end || bytes[at] !== OPEN) return MALFORMED;
    let depth = 0;
    while (at < end) {
      const byte = bytes[at] as number;
      const mark = this.#markFor(byte);
      if (mark === 0) {
        at = this.#part.read(bytes, at, end);
        const reason = at < 0 ? MALFORMED : this.#encodeElement(out);
        if (reason !== undefined) return reason;
        continue;
      }
      out.byte(mark);
      at++;
      if (byte === OPEN) depth++;
      else if (byte === CLOSE && --depth === 0) return at === end ? undefined : MALFORMED;
    }
    return MALFORMED;
  }

  /** The JSON byte for a structural byte of the array text, or 0. */
  #markFor(byte: number): number {
    if (byte === this.#delimiter) return COMMA;
    if (byte === OPEN) return JSON_OPEN;
    return byte === CLOSE ? JSON_CLOSE : 0;
  }

  #encodeElement(out: ByteWriter): string | undefined {
    const part = this.#part;
    if (part.quoted || !isNullWord(part.bytes, part.start, part.end)) return part.encodeBy(this.#element, out);
    writeNull(out);
    return undefined;
  }
}

function isNullWord(bytes: Buffer, start: number, end: number): boolean {
  return end - start === 4 && bytes[start] === 0x4e && bytes[start + 1] === 0x55 && bytes[start + 2] === 0x4c && bytes[start + 3] === 0x4c;
}
