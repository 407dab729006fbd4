import { hasByte, viewOf, wordOf } from '../byte-view.ts';
import type { ByteWriter } from '../byte-writer.ts';
import { writeString } from '../json-text.ts';
import { Literal } from '../literal.ts';
import type { ValueEncoder } from './value-encoder.ts';

const LETTER_T = 0x74;
const LETTER_F = 0x66;
const TRUE = new Literal('true');
const FALSE = new Literal('false');
const SPACE = 0x20;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const NEWLINES = wordOf(NEWLINE);
const RETURNS = wordOf(RETURN);

/** Text and every type that travels as its text: a JSON string. */
export class StringEncoder implements ValueEncoder {
  encode(bytes: Buffer, start: number, end: number, out: ByteWriter): undefined {
    writeString(bytes, start, end, out);
  }
}

/** `t` and `f`. */
export class BooleanEncoder implements ValueEncoder {
  encode(bytes: Buffer, start: number, end: number, out: ByteWriter): string | undefined {
    const letter = bytes[start];
    if (end - start !== 1 || (letter !== LETTER_T && letter !== LETTER_F)) return 'not a boolean text';
    out.literal(letter === LETTER_T ? TRUE : FALSE);
    return undefined;
  }
}

/**
 * json and jsonb: the text as it is, every digit and key order kept. A `json` text may be laid out over lines, and a raw line end would
 * split the NDJSON line; JSON allows none inside strings (PostgreSQL refuses it too), so each is white space and becomes a space.
 */
export class JsonEncoder implements ValueEncoder {
  encode(bytes: Buffer, start: number, end: number, out: ByteWriter): string | undefined {
    if (start === end) return 'empty json text';
    out.ensure(end - start);
    const target = out.buffer;
    let at = out.offset;
    const source = viewOf(bytes);
    let i = start;
    for (const stop = end - 3; i < stop; ) {
      const four = source.getInt32(i, true);
      if (hasByte(four, NEWLINES) || hasByte(four, RETURNS)) {
        for (const next = i + 4; i < next; i++) target[at++] = spaced(bytes[i] as number);
      } else {
        out.words.setInt32(at, four, true);
        at += 4;
        i += 4;
      }
    }
    for (; i < end; i++) target[at++] = spaced(bytes[i] as number);
    out.offset = at;
    return undefined;
  }
}

function spaced(byte: number): number {
  return byte === NEWLINE || byte === RETURN ? SPACE : byte;
}
