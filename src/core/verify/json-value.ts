import { equalDecimals } from './decimal.ts';
import { parseJsonText } from './parse-json.ts';

/** A JSON number as it is written; never a `Number`, which rounds (docs/servers.md C10). */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The values of a key that a `json` column has more than once, in order; PostgreSQL keeps them all. */
class RepeatedKey {
  readonly values: readonly JsonValue[];

  constructor(values: readonly JsonValue[]) {
    this.values = values;
  }
}

export type JsonValue = null | boolean | string | JsonNumber | readonly JsonValue[] | JsonObject | RepeatedKey;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** What a repeated key means: `all` keeps every value, `last` the last one, as PostgreSQL's jsonb does. */
export type RepeatedKeys = 'all' | 'last';

/** Parses JSON text without loss; throws `SyntaxError` (or `RangeError` when nested too deeply) on what is not JSON. */
export function parseJson(text: string, repeatedKeys: RepeatedKeys): JsonValue {
  return parseJsonText<JsonValue>(text, {
    number: (digits) => new JsonNumber(digits),
    repeated: (earlier, value) => (repeatedKeys === 'last' ? value : joinRepeated(earlier, value)),
  });
}

function joinRepeated(earlier: JsonValue, value: JsonValue): RepeatedKey {
  return new RepeatedKey(earlier instanceof RepeatedKey ? [...earlier.values, value] : [earlier, value]);
}

/** True for `{…}`. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber) && !(value instanceof RepeatedKey);
}

/** True for `[…]`. */
export function isJsonArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/**
 * Equality by value: numbers as exact decimals, objects without regard to the order of keys, arrays in order; `null` and a missing key are
 * two different things.
 */
export function equalValues(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  if (left === right) return true;
  if (left instanceof JsonNumber) return right instanceof JsonNumber && equalDecimals(left.text, right.text);
  if (left instanceof RepeatedKey) return right instanceof RepeatedKey && equalLists(left.values, right.values);
  if (isJsonArray(left)) return isJsonArray(right) && equalLists(left, right);
  return isJsonObject(left) && isJsonObject(right) && equalObjects(left, right);
}

function equalLists(left: readonly JsonValue[], right: readonly JsonValue[]): boolean {
  return left.length === right.length && left.every((value, at) => equalValues(value, right[at]));
}

function equalObjects(left: JsonObject, right: JsonObject): boolean {
  const keys = Object.keys(left);
  // hasOwn, because `__proto__` and `constructor` are ordinary keys of somebody's jsonb.
  return keys.length === Object.keys(right).length && keys.every((key) => Object.hasOwn(right, key) && equalValues(left[key], right[key]));
}

/** The value of an own key, or undefined; never something inherited. */
export function ownValue(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The value as compact JSON text with its digits as they were; `(missing)` for no value. For people, not for comparing. */
export function jsonText(value: JsonValue | undefined): string {
  if (value === undefined) return '(missing)';
  if (value instanceof JsonNumber) return value.text;
  if (value instanceof RepeatedKey) return value.values.map(jsonText).join(' and again ');
  if (isJsonArray(value)) return `[${value.map(jsonText).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, inner]) => `${JSON.stringify(key)}:${jsonText(inner)}`)
    .join(',')}}`;
}
