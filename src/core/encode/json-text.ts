import { hasByte, hasByteBelow, viewOf, wordOf } from './byte-view.ts';
import type { ByteWriter } from './byte-writer.ts';
import { Literal } from './literal.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const HEX = Buffer.from('0123456789abcdef');
const NULL = new Literal('null');
/** Above this length the room for a string is counted instead of assumed: six times 100 MB must not be allocated for a plain text. */
const COUNT_ABOVE = 4096;

/** In a string shorter than this, to look at four bytes at once costs more than it saves. */
const WORDS_FROM = 16;
const QUOTES = wordOf(QUOTE);
const BACKSLASHES = wordOf(BACKSLASH);
const FIRST_PLAIN = wordOf(0x20);

/** 0: the byte stands for itself in a JSON string; 1: `\u00XX`; anything else: a backslash and that byte. */
const ESCAPE = escapeTable();

function escapeTable(): Uint8Array {
  const table = new Uint8Array(256).fill(1, 0, 0x20);
  for (const [byte, letter] of ['\bb', '\ff', '\nn', '\rr', '\tt', '""', '\\\\'].map((pair) => Buffer.from(pair))) {
    table[byte as number] = letter as number;
  }
  return table;
}

export function writeNull(out: ByteWriter): void {
  out.literal(NULL);
}

/** Writes `bytes[start, end)` (UTF-8) as a JSON string with its quotes. Only what JSON demands is escaped. */
export function writeString(bytes: Uint8Array, start: number, end: number, out: ByteWriter): void {
  out.ensure(escapedRoom(bytes, start, end) + 2);
  out.buffer[out.offset++] = QUOTE;
  writeStringPart(bytes, start, end, out);
  out.buffer[out.offset++] = QUOTE;
}

/** Room that the escaped form of `bytes[start, end)` surely fits in. */
function escapedRoom(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start;
  if (length <= COUNT_ABOVE) return length * 6;
  let room = length;
  for (let i = start; i < end; i++) {
    const letter = ESCAPE[bytes[i] as number] as number;
    if (letter !== 0) room += letter === 1 ? 5 : 1;
  }
  return room;
}

/** The inside of a JSON string; the caller has made room for `escapedRoom` bytes. */
function writeStringPart(bytes: Uint8Array, start: number, end: number, out: ByteWriter): void {
  let i = start;
  if (end - start >= WORDS_FROM) {
    const source = viewOf(bytes);
    const target = out.words;
    for (const stop = end - 3; i < stop; i += 4) {
      const four = source.getInt32(i, true);
      if (hasByteBelow(four, FIRST_PLAIN) || hasByte(four, QUOTES) || hasByte(four, BACKSLASHES)) {
        writeBytes(bytes, i, i + 4, out);
      } else {
        target.setInt32(out.offset, four, true);
        out.offset += 4;
      }
    }
  }
  writeBytes(bytes, i, end, out);
}

/** The same byte by byte; it goes on at `out.offset`. */
function writeBytes(bytes: Uint8Array, start: number, end: number, out: ByteWriter): void {
  const target = out.buffer;
  let at = out.offset;
  for (let i = start; i < end; i++) {
    const byte = bytes[i] as number;
    const letter = ESCAPE[byte] as number;
    if (letter === 0) target[at++] = byte;
    else at = writeEscape(byte, letter, target, at);
  }
  out.offset = at;
}

function writeEscape(byte: number, letter: number, target: Buffer, at: number): number {
  target[at] = BACKSLASH;
  if (letter !== 1) {
    target[at + 1] = letter;
    return at + 2;
  }
  target.write('u00', at + 1, 'latin1');
  target[at + 4] = HEX[byte >> 4] as number;
  target[at + 5] = HEX[byte & 15] as number;
  return at + 6;
}
