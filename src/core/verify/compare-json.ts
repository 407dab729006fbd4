import { differingFields, type FieldDifference, unreadable } from './field-difference.ts';
import { equalValues, isJsonObject, type JsonValue, parseJson } from './json-value.ts';

/**
 * The top-level fields in which two documents differ by value; empty if they are equal. Bytes that are equal are never parsed. A document that is
 * not a JSON object differs as a whole.
 */
export function compareDocuments(postgres: Buffer, elasticsearch: Buffer): readonly FieldDifference[] {
  if (postgres.equals(elasticsearch)) return [];
  const left = postgres.toString('utf8');
  const right = elasticsearch.toString('utf8');
  const expected = readJson(left, 'all');
  const actual = readJson(right, 'all');
  if (!isJsonObject(expected) || !isJsonObject(actual)) return unreadable(left, right);
  return differingFields(expected, actual, (_field, a, b) => equalValues(a, b));
}

/** Like `parseJson`, but undefined for what cannot be read; the caller then reports a difference, never equality. */
export function readJson(text: string, repeatedKeys: 'all' | 'last'): JsonValue | undefined {
  try {
    return parseJson(text, repeatedKeys);
  } catch (error) {
    // SyntaxError: not JSON. RangeError: nested deeper than the stack.
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
