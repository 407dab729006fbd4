import fc from 'fast-check';
import { arrayLiteral, compositeLiteral, hstoreLiteral, matrixLiteral, rangeLiteral } from './literals.ts';

/** A text that the type's input function takes. */
export type Texts = fc.Arbitrary<string>;

const NASTY = [
  '',
  'NULL',
  'null',
  ' ',
  '"',
  '\\',
  '\\"',
  '{}',
  '{',
  ',',
  ';',
  '(',
  ')',
  '[1,2)',
  "'",
  '\n',
  '\r\n',
  '\t',
  '\b',
  '\f',
  '\v',
  '\u0001',
  '\u001f',
];
const FOREIGN = [
  '\u007f',
  '\u0080',
  '\u2028',
  '\ufeff',
  '\u00e9',
  'e\u0301',
  '😀',
  '\uffff',
  '\\N',
  '\\.',
  '\\u0000',
  '=>',
  '", "',
  '</a>',
  '%s',
  '$1',
];

export const text: Texts = fc.oneof(
  fc.constantFrom(...NASTY, ...FOREIGN),
  fc.array(fc.constantFrom(...NASTY, ...FOREIGN, 'a', 'Z', '0'), { maxLength: 8 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 40 }).map((some) => Buffer.from(some.replaceAll('\0', '')).toString()),
);
export const word: Texts = fc.stringMatching(/^[a-z]{1,8}$/);

const digits = (max: number): fc.Arbitrary<string> => fc.stringMatching(new RegExp(`^[0-9]{1,${max}}$`));
export const integer = (min: bigint, max: bigint): Texts => fc.bigInt({ min, max }).map(String);
export const int4: Texts = integer(-(2n ** 31n), 2n ** 31n - 1n);
export const numeric = (before: number, after: number): Texts =>
  fc
    .tuple(fc.constantFrom('', '-'), digits(before), fc.option(digits(after)))
    .map(([sign, whole, fraction]) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}`);
export const float8: Texts = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? '-0' : String(value)));
export const float4: Texts = fc.float({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? '-0' : String(value)));
/** Coordinates: also huge and tiny ones, but their squares and products stay finite, which some input functions ask for. */
const coordinate: Texts = fc
  .oneof(fc.integer({ min: -1000, max: 1000 }), fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e100, max: 1e100 }))
  .map(String);

const pad = (value: number, width: number): string => String(value).padStart(width, '0');
const DAY_MS = 86_400_000;
const YEAR_1 = -62_135_596_800_000;
const YEAR_9999 = 253_402_214_400_000;

function isoDate(ms: number): string {
  const date = new Date(ms);
  return `${pad(date.getUTCFullYear(), 4)}-${pad(date.getUTCMonth() + 1, 2)}-${pad(date.getUTCDate(), 2)}`;
}

const dayMs = fc
  .oneof(fc.integer({ min: YEAR_1 / DAY_MS + 1, max: YEAR_9999 / DAY_MS - 1 }), fc.integer({ min: -10, max: 30_000 }))
  .map((day) => day * DAY_MS);
export const date: Texts = dayMs.map(isoDate);
const clock: Texts = fc
  .tuple(fc.integer({ min: 0, max: 86_399 }), fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 999_999 })))
  .map(
    ([second, micros]) =>
      `${pad(Math.floor(second / 3600), 2)}:${pad(Math.floor(second / 60) % 60, 2)}:${pad(second % 60, 2)}${micros === 0 ? '' : `.${pad(micros, 6)}`}`,
  );
const zone: Texts = fc
  .tuple(fc.constantFrom('+', '-'), fc.integer({ min: 0, max: 14 }), fc.constantFrom('00', '30', '45'))
  .map(([sign, hours, minutes]) => `${sign}${pad(hours, 2)}:${minutes}`);
export const time: Texts = clock;
export const timetz: Texts = fc.tuple(clock, zone).map((parts) => parts.join(''));
export const timestamp: Texts = fc.tuple(date, clock).map((parts) => parts.join(' '));
export const timestamptz: Texts = fc.tuple(date, clock, zone).map(([day, at, offset]) => `${day} ${at}${offset}`);
export const interval: Texts = fc
  .record({ months: fc.integer({ min: -5000, max: 5000 }), days: fc.integer({ min: -500, max: 500 }), micros: fc.integer({ min: -1e13, max: 1e13 }) })
  .map(({ months, days, micros }) => `${months} mons ${days} days ${(micros / 1e6).toFixed(6)} seconds`);

export const bytea: Texts = fc.uint8Array({ maxLength: 40 }).map((bytes) => `\\x${Buffer.from(bytes).toString('hex')}`);
export const uuid: Texts = fc.uuid();
export const bits = (length: number): Texts => fc.stringMatching(new RegExp(`^[01]{${length}}$`));
const octet = fc.integer({ min: 0, max: 255 });
const ipv4 = fc.tuple(octet, octet, octet, octet).map((parts) => parts.join('.'));
export const inet: Texts = fc.oneof(
  ipv4,
  fc.tuple(ipv4, fc.integer({ min: 0, max: 32 })).map((parts) => parts.join('/')),
  fc.ipV6().filter((address) => !address.includes('.')),
);
export const cidr: Texts = fc.tuple(octet, octet, octet, fc.constantFrom('24', '26', '32')).map(([a, b, c, size]) => `${a}.${b}.${c}.0/${size}`);
export const macaddr = (length: number): Texts =>
  fc.array(octet, { minLength: length, maxLength: length }).map((parts) => parts.map((part) => part.toString(16).padStart(2, '0')).join(':'));
export const money: Texts = fc
  .tuple(fc.constantFrom('', '-'), fc.integer({ min: 0, max: 2 ** 40 }), fc.integer({ min: 0, max: 99 }))
  .map(([sign, whole, cents]) => `${sign}${whole}.${pad(cents, 2)}`);
export const xml: Texts = fc
  .tuple(word, fc.string({ unit: 'grapheme', maxLength: 20 }), fc.constantFrom('', '\n  ', '<b/>'))
  .map(
    ([name, content, more]) =>
      `<${name} q="1">${content.replace(/[&<>\p{Cc}\p{Cn}\p{Co}\ufffe\uffff]/gu, (letter) => (letter === '&' ? '&amp;' : '·'))}${more}</${name}>`,
  );

/** JSON texts with the numbers, keys and layouts that a parser would change. */
const jsonNumber: Texts = fc.oneof(
  float8.filter((some) => some !== '-0'),
  integer(-(10n ** 40n), 10n ** 40n),
  fc.constantFrom('0.10', '1e5', '1E-7', '12345678901234567890.123456789012345678901', '-0.0'),
);
const jsonString: Texts = fc.oneof(
  text.map((some) => JSON.stringify(some)),
  fc.constantFrom('"\\u00e9"', '"\\ud83d\\ude00"', '"\\/"', '"\\\\u0000"'),
);
export const json: Texts = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    jsonNumber,
    jsonString,
    fc.constantFrom('true', 'false', 'null'),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('value'), { maxLength: 3 }).map((parts) => `[${parts.join(' , ')}]`),
  object: fc
    .uniqueArray(fc.tuple(jsonString, tie('value')), { maxLength: 3, selector: ([key]) => JSON.parse(key) as string })
    .map((parts) => `{ ${parts.map(([key, value]) => `${key}:${value}`).join(', ')}}`),
})).value;

export const arrayOf = (element: Texts, delimiter = ','): Texts =>
  fc.array(fc.option(element, { freq: 4 }), { maxLength: 5 }).map((elements) => arrayLiteral(elements, delimiter));
export const matrixOf = (element: Texts): Texts =>
  fc.array(fc.tuple(fc.option(element), fc.option(element)), { minLength: 1, maxLength: 3 }).map((rows) => matrixLiteral(rows));
export const compositeOf = (...attributes: readonly Texts[]): Texts =>
  fc.tuple(...attributes.map((attribute) => fc.option(attribute, { freq: 4 }))).map(compositeLiteral);
export const hstore: Texts = fc.uniqueArray(fc.tuple(text, fc.option(text)), { maxLength: 4, selector: ([key]) => key }).map(hstoreLiteral);

/** `order` puts two bounds in the order of the type. */
export function rangeOf(bound: Texts, order: (a: string, b: string) => number): Texts {
  const parts = fc.record({
    a: fc.option(bound, { freq: 4 }),
    b: fc.option(bound, { freq: 4 }),
    open: fc.constantFrom('[', '('),
    close: fc.constantFrom(']', ')'),
  });
  const ordered = parts.map(({ a, b, open, close }) => {
    const swap = a !== null && b !== null && order(a, b) > 0;
    return rangeLiteral({ lower: swap ? b : a, upper: swap ? a : b, open, close } as Parameters<typeof rangeLiteral>[0]);
  });
  return fc.oneof({ weight: 8, arbitrary: ordered }, { weight: 1, arbitrary: fc.constant('empty') });
}

export const multirangeOf = (range: Texts): Texts =>
  fc.array(range, { maxLength: 3 }).map((ranges) => `{${ranges.filter((one) => one !== 'empty').join(',')}}`);
export const asNumbers = (a: string, b: string): number => Number(a) - Number(b);
export const asText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const point: Texts = fc.tuple(coordinate, coordinate).map(([x, y]) => `(${x},${y})`);
const points = (min: number): fc.Arbitrary<readonly string[]> => fc.array(point, { minLength: min, maxLength: 4 });
export const geometry = {
  point,
  lseg: fc.tuple(point, point).map((ends) => `[${ends.join(',')}]`),
  line: fc.tuple(fc.integer({ min: 1, max: 99 }), coordinate, coordinate).map((factors) => `{${factors.join(',')}}`),
  box: fc.tuple(point, point).map((corners) => corners.join(',')),
  path: fc.tuple(points(1), fc.boolean()).map(([some, open]) => (open ? `[${some.join(',')}]` : `(${some.join(',')})`)),
  polygon: points(1).map((some) => `(${some.join(',')})`),
  circle: fc.tuple(point, fc.integer({ min: 0, max: 1000 })).map(([center, radius]) => `<${center},${radius}>`),
} as const satisfies { readonly [name: string]: Texts };

export const tsvector: Texts = fc
  .array(
    fc.tuple(
      text.filter((some) => some !== ''),
      fc.integer({ min: 1, max: 99 }),
    ),
    { maxLength: 4 },
  )
  .map((lexemes) => lexemes.map(([lexeme, at]) => `'${lexeme.replace(/['\\]/g, '$&$&')}':${at}A`).join(' '));
