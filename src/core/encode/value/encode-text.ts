import type { ByteWriter } from '../byte-writer.ts';
import { writeString } from '../json-text.ts';
import type { ValueEncoder } from './value-encoder.ts';

const LETTER_T = 0x74;
const LETTER_F = 0x66;
const TRUE = Buffer.from('true');
const FALSE = Buffer.from('false');
const SPACE = 0x20;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

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
    out.all(letter === LETTER_T ? TRUE : FALSE);
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
    for (let i = start; i < end; i++) {
      const byte = bytes[i] as number;
      target[at++] = byte === NEWLINE || byte === RETURN ? SPACE : byte;
    }
    out.offset = at;
    return undefined;
  }
}
