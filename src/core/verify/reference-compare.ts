import type { DocumentPlan, ValuePolicy } from '../encode/document-plan.ts';
import type { ValueForm } from '../encode/value-form.ts';
import { readJson } from './compare-json.ts';
import { equalDecimals } from './decimal.ts';
import { differingFields, type FieldDifference, type ShownValues, unreadable } from './field-difference.ts';
import { parseInstant } from './instant.ts';
import { equalValues, isJsonArray, isJsonObject, JsonNumber, type JsonObject, type JsonValue, ownValue } from './json-value.ts';

type Policies = Pick<DocumentPlan, 'onNonFinite' | 'onUnrepresentable'>;

const NON_FINITE = new Set(['NaN', 'Infinity', '-Infinity']);
/** Elasticsearch reads no longer number (docs/servers.md E13). */
const MAX_DIGITS = 1000;
const MIN_YEAR_NANOS = -62_167_219_200n * 1_000_000_000n; // 0000-01-01
const MAX_YEAR_NANOS = 253_402_300_800n * 1_000_000_000n; // 10000-01-01

/**
 * The fields in which an Elasticsearch document differs from PostgreSQL's own JSON of the row. Shares no code with the encoder, so that a mistake in
 * the encoding cannot hide by being made on both sides. Numbers compare by value, times as instants, the rest exactly.
 */
export function compareReference(plan: DocumentPlan, reference: string, source: Buffer, shown: ShownValues = 'excerpts'): readonly FieldDifference[] {
  const text = source.toString('utf8');
  // PostgreSQL keeps the last value of a repeated key when it converts to jsonb.
  const expected = readJson(reference, 'last');
  const actual = readJson(text, 'last');
  if (!isJsonObject(expected) || !isJsonObject(actual)) return unreadable(reference, text);
  const forms = formsByField(plan);
  const equal = (field: string, left: JsonValue | undefined, right: JsonValue | undefined): boolean => {
    const form = forms.get(field);
    return form === undefined ? equalValues(left, right) : equalInForm(form, left, right, plan);
  };
  const found = differingFields(expected, actual, equal, shown);
  return inPlanOrder(found, [...forms.keys()]);
}

// jsonb has its own order of keys; the report names fields as the document does.
function inPlanOrder(found: readonly FieldDifference[], fields: readonly string[]): readonly FieldDifference[] {
  return found.toSorted((a, b) => fields.indexOf(a.field) - fields.indexOf(b.field));
}

function formsByField(plan: DocumentPlan): ReadonlyMap<string, ValueForm> {
  const forms = new Map<string, ValueForm>();
  for (const { field, column } of plan.fields) {
    const form = plan.columns[column]?.form;
    if (form !== undefined) forms.set(field, form);
  }
  return forms;
}

function equalInForm(form: ValueForm, expected: JsonValue | undefined, actual: JsonValue | undefined, policies: Policies): boolean {
  if (expected === undefined || actual === undefined || expected === null) return expected === actual;
  switch (form.kind) {
    case 'number':
      return equalNumbers(expected, actual, policies);
    case 'date':
    case 'timestamp':
    case 'timestamptz':
      return equalInstants(expected, actual, policies);
    case 'bytea':
      return equalBase64(expected, actual);
    case 'array':
      return equalArrays(form, expected, actual, policies);
    case 'range':
      return equalBounds(form.bound, expected, actual, policies);
    case 'multirange':
      return equalLists(expected, actual, (left, right) => equalBounds(form.bound, left, right, policies));
    case 'composite':
      return equalComposites(form.attributes, expected, actual, policies);
    case 'boolean':
    case 'string':
    case 'json':
    case 'hstore':
      return equalValues(expected, actual);
  }
}

// to_jsonb gives some numeric types (oid, NaN) as strings.
function equalNumbers(expected: JsonValue, actual: JsonValue, policies: Policies): boolean {
  const text = expected instanceof JsonNumber ? expected.text : expected;
  if (typeof text !== 'string') return false;
  if (NON_FINITE.has(text)) return isSubstitute(policies.onNonFinite, text, actual);
  if (text.length > MAX_DIGITS && text.replaceAll(/[-.]/g, '').length > MAX_DIGITS) return isSubstitute(policies.onUnrepresentable, text, actual);
  return actual instanceof JsonNumber && equalDecimals(text, actual.text);
}

function isSubstitute(policy: ValuePolicy, text: string, actual: JsonValue): boolean {
  return policy === 'null' ? actual === null : policy === 'string' && actual === text;
}

function equalInstants(expected: JsonValue, actual: JsonValue, policies: Policies): boolean {
  if (typeof expected !== 'string') return false;
  const instant = parseInstant(expected);
  const ordinary = instant !== null && instant >= MIN_YEAR_NANOS && instant < MAX_YEAR_NANOS;
  if (actual === null) return !ordinary && policies.onUnrepresentable === 'null';
  if (typeof actual !== 'string') return false;
  if (instant === null) return policies.onUnrepresentable === 'string' && actual === expected;
  return parseInstant(actual) === instant;
}

// PostgreSQL's encode(…, 'base64') breaks the line after 76 characters.
function equalBase64(expected: JsonValue, actual: JsonValue): boolean {
  return typeof expected === 'string' && typeof actual === 'string' && expected.replaceAll('\n', '') === actual;
}

function equalArrays(form: Extract<ValueForm, { kind: 'array' }>, expected: JsonValue, actual: JsonValue, policies: Policies): boolean {
  return equalLists(expected, actual, (left, right) => {
    // A dimension of a multi-dimensional array is an array itself, of the same element form; a json element may be one, too, and is then the element.
    const nested = isJsonArray(left) && form.element.kind !== 'json' && form.element.kind !== 'multirange';
    return nested ? equalArrays(form, left, right, policies) : equalInForm(form.element, left, right, policies);
  });
}

function equalLists(expected: JsonValue, actual: JsonValue, equal: (left: JsonValue, right: JsonValue) => boolean): boolean {
  if (!isJsonArray(expected) || !isJsonArray(actual)) return equalValues(expected, actual);
  return expected.length === actual.length && expected.every((left, at) => equal(left, actual[at] as JsonValue));
}

function equalBounds(bound: ValueForm, expected: JsonValue, actual: JsonValue, policies: Policies): boolean {
  if (!isJsonObject(expected) || !isJsonObject(actual)) return equalValues(expected, actual);
  return (
    sameKeys(expected, actual) && Object.keys(expected).every((key) => equalInForm(bound, ownValue(expected, key), ownValue(actual, key), policies))
  );
}

function equalComposites(
  attributes: readonly { readonly name: string; readonly form: ValueForm }[],
  expected: JsonValue,
  actual: JsonValue,
  policies: Policies,
): boolean {
  if (!isJsonObject(expected) || !isJsonObject(actual)) return false;
  return (
    sameKeys(expected, actual) && attributes.every(({ name, form }) => equalInForm(form, ownValue(expected, name), ownValue(actual, name), policies))
  );
}

function sameKeys(left: JsonObject, right: JsonObject): boolean {
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length && keys.every((key) => Object.hasOwn(right, key));
}
