import type { ByteWriter } from '../byte-writer.ts';
import { substitute, type ValueEncoder, type ValuePolicies } from './value-encoder.ts';

const QUOTE = 0x22;
const PLUS = 0x2b;
const DASH = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const SPACE = 0x20;
const LETTER_T = 0x54;
const LETTER_Z = 0x5a;
const DATE_LENGTH = 10;
const REASON = 'a time that Elasticsearch cannot hold (infinity, BC, or a year after 9999)';

/**
 * date, timestamp and timestamptz in ISO style, all sessions pinned to UTC: `2024-02-29`, `…T03:04:05.123456`, `…T03:04:05.123456Z`.
 * PostgreSQL prints years 1 to 9999 with four digits, everything else with more, with ` BC`, or as `infinity`.
 */
export class TimeEncoder implements ValueEncoder {
  readonly #kind: 'date' | 'timestamp' | 'timestamptz';
  readonly #policies: ValuePolicies;

  constructor(kind: 'date' | 'timestamp' | 'timestamptz', policies: ValuePolicies) {
    this.#kind = kind;
    this.#policies = policies;
  }

  encode(bytes: Buffer, start: number, end: number, out: ByteWriter): string | undefined {
    const last = bytes[end - 1] as number;
    const ordinary = end - start >= DATE_LENGTH && bytes[start + 4] === DASH && isDigit(bytes[start]) && isDigit(last);
    if (!ordinary) return substitute(this.#policies.onUnrepresentable, REASON, { bytes, start, end }, out);
    if (this.#kind === 'date') return writeDate(bytes, start, end, out);
    if (bytes[start + DATE_LENGTH] !== SPACE) return 'not an ISO timestamp text';
    if (this.#kind === 'timestamp') return writeTimestamp(bytes, start, end, out);
    if (bytes[end - 3] !== PLUS || bytes[end - 2] !== ZERO || last !== ZERO) return 'a timestamptz that is not in UTC: the session is not pinned';
    return writeTimestamp(bytes, start, end, out);
  }
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}

function writeDate(bytes: Buffer, start: number, end: number, out: ByteWriter): string | undefined {
  if (end - start !== DATE_LENGTH) return 'not an ISO date text';
  out.byte(QUOTE);
  out.bytes(bytes, start, end);
  out.byte(QUOTE);
  return undefined;
}

function writeTimestamp(bytes: Buffer, start: number, end: number, out: ByteWriter): undefined {
  const zoned = bytes[end - 3] === PLUS;
  const stop = zoned ? end - 3 : end;
  out.ensure(stop - start + 3);
  const target = out.buffer;
  let at = out.offset;
  target[at++] = QUOTE;
  for (let i = start; i < stop; i++) target[at++] = bytes[i] as number;
  target[out.offset + 1 + DATE_LENGTH] = LETTER_T;
  if (zoned) target[at++] = LETTER_Z;
  target[at++] = QUOTE;
  out.offset = at;
}
