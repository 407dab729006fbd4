import type { ByteWriter } from '../byte-writer.ts';
import { substitute, type ValueEncoder, type ValuePolicies } from './value-encoder.ts';

const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const CAPITAL_I = 0x49;
const CAPITAL_N = 0x4e;
/** Elasticsearch's JSON reader refuses longer numbers, in unmapped fields too (docs/servers.md E13); numeric has up to 147,455 digits. */
const MAX_DIGITS = 1000;

/**
 * int2/4/8, oid, float4/8, numeric: PostgreSQL prints them as JSON wants them (`1e+20`, `-0`, `0.10`), so the digits are copied as they are.
 * NaN and ±Infinity have no JSON form.
 */
export class NumberEncoder implements ValueEncoder {
  readonly #policies: ValuePolicies;

  constructor(policies: ValuePolicies) {
    this.#policies = policies;
  }

  encode(bytes: Buffer, start: number, end: number, out: ByteWriter): string | undefined {
    const digit = bytes[start] === MINUS ? start + 1 : start;
    const first = digit < end ? (bytes[digit] as number) : 0;
    if (first < ZERO || first > NINE) return this.#notDigits(bytes, start, end, out);
    if (end - start > MAX_DIGITS && digitCount(bytes, digit, end) > MAX_DIGITS) {
      return substitute(this.#policies.onUnrepresentable, `a number of more than ${MAX_DIGITS} digits`, { bytes, start, end }, out);
    }
    out.bytes(bytes, start, end);
    return undefined;
  }

  #notDigits(bytes: Buffer, start: number, end: number, out: ByteWriter): string | undefined {
    const first = bytes[bytes[start] === MINUS ? start + 1 : start];
    if (start === end || (first !== CAPITAL_N && first !== CAPITAL_I)) return 'not a number text';
    return substitute(this.#policies.onNonFinite, 'NaN or Infinity', { bytes, start, end }, out);
  }
}

function digitCount(bytes: Buffer, digit: number, end: number): number {
  const point = bytes.indexOf(POINT, digit);
  return end - digit - (point >= 0 && point < end ? 1 : 0);
}
