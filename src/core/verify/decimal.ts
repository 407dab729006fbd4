/** A decimal number without its spelling: value = ± digits × 10^exponent. Zero has no digits, no sign and exponent 0. */
interface Decimal {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: bigint;
}

const DECIMAL = /^([+-]?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

/**
 * True if two decimal texts (`1`, `1.0`, `1e0`, `-0`) have exactly the same value; false if one of them is not a decimal number. Nothing is
 * converted to `Number`: 2^53 + 1, a 30-digit numeric and 1e400 keep every digit. `-0` equals `0`, as it does in PostgreSQL and Elasticsearch.
 */
export function equalDecimals(left: string, right: string): boolean {
  if (left === right) return true;
  const a = parseDecimal(left);
  const b = parseDecimal(right);
  if (a === null || b === null) return false;
  return a.negative === b.negative && a.exponent === b.exponent && a.digits === b.digits;
}

/** The normal form of a decimal text, or null if it is none (`NaN`, `Infinity`, empty). */
function parseDecimal(text: string): Decimal | null {
  const match = DECIMAL.exec(text);
  if (match === null) return null;
  const [, sign = '', whole = '', fraction = '', power = '0'] = match;
  const written = withoutLeadingZeros(whole + fraction);
  const digits = withoutTrailingZeros(written);
  if (digits === '') return { negative: false, digits: '', exponent: 0n };
  // The exponent is a BigInt because a jsonb number may be written 1e99999999999999999999 by others.
  const exponent = BigInt(power) - BigInt(fraction.length) + BigInt(written.length - digits.length);
  return { negative: sign === '-', digits, exponent };
}

function withoutLeadingZeros(digits: string): string {
  let start = 0;
  while (digits.charCodeAt(start) === 48) start++;
  return digits.slice(start);
}

// A regular expression for the trailing zeros would be quadratic on a number with many inner zeros.
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === 48) end--;
  return digits.slice(0, end);
}
