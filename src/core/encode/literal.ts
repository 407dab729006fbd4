/** Text that is written again and again, ready to be written four bytes at a time. */
export class Literal {
  readonly byteLength: number;
  /** The bytes as little-endian words; the last one is filled up with zeros. */
  readonly words: Int32Array;

  constructor(text: string) {
    const bytes = Buffer.from(text);
    const filled = Buffer.concat([bytes, Buffer.alloc(3)]);
    this.byteLength = bytes.length;
    this.words = Int32Array.from({ length: (bytes.length + 3) >> 2 }, (_, i) => filled.readInt32LE(4 * i));
  }
}
