import type { Literal } from './literal.ts';

const MEGABYTE = 1 << 20;

/**
 * A growing byte buffer. The encoders write into `buffer` at `offset` themselves after `ensure`: a call per byte would cost more than the
 * byte. `buffer` is replaced when it grows, so read it again after every `ensure`.
 */
export class ByteWriter {
  buffer: Buffer;
  /** `buffer` by words of four bytes; replaced with it. */
  words: DataView;
  offset = 0;

  /** `capacity` in bytes; it doubles when it does not suffice, and beyond some megabytes grows by a quarter. */
  constructor(capacity: number) {
    this.buffer = Buffer.allocUnsafeSlow(Math.max(capacity, 64));
    this.words = wordsOf(this.buffer);
  }

  /** Makes room for `bytes` more bytes at `offset`. */
  ensure(bytes: number): void {
    if (this.offset + bytes > this.buffer.length) this.#grow(this.offset + bytes);
  }

  byte(value: number): void {
    this.ensure(1);
    this.buffer[this.offset++] = value;
  }

  /** Appends `source[start, end)`; a loop, because for the short pieces of a document it is faster than the native copy. */
  bytes(source: Uint8Array, start: number, end: number): void {
    this.ensure(end - start);
    const target = this.buffer;
    let at = this.offset;
    if (end - start > 256) {
      target.set(source.subarray(start, end), at);
      at += end - start;
    } else {
      for (let i = start; i < end; i++) target[at++] = source[i] as number;
    }
    this.offset = at;
  }

  /** Up to three bytes behind the text are written over: nothing is there yet. */
  literal({ words, byteLength }: Literal): void {
    this.ensure(4 * words.length);
    const target = this.words;
    let at = this.offset;
    for (let i = 0; i < words.length; i++) {
      target.setInt32(at, words[i] as number, true);
      at += 4;
    }
    this.offset += byteLength;
  }

  all(source: Uint8Array): void {
    this.bytes(source, 0, source.length);
  }

  /** What is written so far: a view, valid until the next change. */
  view(): Buffer {
    return this.buffer.subarray(0, this.offset);
  }

  reset(): void {
    this.offset = 0;
  }

  #grow(needed: number): void {
    const { length } = this.buffer;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, length + Math.min(length, Math.max(MEGABYTE, length >> 2))));
    this.buffer.copy(larger, 0, 0, this.offset);
    this.buffer = larger;
    this.words = wordsOf(larger);
  }
}

function wordsOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}
