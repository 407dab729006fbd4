const HEAD = Buffer.from('{"errors":false,"items":[');
const ENTRY = Buffer.from('{"index":{"status":201}},');
const TAIL = Buffer.from(']}');

/** Beyond it the parser may judge: what is kept to compare with does not shrink again. */
const MOST_COMPARED = 100_000;

let expected = HEAD;

/**
 * True if the answer says of each of `count` index operations that it made a new document, and nothing else: as the server writes it with the filter of `readBulkAnswer`, byte for byte.
 * Nearly all answers of a load are like that, and comparing costs next to nothing beside parsing. Anything else is for the parser to judge.
 */
export function saysAllCreated(answer: Buffer, count: number): boolean {
  // A comma less, as there is none behind the last one.
  const compared = HEAD.length + ENTRY.length * count - 1;
  if (count === 0 || count > MOST_COMPARED || answer.length !== compared + TAIL.length || !answer.subarray(compared).equals(TAIL)) return false;
  if (expected.length < compared) expected = Buffer.concat([HEAD, ...new Array<Buffer>(count * 2).fill(ENTRY)]);
  return answer.compare(expected, 0, compared, 0, compared) === 0;
}
