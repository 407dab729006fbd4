/**
 * Walks JSON in bytes without building values: `_source` must come out exactly as it was sent, and `JSON.parse` loses digits (docs/servers.md E31, C10).
 * Assumes well-formed JSON from the server; a broken end throws `SyntaxError`.
 */
import { hasByte, viewOf, wordOf } from '../core/encode/byte-view.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const QUOTES = wordOf(QUOTE);
const BACKSLASHES = wordOf(BACKSLASH);

/**
 * Calls `visit` with the name of each member and the position of its value; `at` is the position of `{`. The visitor returns the position after the
 * value (`skipValue`, or a walk of its own), so that every byte is looked at once. Returns the position after `}`.
 */
export function eachMember(bytes: Buffer, at: number, visit: (name: string, at: number) => number): number {
  let position = enter(bytes, at, OPEN_BRACE);
  while (bytes[position] !== CLOSE_BRACE) {
    const nameEnd = skipValue(bytes, position);
    const name = nameOf(bytes, position, nameEnd);
    const end = visit(name, enter(bytes, skipSpace(bytes, nameEnd), COLON));
    position = nextOf(bytes, end, CLOSE_BRACE);
  }
  return position + 1;
}

/** Likewise for the elements of an array; `at` is the position of `[`. */
export function eachElement(bytes: Buffer, at: number, visit: (at: number) => number): number {
  let position = enter(bytes, at, OPEN_BRACKET);
  while (bytes[position] !== CLOSE_BRACKET) position = nextOf(bytes, visit(position), CLOSE_BRACKET);
  return position + 1;
}

/** The position after the value that starts at `at`. */
export function skipValue(bytes: Buffer, at: number): number {
  const first = bytes[at];
  if (first === QUOTE) return skipString(bytes, at);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return skipContainer(bytes, at);
  return skipScalar(bytes, at);
}

export function skipSpace(bytes: Buffer, at: number): number {
  let position = at;
  while (isSpace(bytes[position])) position++;
  return position;
}

interface KnownName {
  readonly text: string;
  readonly bytes: Buffer;
}

/** The names that were read last, by length and second letter: an answer repeats the same ones with every hit. */
const knownNames: (KnownName | undefined)[] = new Array(256).fill(undefined);

/** Names are short and without escapes, but for those we never look for. */
function nameOf(bytes: Buffer, start: number, end: number): string {
  const slot = (end - start + 8 * (bytes[start + 2] as number)) & 0xff;
  const before = knownNames[slot];
  if (before !== undefined && isAt(bytes, start + 1, end - 1, before.bytes)) return before.text;
  const text = bytes.toString('latin1', start + 1, end - 1);
  knownNames[slot] = { text, bytes: Buffer.from(text, 'latin1') };
  return text;
}

function isAt(bytes: Buffer, start: number, end: number, wanted: Buffer): boolean {
  if (end - start !== wanted.length) return false;
  for (let i = 0; i < wanted.length; i++) if (bytes[start + i] !== wanted[i]) return false;
  return true;
}

function skipContainer(bytes: Buffer, at: number): number {
  let depth = 0;
  let position = at;
  while (position < bytes.length) {
    const byte = bytes[position];
    if (byte === QUOTE) {
      position = skipString(bytes, position);
      continue;
    }
    position++;
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) return position;
  }
  throw cutOff(bytes);
}

function skipString(bytes: Buffer, at: number): number {
  const words = viewOf(bytes);
  const stop = bytes.length - 3;
  let position = at + 1;
  while (position < bytes.length) {
    if (position < stop && isPlain(words.getInt32(position, true))) {
      position += 4;
      continue;
    }
    const byte = bytes[position];
    if (byte === QUOTE) return position + 1;
    position += byte === BACKSLASH ? 2 : 1;
  }
  throw cutOff(bytes);
}

function isPlain(four: number): boolean {
  return !(hasByte(four, QUOTES) || hasByte(four, BACKSLASHES));
}

function skipScalar(bytes: Buffer, at: number): number {
  let position = at;
  while (position < bytes.length && !endsScalar(bytes[position])) position++;
  if (position === at) throw cutOff(bytes);
  return position;
}

function endsScalar(byte: number | undefined): boolean {
  return byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || isSpace(byte);
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function enter(bytes: Buffer, at: number, opening: number): number {
  if (bytes[at] !== opening) throw new SyntaxError(`byte ${at} of the answer is not ${String.fromCharCode(opening)}`);
  return skipSpace(bytes, at + 1);
}

/** Past the comma to the next member, or at the closing byte. */
function nextOf(bytes: Buffer, at: number, closing: number): number {
  const position = skipSpace(bytes, at);
  if (bytes[position] === closing) return position;
  return enter(bytes, position, COMMA);
}

function cutOff(bytes: Buffer): SyntaxError {
  return new SyntaxError(`the answer of ${bytes.length} bytes ends inside a value`);
}
