import { LosslessNumber } from 'lossless-json';
import type { OracleType } from './oracle-types.ts';

/** What a value that Elasticsearch cannot hold is expected to become. */
export type OraclePolicy = 'null' | 'string';

const NON_FINITE = new Set(['NaN', 'Infinity', '-Infinity']);

/** A bound of a range as `range_out` prints it → the form of a document. */
function boundValue(text: string, type: OracleType, name: string): unknown {
  if (type.kind === 'number') return new LosslessNumber(text);
  if (type.kind === 'timestamptz') return `${text.replace(' ', 'T').replace(/\+00$/, '')}Z`;
  return name.startsWith('timestamp') ? text.replace(' ', 'T') : text;
}

/** One bound out of a range's text, quoted or not; an empty bound is infinite. */
function unquote(text: string): string | null {
  if (text === '') return null;
  return text.startsWith('"') ? text.slice(1, -1).replace(/""|\\(.)/g, (whole, escaped: string | undefined) => escaped ?? whole.slice(1)) : text;
}

const RANGE = /^([[(])("(?:[^"\\]|\\.|"")*"|[^",]*),("(?:[^"\\]|\\.|"")*"|[^",)\]]*)([\])])$/;

function rangeValue(text: string, bound: OracleType, boundName: string): unknown {
  if (text === 'empty') return null;
  const [, open, lower, upper, close] = RANGE.exec(text) ?? [];
  if (lower === undefined || upper === undefined) throw new Error(`the oracle cannot read the range ${text}`);
  const result: { [key: string]: unknown } = {};
  const [from, to] = [unquote(lower), unquote(upper)];
  if (from !== null) result[open === '[' ? 'gte' : 'gt'] = boundValue(from, bound, boundName);
  if (to !== null) result[close === ']' ? 'lte' : 'lt'] = boundValue(to, bound, boundName);
  return result;
}

/** `{[1,3),[5,7)}` → its ranges; commas between ranges follow a closing bracket outside quotes. */
function splitMultirange(text: string): readonly string[] {
  return text.slice(1, -1).match(/[[(](?:"(?:[^"\\]|\\.|"")*"|[^"\])])*[\])]/g) ?? [];
}

const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `to_jsonb`'s rendering of a value (parsed without loss) → what docs/types.md says the document has. */
export function expectedValue(value: unknown, type: OracleType, policy: OraclePolicy): unknown {
  if (value === null || value === undefined) return null;
  switch (type.kind) {
    case 'plain':
      return value;
    case 'number':
      return typeof value === 'string' && NON_FINITE.has(value) && policy === 'null' ? null : value;
    case 'oid':
      return new LosslessNumber(String(value));
    case 'timestamptz':
      return String(value).replace(/\+00:00$/, 'Z');
    case 'bytea':
      return Buffer.from(String(value).slice(2), 'hex').toString('base64');
    case 'range':
      return rangeValue(String(value), type.bound, type.boundName);
    case 'multirange':
      return splitMultirange(String(value)).map((range) => rangeValue(range, type.bound, type.boundName));
    case 'array':
      return Array.isArray(value) ? value.map((element) => expectedArrayElement(element, type, policy)) : value;
    case 'composite':
      return isObject(value)
        ? Object.fromEntries([...type.attributes].map(([name, inner]) => [name, expectedValue(value[name], inner, policy)]))
        : value;
  }
}

/** Arrays of several dimensions come as arrays in arrays of one element type. */
function expectedArrayElement(element: unknown, type: OracleType & { readonly kind: 'array' }, policy: OraclePolicy): unknown {
  return Array.isArray(element) ? expectedValue(element, type, policy) : expectedValue(element, type.element, policy);
}

/** `-1.50e3` → `-15e2`: equal numbers get equal texts, whatever their spelling; −0 is 0, as in jsonb. */
function canonicalNumber(text: string): string {
  const [, sign, whole = '', fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${sign}${significant}e${power}`;
}

/** A text that is equal for equal documents only: keys sorted, numbers by value, everything else as it is. */
export function canonicalText(value: unknown): string {
  if (value instanceof LosslessNumber) return canonicalNumber(value.toString());
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (isObject(value)) {
    const keys = Object.keys(value).sort();
    return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalText(value[key])}`).join(',')}}`;
  }
  return JSON.stringify(value);
}
