/** Words of four bytes: how text is searched and copied, because a loop over single bytes takes more than twice as long. */

const ONES = 0x01010101;
const HIGH_BITS = 0x80808080 | 0;

let viewed: Uint8Array = new Uint8Array(0);
let view = new DataView(viewed.buffer);

/**
 * A view of these bytes. The last one is kept: a piece of COPY is asked for with every field of every row in it. Kept by identity, which is safe: where the bytes of an array
 * stand never changes.
 */
export function viewOf(bytes: Uint8Array): DataView {
  if (bytes !== viewed) {
    view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    viewed = bytes;
  }
  return view;
}

/** Four times the byte. */
export function wordOf(byte: number): number {
  return Math.imul(byte, ONES);
}

/** Whether one of the four bytes is the one that `word` repeats, not which (https://graphics.stanford.edu/~seander/bithacks.html, "Determine if a word has a zero byte"). */
export function hasByte(four: number, word: number): boolean {
  const differing = four ^ word;
  return ((differing - ONES) & ~differing & HIGH_BITS) !== 0;
}

/** Whether one of the four bytes is below the one that `word` repeats, which is at most 0x80 (same page, "Determine if a word has a byte less than n"). */
export function hasByteBelow(four: number, word: number): boolean {
  return ((four - word) & ~four & HIGH_BITS) !== 0;
}
