import type { ByteWriter } from '../byte-writer.ts';
import type { ValueEncoder } from './value-encoder.ts';

const QUOTE = 0x22;
const PAD = 0x3d;
const ALPHABET = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
const NOT_HEX = 255;
const HEX_VALUE = hexTable();

function hexTable(): Uint8Array {
  const table = new Uint8Array(256).fill(NOT_HEX);
  for (let value = 0; value < 16; value++) table[value.toString(16).charCodeAt(0)] = value;
  return table;
}

/** bytea as `\x…` (sessions are pinned to `bytea_output = hex`) → base64, which is what the `binary` field type takes. */
export class ByteaEncoder implements ValueEncoder {
  encode(bytes: Buffer, start: number, end: number, out: ByteWriter): string | undefined {
    if (bytes[start] !== 0x5c || bytes[start + 1] !== 0x78 || (end - start) % 2 !== 0) return 'not a hex bytea text';
    const count = (end - start - 2) / 2;
    out.ensure(Math.ceil(count / 3) * 4 + 2);
    const target = out.buffer;
    target[out.offset++] = QUOTE;
    for (let at = 0; at < count; at += 3) {
      if (!writeGroup(bytes, start + 2 + at * 2, count - at, out)) return 'not a hex bytea text';
    }
    target[out.offset++] = QUOTE;
    return undefined;
  }
}

/** Writes up to three bytes, read at `at`, as four characters; false if they are not hex digits. */
function writeGroup(bytes: Buffer, at: number, left: number, out: ByteWriter): boolean {
  const first = hexByte(bytes, at);
  const second = left > 1 ? hexByte(bytes, at + 2) : 0;
  const third = left > 2 ? hexByte(bytes, at + 4) : 0;
  if ((first | second | third) < 0) return false;
  const group = (first << 16) | (second << 8) | third;
  const target = out.buffer;
  target[out.offset++] = ALPHABET[group >> 18] as number;
  target[out.offset++] = ALPHABET[(group >> 12) & 63] as number;
  target[out.offset++] = left > 1 ? (ALPHABET[(group >> 6) & 63] as number) : PAD;
  target[out.offset++] = left > 2 ? (ALPHABET[group & 63] as number) : PAD;
  return true;
}

function hexByte(bytes: Buffer, at: number): number {
  const high = HEX_VALUE[bytes[at] as number] as number;
  const low = HEX_VALUE[bytes[at + 1] as number] as number;
  return high === NOT_HEX || low === NOT_HEX ? -1 : (high << 4) | low;
}
