import type { ByteWriter } from '../byte-writer.ts';
import { writeNull, writeString } from '../json-text.ts';
import { PartReader } from './part-reader.ts';
import type { ValueEncoder } from './value-encoder.ts';

const COMMA = 0x2c;
const COLON = 0x3a;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;
const ARROW = Buffer.from('=>');
const SEPARATOR = Buffer.from(', ');
const NULL_WORD = Buffer.from('NULL');
const MALFORMED = 'not an hstore text';

/** `"a"=>"1", "b"=>NULL` → `{"a":"1","b":null}`. hstore keeps its keys distinct and prints them all in quotes. */
export class HstoreEncoder implements ValueEncoder {
  readonly #part = new PartReader(COMMA, COMMA);

  encode(bytes: Buffer, start: number, end: number, out: ByteWriter): string | undefined {
    out.byte(BRACE_OPEN);
    let at = start;
    while (at < end) {
      if (at > start) {
        if (!startsWith(bytes, at, end, SEPARATOR)) return MALFORMED;
        at += SEPARATOR.length;
        out.byte(COMMA);
      }
      at = this.#writeText(bytes, at, end, out);
      if (at < 0 || !startsWith(bytes, at, end, ARROW)) return MALFORMED;
      out.byte(COLON);
      at = this.#writeContent(bytes, at + ARROW.length, end, out);
      if (at < 0) return MALFORMED;
    }
    out.byte(BRACE_CLOSE);
    return undefined;
  }

  #writeText(bytes: Buffer, at: number, end: number, out: ByteWriter): number {
    const stop = this.#part.read(bytes, at, end);
    if (stop < 0 || !this.#part.quoted) return -1;
    writeString(this.#part.bytes, this.#part.start, this.#part.end, out);
    return stop;
  }

  #writeContent(bytes: Buffer, at: number, end: number, out: ByteWriter): number {
    if (!startsWith(bytes, at, end, NULL_WORD)) return this.#writeText(bytes, at, end, out);
    writeNull(out);
    return at + NULL_WORD.length;
  }
}

function startsWith(bytes: Buffer, at: number, end: number, word: Buffer): boolean {
  return at + word.length <= end && word.compare(bytes, at, at + word.length) === 0;
}
