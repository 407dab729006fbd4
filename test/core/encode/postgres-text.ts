import fc from 'fast-check';
import type { ValueForm } from '../../../src/core/encode/value-form.ts';

/**
 * An independent printer of PostgreSQL's text forms (array_out, record_out, range_out, hstore_out), as arbitraries of a form and of values of that
 * form: the text that the server prints and the JSON value it must become.
 */
export interface Printed {
  readonly text: string;
  readonly json: unknown;
}

export interface Typed {
  readonly form: ValueForm;
  readonly values: fc.Arbitrary<Printed>;
}

const NASTY = [
  '',
  'NULL',
  'null',
  ' ',
  'a b',
  '"',
  '\\',
  '\\"',
  '""',
  '{',
  '}',
  '{}',
  ',',
  ';',
  '(',
  ')',
  '[1,2)',
  'a,b',
  '\n',
  '\t',
  '\u0001',
  '\u007f',
  'é',
  '😀',
  '=>',
  '", "',
];
export const anyText = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.string({ unit: 'binary', maxLength: 12 }).map((text) => Buffer.from(text.replaceAll('\0', '')).toString()),
  fc.array(fc.constantFrom(...NASTY), { maxLength: 5 }).map((parts) => parts.join('')),
);

const numberTexts = ['0', '-0', '1', '-17', '9007199254740993', '0.10', '12345678901234567890.123456789', '1e+20', '1.5e-07', '-2.5', '32767'];

const leaves: readonly Typed[] = [
  { form: { kind: 'string' }, values: anyText.map((text) => ({ text, json: text })) },
  { form: { kind: 'number' }, values: fc.constantFrom(...numberTexts).map((text) => ({ text, json: Number(text) })) },
  { form: { kind: 'boolean' }, values: fc.boolean().map((value) => ({ text: value ? 't' : 'f', json: value })) },
  {
    form: { kind: 'json' },
    values: fc
      .tuple(fc.jsonValue(), fc.constantFrom(0, 1, '\t'))
      .map(([value, space]) => ({ text: JSON.stringify(value, null, space), json: JSON.parse(JSON.stringify(value)) })),
  },
  { form: { kind: 'date' }, values: fc.constantFrom('2024-02-29', '0001-01-01', '9999-12-31').map((text) => ({ text, json: text })) },
  {
    form: { kind: 'timestamptz' },
    values: fc
      .constantFrom('2024-01-02 03:04:05.123456', '1969-12-31 23:59:59', '0001-01-01 00:00:00.1')
      .map((text) => ({ text: `${text}+00`, json: `${text.replace(' ', 'T')}Z` })),
  },
  {
    form: { kind: 'timestamp' },
    values: fc.constantFrom('2024-01-02 03:04:05.123456', '9999-12-31 23:59:59').map((text) => ({ text, json: text.replace(' ', 'T') })),
  },
  {
    form: { kind: 'bytea' },
    values: fc
      .uint8Array({ maxLength: 10 })
      .map((bytes) => ({ text: `\\x${Buffer.from(bytes).toString('hex')}`, json: Buffer.from(bytes).toString('base64') })),
  },
  {
    form: { kind: 'hstore' },
    values: fc.dictionary(anyText, fc.option(anyText), { maxKeys: 4 }).map((content) => ({ text: printHstore(content), json: { ...content } })),
  },
];

function printHstore(content: { readonly [key: string]: string | null }): string {
  const quote = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
  return Object.entries(content)
    .map(([key, text]) => `${quote(key)}=>${text === null ? 'NULL' : quote(text)}`)
    .join(', ');
}

function printArrayElement(text: string | null, delimiter: string): string {
  if (text === null) return 'NULL';
  const plain = text !== '' && !/^null$/i.test(text) && !/["\\{}\s]/.test(text.replace(/[\u0080-\uffff]/g, 'x')) && !text.includes(delimiter);
  return plain ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** record_out and range_out quote alike, with the characters that each must not leave bare. */
function printPart(text: string, special: RegExp): string {
  const ascii = text.replace(/[\u0080-\uffff]/g, 'x');
  return text !== '' && !special.test(ascii) ? text : `"${text.replace(/["\\]/g, '$&$&')}"`;
}

function arraysOf(element: Typed, delimiter: ',' | ';'): Typed {
  const cells = fc.array(fc.option(element.values), { maxLength: 4 });
  const line = cells.map((elements) => ({
    text: `{${elements.map((value) => printArrayElement(value === null ? null : value.text, delimiter)).join(delimiter)}}`,
    json: elements.map((value) => (value === null ? null : value.json)),
  }));
  const matrix = fc.array(fc.array(fc.option(element.values), { minLength: 2, maxLength: 2 }), { minLength: 1, maxLength: 3 }).map((rows) => ({
    text: `{${rows.map((row) => `{${row.map((value) => printArrayElement(value === null ? null : value.text, delimiter)).join(delimiter)}}`).join(delimiter)}}`,
    json: rows.map((row) => row.map((value) => (value === null ? null : value.json))),
  }));
  const bounded = line.filter(({ json }) => json.length > 0).map(({ text, json }) => ({ text: `[-1:${json.length - 2}]=${text}`, json }));
  return { form: { kind: 'array', element: element.form, delimiter }, values: fc.oneof(line, matrix, bounded) };
}

function compositesOf(attributes: readonly Typed[]): Typed {
  const names = attributes.map((_, i) => `a"${i}`);
  const values = fc.tuple(...attributes.map(({ values: some }) => fc.option(some))).map((cells) => ({
    text: `(${cells.map((cell) => (cell === null ? '' : printPart(cell.text, /["\\(),\s]/))).join(',')})`,
    json: Object.fromEntries(cells.map((cell, i) => [names[i], cell === null ? null : cell.json])),
  }));
  return { form: { kind: 'composite', attributes: attributes.map(({ form }, i) => ({ name: names[i] as string, form })) }, values };
}

function rangeValues(bound: Typed): fc.Arbitrary<Printed> {
  const bounds = fc.record({
    lower: fc.option(bound.values),
    upper: fc.option(bound.values),
    open: fc.constantFrom('[', '('),
    close: fc.constantFrom(']', ')'),
  });
  return bounds.map(({ lower, upper, open, close }) => {
    const print = (value: Printed | null): string => (value === null ? '' : printPart(value.text, /["\\()[\],\s]/));
    const json = {
      ...(lower === null ? {} : { [open === '[' ? 'gte' : 'gt']: lower.json }),
      ...(upper === null ? {} : { [close === ']' ? 'lte' : 'lt']: upper.json }),
    };
    return { text: `${open}${print(lower)},${print(upper)}${close}`, json };
  });
}

function rangesOf(bound: Typed): Typed {
  return {
    form: { kind: 'range', bound: bound.form },
    values: fc.oneof({ weight: 5, arbitrary: rangeValues(bound) }, { weight: 1, arbitrary: fc.constant({ text: 'empty', json: null }) }),
  };
}

function multirangesOf(bound: Typed): Typed {
  const values = fc
    .array(rangeValues(bound), { maxLength: 3 })
    .map((ranges) => ({ text: `{${ranges.map(({ text }) => text).join(',')}}`, json: ranges.map(({ json }) => json) }));
  return { form: { kind: 'multirange', bound: bound.form }, values };
}

/** A type, nested at most `depth` times, with its values. */
export function anyType(depth: number): fc.Arbitrary<Typed> {
  const leaf = fc.constantFrom(...leaves);
  if (depth === 0) return leaf;
  const inner = anyType(depth - 1);
  return fc.oneof(
    leaf,
    fc.tuple(inner, fc.constantFrom(',' as const, ';' as const)).map(([element, delimiter]) => arraysOf(element, delimiter)),
    fc.array(inner, { minLength: 1, maxLength: 3 }).map(compositesOf),
    inner.map(rangesOf),
    inner.map(multirangesOf),
  );
}
