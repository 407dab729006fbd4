import { ByteWriter } from '../byte-writer.ts';
import type { ValueEncoder } from './value-encoder.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Reads one part (element, attribute, bound) of an array, composite, range or hstore text, bare or quoted. Two styles of quoting exist: `\x`
 * stands for x (arrays, hstore), and `""` and `\\` stand for one (composites, ranges). Both are read by one rule, as two quotes never meet
 * in the first style. The part is `bytes[start, end)`, valid until the next `read`.
 */
export class PartReader {
  bytes: Buffer;
  start = 0;
  end = 0;
  quoted = false;
  readonly #delimiter: number;
  readonly #closer: number;
  readonly #scratch = new ByteWriter(256);

  /** A bare part ends before the byte `delimiter` or `closer`, or at the limit. */
  constructor(delimiter: number, closer: number) {
    this.#delimiter = delimiter;
    this.#closer = closer;
    this.bytes = this.#scratch.buffer;
  }

  /** Reads the part at `at`; the position behind it, or −1 if its closing quote is missing. */
  read(source: Buffer, at: number, limit: number): number {
    this.quoted = at < limit && source[at] === QUOTE;
    return this.quoted ? this.#readQuoted(source, at + 1, limit) : this.#readBare(source, at, limit);
  }

  /** True for a bare part without a byte: NULL in a composite, no bound in a range. */
  get missing(): boolean {
    return !this.quoted && this.start === this.end;
  }

  /** Encodes the part that was read. */
  encodeBy(encoder: ValueEncoder, out: ByteWriter): string | undefined {
    return encoder.encode(this.bytes, this.start, this.end, out);
  }

  #readBare(source: Buffer, at: number, limit: number): number {
    let stop = at;
    while (stop < limit && source[stop] !== this.#delimiter && source[stop] !== this.#closer) stop++;
    this.#set(source, at, stop);
    return stop;
  }

  #readQuoted(source: Buffer, from: number, limit: number): number {
    let i = from;
    while (i < limit && source[i] !== QUOTE && source[i] !== BACKSLASH) i++;
    const closed = i < limit && source[i] === QUOTE && (i + 1 === limit || source[i + 1] !== QUOTE);
    if (!closed) return this.#readEscaped(source, from, limit);
    this.#set(source, from, i);
    return i + 1;
  }

  #readEscaped(source: Buffer, from: number, limit: number): number {
    this.#scratch.reset();
    this.#scratch.ensure(limit - from);
    const target = this.#scratch.buffer;
    let write = 0;
    let i = from;
    for (; i < limit; i++) {
      const byte = source[i] as number;
      const pair = byte === BACKSLASH || (byte === QUOTE && i + 1 < limit && source[i + 1] === QUOTE);
      if (byte === QUOTE && !pair) break;
      if (pair) i++;
      target[write++] = source[i] as number;
    }
    this.#set(target, 0, write);
    return i < limit ? i + 1 : -1;
  }

  #set(bytes: Buffer, start: number, end: number): void {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
  }
}
