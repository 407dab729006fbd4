const HEAD = Buffer.from('{"errors":false,"items":[');
const TAIL = Buffer.from(']}');
const COMMA = 0x2c;
const LETTER_I = 0x69;
/** What is said of an operation that was carried out, the likeliest first. A delete that found nothing is one. */
const INDEXED = ['{"index":{"status":201}}', '{"index":{"status":200}}'].map((text) => Buffer.from(text));
const DELETED = ['{"delete":{"status":200}}', '{"delete":{"status":404}}'].map((text) => Buffer.from(text));

/**
 * True if the answer says of each of `count` operations that it was carried out, and nothing else: as the server writes it with the filter of `readBulkAnswer`, byte for byte.
 * Nearly all answers are like that, and to compare costs little beside parsing. Anything else is for the parser to judge.
 */
export function saysAllDone(answer: Buffer, count: number): boolean {
  if (count === 0 || !isAt(answer, 0, HEAD)) return false;
  let at = HEAD.length;
  for (let n = 0; n < count; n++) {
    if (n > 0 && answer[at++] !== COMMA) return false;
    const length = lengthDone(answer, at);
    if (length === 0) return false;
    at += length;
  }
  return answer.length === at + TAIL.length && isAt(answer, at, TAIL);
}

/** Of the entry at `at`, if it says that; else 0. */
function lengthDone(answer: Buffer, at: number): number {
  const entries = answer[at + 2] === LETTER_I ? INDEXED : DELETED;
  for (const entry of entries) if (isAt(answer, at, entry)) return entry.length;
  return 0;
}

function isAt(answer: Buffer, at: number, text: Buffer): boolean {
  for (let i = 0; i < text.length; i++) if (answer[at + i] !== text[i]) return false;
  return true;
}
