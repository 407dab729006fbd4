import type { Shape } from './expected-json.ts';
import * as gen from './generators.ts';
import { arrayLiteral, compositeLiteral } from './literals.ts';

export interface TypeCase {
  /** The column, and the field of the document. */
  readonly name: string;
  readonly sql: string;
  readonly shape: Shape;
  readonly values: gen.Texts;
  /** Input and exact JSON: what the table of types promises, written down by hand. */
  readonly golden: readonly (readonly [input: string, json: string])[];
  /** The inferred mapping holds only part of the type's values: the field is stored without being searched. */
  readonly stored?: true;
  readonly extension?: string;
}

/** Types that the cases need; run with the schemas `app` and `ext` (for extensions) in the search path. */
export const TYPE_SCHEMA = `
  create type app.mood as enum ('sad', 'ok', 'very happy', 'NULL', '"', 'é');
  create domain app.posint as int check (value > 0);
  create domain app.strict_posint as app.posint check (value < 1000000000);
  create domain app.price as numeric(30,4);
  create domain app.tags as text[];
  create type app.inner_row as (a int, "b ""c" text);
  create type app.address as (street text, n numeric, at timestamptz, tags text[], deep app.inner_row, ok boolean, raw bytea);
  create domain app.home as app.address;
  create type app.wordrange as range (subtype = text, multirange_type_name = app.wordmultirange);
  create type app.floatrange as range (subtype = float8, subtype_diff = float8mi, multirange_type_name = app.floatmultirange);`;

const innerRow: Shape = {
  composite: [
    ['a', 'number'],
    ['b "c', 'text'],
  ],
};
const address: Shape = {
  composite: [
    ['street', 'text'],
    ['n', 'number'],
    ['at', 'timestamptz'],
    ['tags', { array: 'text' }],
    ['deep', innerRow],
    ['ok', 'boolean'],
    ['raw', 'bytea'],
  ],
};
const addressText = gen.compositeOf(
  gen.text,
  gen.numeric(20, 10),
  gen.timestamptz,
  gen.arrayOf(gen.text),
  gen.compositeOf(gen.int4, gen.text),
  gen.word.map((w) => (w > 'm' ? 't' : 'f')),
  gen.bytea,
);
const mood: gen.Texts = gen.word.map((w) => ['sad', 'ok', 'very happy', 'NULL', '"', 'é'][w.charCodeAt(0) % 6] as string);
const bool: gen.Texts = gen.word.map((w) => (w > 'm' ? 't' : 'f'));
const utc: gen.Texts = gen.timestamp.map((at) => `${at}+00`);
const nines = '9'.repeat(1000);
const third = `0.${'3'.repeat(999)}`;

const numbers: readonly TypeCase[] = [
  {
    name: 'int2',
    sql: 'int2',
    shape: 'number',
    values: gen.integer(-32768n, 32767n),
    golden: [
      ['-32768', '-32768'],
      ['32767', '32767'],
    ],
  },
  {
    name: 'int4',
    sql: 'int4',
    shape: 'number',
    values: gen.int4,
    golden: [
      ['-2147483648', '-2147483648'],
      ['0', '0'],
    ],
  },
  {
    name: 'int8',
    sql: 'int8',
    shape: 'number',
    values: gen.integer(-(2n ** 63n), 2n ** 63n - 1n),
    golden: [
      ['9223372036854775807', '9223372036854775807'],
      ['-9223372036854775808', '-9223372036854775808'],
      ['9007199254740993', '9007199254740993'],
    ],
  },
  { name: 'oid', sql: 'oid', shape: 'number', values: gen.integer(0n, 2n ** 32n - 1n), golden: [['4294967295', '4294967295']] },
  {
    name: 'numeric',
    sql: 'numeric',
    shape: 'number',
    stored: true,
    values: gen.numeric(60, 60),
    golden: [
      ['-0', '0'],
      ['0.10', '0.10'],
      ['1e3', '1000'],
      ['1E-20', '0.00000000000000000001'],
      [nines, nines],
      [`-${nines}`, `-${nines}`],
      [third, third],
    ],
  },
  {
    name: 'numeric_p',
    sql: 'numeric(12,3)',
    shape: 'number',
    values: gen.numeric(9, 3),
    golden: [
      ['1.5', '1.500'],
      ['-0.0004', '0.000'],
    ],
  },
  { name: 'numeric_s', sql: 'numeric(10,0)', shape: 'number', values: gen.integer(-9999999999n, 9999999999n), golden: [['12.5', '13']] },
  {
    name: 'float4',
    sql: 'float4',
    shape: 'number',
    values: gen.float4,
    golden: [
      ['-0', '-0'],
      ['1e-45', '1e-45'],
      ['3.4028235e38', '3.4028235e+38'],
      ['16777217', '1.6777216e+07'],
      ['0.1', '0.1'],
    ],
  },
  {
    name: 'float8',
    sql: 'float8',
    shape: 'number',
    values: gen.float8,
    golden: [
      ['-0', '-0'],
      ['5e-324', '5e-324'],
      ['2.2250738585072009e-308', '2.225073858507201e-308'],
      ['1.7976931348623157e308', '1.7976931348623157e+308'],
      ['0.1', '0.1'],
      ['1e15', '1e+15'],
      ['123456789012345678', '1.2345678901234568e+17'],
    ],
  },
  {
    name: 'bool',
    sql: 'boolean',
    shape: 'boolean',
    values: bool,
    golden: [
      ['t', 'true'],
      ['off', 'false'],
    ],
  },
  { name: 'money', sql: 'money', shape: 'text', values: gen.money, golden: [['-1234.5', '"-$1,234.50"']] },
];

const strings: readonly TypeCase[] = [
  {
    name: 'text',
    sql: 'text',
    shape: 'text',
    values: gen.text,
    golden: [
      ['', '""'],
      ['a"b\\c\nd\te\u0001\u001f\u007f', '"a\\"b\\\\c\\nd\\te\\u0001\\u001f\u007f"'],
      ['NULL', '"NULL"'],
      ['\\N', '"\\\\N"'],
      ['\\u0000', '"\\\\u0000"'],
      ['\u2028é😀', '"\u2028é😀"'],
    ],
  },
  { name: 'varchar', sql: 'varchar(300)', shape: 'text', values: gen.text, golden: [['a ', '"a "']] },
  {
    name: 'char_n',
    sql: 'char(6)',
    shape: 'text',
    values: gen.word.map((w) => w.slice(0, 6)),
    golden: [
      ['ab', '"ab    "'],
      ['', '"      "'],
    ],
  },
  {
    name: 'char_quoted',
    sql: '"char"',
    shape: 'text',
    values: gen.word.map((w) => w.slice(0, 1)),
    golden: [
      ['a', '"a"'],
      ['', '""'],
      ['"', '"\\""'],
      ['\\', '"\\\\"'],
    ],
  },
  {
    name: 'name',
    sql: 'name',
    shape: 'text',
    values: gen.word,
    golden: [
      ['"x y"', '"\\"x y\\""'],
      ['n'.repeat(80), `"${'n'.repeat(63)}"`],
    ],
  },
  { name: 'citext', sql: 'ext.citext', shape: 'text', values: gen.text, golden: [['MiXed', '"MiXed"']], extension: 'citext' },
  {
    name: 'enum',
    sql: 'app.mood',
    shape: 'text',
    values: mood,
    golden: [
      ['very happy', '"very happy"'],
      ['"', '"\\""'],
      ['NULL', '"NULL"'],
    ],
  },
  {
    name: 'uuid',
    sql: 'uuid',
    shape: 'text',
    values: gen.uuid,
    golden: [['A0EEBC999C0B4EF8BB6D6BB9BD380A11', '"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"']],
  },
  {
    name: 'inet',
    sql: 'inet',
    shape: 'text',
    stored: true,
    values: gen.inet,
    golden: [
      ['10.1.2.3', '"10.1.2.3"'],
      ['10.1.2.3/8', '"10.1.2.3/8"'],
      ['::ffff:1.2.3.4/128', '"::ffff:1.2.3.4"'],
    ],
  },
  { name: 'cidr', sql: 'cidr', shape: 'text', values: gen.cidr, golden: [['10', '"10.0.0.0/8"']] },
  { name: 'macaddr', sql: 'macaddr', shape: 'text', values: gen.macaddr(6), golden: [['0800.2b01.0203', '"08:00:2b:01:02:03"']] },
  { name: 'macaddr8', sql: 'macaddr8', shape: 'text', values: gen.macaddr(8), golden: [['08002b:0102030405', '"08:00:2b:01:02:03:04:05"']] },
  { name: 'xml', sql: 'xml', shape: 'text', values: gen.xml, golden: [['<a b="1">é &amp;\n</a>', '"<a b=\\"1\\">é &amp;\\n</a>"']] },
  { name: 'bit', sql: 'bit(5)', shape: 'text', values: gen.bits(5), golden: [['10101', '"10101"']] },
  {
    name: 'varbit',
    sql: 'bit varying',
    shape: 'text',
    values: gen.bits(9),
    golden: [
      ['', '""'],
      ['1', '"1"'],
    ],
  },
  { name: 'tsvector', sql: 'tsvector', shape: 'text', values: gen.tsvector, golden: [["b:2 a:1A 'it''s'", "\"'a':1A 'b':2 'it''s'\""]] },
  { name: 'tsquery', sql: 'tsquery', shape: 'text', values: gen.word, golden: [['a & !b', "\"'a' & !'b'\""]] },
  {
    name: 'jsonpath',
    sql: 'jsonpath',
    shape: 'text',
    values: gen.word.map((w) => `$.${w}`),
    golden: [['$.a[*] ? (@ > 1)', '"$.\\"a\\"[*]?(@ > 1)"']],
  },
  {
    name: 'pg_lsn',
    sql: 'pg_lsn',
    shape: 'text',
    values: gen.integer(0n, 2n ** 31n).map((n) => `A/${BigInt(n).toString(16)}`),
    golden: [['ff/1', '"FF/1"']],
  },
  { name: 'xid8', sql: 'xid8', shape: 'text', values: gen.integer(0n, 2n ** 63n), golden: [['18446744073709551615', '"18446744073709551615"']] },
  {
    name: 'pg_snapshot',
    sql: 'pg_snapshot',
    shape: 'text',
    values: gen.integer(1n, 99n).map((n) => `${n}:${n}:`),
    golden: [['10:20:10,14', '"10:20:10,14"']],
  },
  { name: 'tid', sql: 'tid', shape: 'text', values: gen.integer(0n, 999n).map((n) => `(${n},1)`), golden: [['(0,1)', '"(0,1)"']] },
  { name: 'int2vector', sql: 'int2vector', shape: 'text', values: gen.integer(0n, 999n), golden: [['1 2 3', '"1 2 3"']] },
  {
    name: 'regtype',
    sql: 'regtype',
    shape: 'text',
    values: gen.word.map((w) => (w > 'm' ? 'int4' : 'text')),
    golden: [
      ['int4', '"integer"'],
      ['app.mood', '"app.mood"'],
    ],
  },
  { name: 'regclass', sql: 'regclass', shape: 'text', values: gen.word.map(() => 'pg_class'), golden: [['pg_class', '"pg_class"']] },
];

const times: readonly TypeCase[] = [
  {
    name: 'date',
    sql: 'date',
    shape: 'date',
    values: gen.date,
    golden: [
      ['2024-02-29', '"2024-02-29"'],
      ['0001-01-01', '"0001-01-01"'],
      ['9999-12-31', '"9999-12-31"'],
    ],
  },
  {
    name: 'timestamp',
    sql: 'timestamp',
    shape: 'timestamp',
    values: gen.timestamp,
    golden: [
      ['2024-01-02 03:04:05.123456', '"2024-01-02T03:04:05.123456"'],
      ['0001-01-01', '"0001-01-01T00:00:00"'],
      ['2023-12-31 24:00', '"2024-01-01T00:00:00"'],
    ],
  },
  {
    name: 'timestamp_0',
    sql: 'timestamp(0)',
    shape: 'timestamp',
    values: gen.timestamp,
    golden: [['1999-12-31 23:59:59.6', '"2000-01-01T00:00:00"']],
  },
  {
    name: 'timestamptz',
    sql: 'timestamptz',
    shape: 'timestamptz',
    values: gen.timestamptz,
    golden: [
      ['2024-03-31 03:30 Europe/Berlin', '"2024-03-31T01:30:00Z"'],
      ['1969-12-31 23:59:59.999999+00', '"1969-12-31T23:59:59.999999Z"'],
      ['0001-01-01 00:00+00', '"0001-01-01T00:00:00Z"'],
    ],
  },
  {
    name: 'time',
    sql: 'time',
    shape: 'text',
    values: gen.time,
    golden: [
      ['24:00', '"24:00:00"'],
      ['3:4:5.1', '"03:04:05.1"'],
    ],
  },
  { name: 'timetz', sql: 'timetz', shape: 'text', values: gen.timetz, golden: [['03:04:05.1+05:30', '"03:04:05.1+05:30"']] },
  {
    name: 'interval',
    sql: 'interval',
    shape: 'text',
    values: gen.interval,
    golden: [
      ['1 year 2 mons -3 days 04:05:06.7', '"1 year 2 mons -3 days +04:05:06.7"'],
      ['0', '"00:00:00"'],
      ['P1Y', '"1 year"'],
    ],
  },
];

const documents: readonly TypeCase[] = [
  {
    name: 'json',
    sql: 'json',
    shape: 'json',
    values: gen.json,
    golden: [
      ['{"b" : 1.10,\n "a":[1e400 , -0.0]}', '{"b" : 1.10,  "a":[1e400 , -0.0]}'],
      ['{"a":"\\u0000"}', '{"a":"\\u0000"}'],
      [' "x" ', ' "x" '],
    ],
  },
  {
    name: 'jsonb',
    sql: 'jsonb',
    shape: 'json',
    values: gen.json,
    golden: [
      ['{"a":1,"A":2,"a ":3,"\\u0061\\u0301":4,"\\u00e1":5}', '{"A": 2, "a": 1, "a ": 3, "\u00e1": 5, "a\u0301": 4}'],
      ['{"k":1,"k":2}', '{"k": 2}'],
      ['{"":{"a.b":"\\\\u0000"}}', '{"": {"a.b": "\\\\u0000"}}'],
      ['123456789012345678901234567890.10', '123456789012345678901234567890.10'],
      ['1e400', `1${'0'.repeat(400)}`],
      ['"\\ud83d\\ude00\\/"', '"😀/"'],
      ['null', 'null'],
      ['[]', '[]'],
    ],
  },
  {
    name: 'bytea',
    sql: 'bytea',
    shape: 'bytea',
    values: gen.bytea,
    golden: [
      ['\\x', '""'],
      ['\\x00ff', '"AP8="'],
      ['\\x616263', '"YWJj"'],
    ],
  },
  {
    name: 'hstore',
    sql: 'ext.hstore',
    shape: 'hstore',
    stored: true,
    values: gen.hstore,
    golden: [
      ['', '{}'],
      ['a=>1,b=>NULL,"x y"=>"q\\"\\\\"', '{"a":"1","b":null,"x y":"q\\"\\\\"}'],
    ],
    extension: 'hstore',
  },
  {
    name: 'composite',
    sql: 'app.address',
    shape: address,
    values: addressText,
    golden: [
      ['(,,,,,,)', '{"street":null,"n":null,"at":null,"tags":null,"deep":null,"ok":null,"raw":null}'],
      [
        '("a ""b""",1.50,"2024-01-01 00:00+00","{NULL,""NULL"",""x\\\\""y""}","(1,)",t,"\\\\x00")',
        '{"street":"a \\"b\\"","n":1.50,"at":"2024-01-01T00:00:00Z","tags":[null,"NULL","x\\"y"],"deep":{"a":1,"b \\"c":null},"ok":true,"raw":"AA=="}',
      ],
    ],
  },
  { name: 'domain', sql: 'app.strict_posint', shape: 'number', values: gen.integer(1n, 999_999_999n), golden: [['7', '7']] },
  { name: 'domain_numeric', sql: 'app.price', shape: 'number', values: gen.numeric(12, 4), golden: [['1', '1.0000']] },
  { name: 'domain_array', sql: 'app.tags', shape: { array: 'text' }, values: gen.arrayOf(gen.text), golden: [['{a,NULL}', '["a",null]']] },
  {
    name: 'domain_composite',
    sql: 'app.home',
    shape: address,
    values: addressText,
    golden: [['(x,,,{},,,)', '{"street":"x","n":null,"at":null,"tags":[],"deep":null,"ok":null,"raw":null}']],
  },
];

const { geometry } = gen;
const geometries: readonly TypeCase[] = [
  { name: 'point', sql: 'point', shape: 'text', values: geometry.point, golden: [['1e-5,-0', '"(1e-05,-0)"']] },
  { name: 'line', sql: 'line', shape: 'text', values: geometry.line, golden: [['{1,2,3}', '"{1,2,3}"']] },
  { name: 'lseg', sql: 'lseg', shape: 'text', values: geometry.lseg, golden: [['(1,2),(3,4)', '"[(1,2),(3,4)]"']] },
  { name: 'box', sql: 'box', shape: 'text', values: geometry.box, golden: [['(1,2),(3,4)', '"(3,4),(1,2)"']] },
  {
    name: 'path',
    sql: 'path',
    shape: 'text',
    values: geometry.path,
    golden: [
      ['[(1,2),(3,4)]', '"[(1,2),(3,4)]"'],
      ['((1,2))', '"((1,2))"'],
    ],
  },
  { name: 'polygon', sql: 'polygon', shape: 'text', values: geometry.polygon, golden: [['((0,0),(1,1),(0.1,0))', '"((0,0),(1,1),(0.1,0))"']] },
  { name: 'circle', sql: 'circle', shape: 'text', values: geometry.circle, golden: [['1,2,3', '"<(1,2),3>"']] },
];

/** Ranges whose bounds fall into one step of what Elasticsearch indexes (a millisecond, a double) are refused by it: generated ones are only stored. */
const ranges: readonly TypeCase[] = [
  {
    name: 'int4range',
    sql: 'int4range',
    shape: { range: 'number' },
    stored: true,
    values: gen.rangeOf(gen.integer(-1000n, 1000n), gen.asNumbers),
    golden: [
      ['[1,10)', '{"gte":1,"lt":10}'],
      ['(1,10]', '{"gte":2,"lt":11}'],
      ['(,)', '{}'],
      ['empty', 'null'],
      ['(3,4)', 'null'],
    ],
  },
  {
    name: 'int8range',
    sql: 'int8range',
    shape: { range: 'number' },
    values: gen.integer(0n, 99n).map((n) => `[${n},)`),
    golden: [['[9007199254740993,]', '{"gte":9007199254740993}']],
  },
  {
    name: 'numrange',
    sql: 'numrange',
    shape: { range: 'number' },
    stored: true,
    values: gen.rangeOf(gen.numeric(20, 20), gen.asNumbers).filter((some) => !/^[[(]"(-?)(\d+\.?\d*)","/.test(some) || !sameDouble(some)),
    golden: [
      ['(1.10,2.20]', '{"gt":1.10,"lte":2.20}'],
      ['[,5]', '{"lte":5}'],
    ],
  },
  {
    name: 'floatrange',
    sql: 'app.floatrange',
    shape: { range: 'number' },
    stored: true,
    values: gen.rangeOf(gen.float8, gen.asNumbers),
    golden: [['[-0,5e-324]', '{"gte":-0,"lte":5e-324}']],
  },
  {
    name: 'daterange',
    sql: 'daterange',
    shape: { range: 'date' },
    stored: true,
    values: gen.rangeOf(gen.date, gen.asText),
    golden: [['[2024-02-28,2024-02-29]', '{"gte":"2024-02-28","lt":"2024-03-01"}']],
  },
  {
    name: 'tsrange',
    sql: 'tsrange',
    shape: { range: 'timestamp' },
    stored: true,
    values: gen.rangeOf(gen.timestamp, gen.asText),
    golden: [['(2024-01-01,"2024-01-01 00:00:00.000001"]', '{"gt":"2024-01-01T00:00:00","lte":"2024-01-01T00:00:00.000001"}']],
  },
  {
    name: 'tstzrange',
    sql: 'tstzrange',
    shape: { range: 'timestamptz' },
    stored: true,
    values: gen.rangeOf(utc, gen.asText),
    golden: [['["2024-01-01 00:00+02",)', '{"gte":"2023-12-31T22:00:00Z"}']],
  },
  {
    name: 'wordrange',
    sql: 'app.wordrange',
    shape: { range: 'text' },
    values: gen.rangeOf(gen.word, gen.asText),
    golden: [
      ['["a,b","c""]")', '{"gte":"a,b","lt":"c\\"]"}'],
      ['["",z]', '{"gte":"","lte":"z"}'],
    ],
  },
  {
    name: 'int4multirange',
    sql: 'int4multirange',
    shape: { multirange: 'number' },
    stored: true,
    values: gen.multirangeOf(gen.rangeOf(gen.integer(-1000n, 1000n), gen.asNumbers)),
    golden: [
      ['{}', '[]'],
      ['{[7,9),[1,3)}', '[{"gte":1,"lt":3},{"gte":7,"lt":9}]'],
    ],
  },
  {
    name: 'tstzmultirange',
    sql: 'tstzmultirange',
    shape: { multirange: 'timestamptz' },
    stored: true,
    values: gen.multirangeOf(gen.rangeOf(utc, gen.asText)),
    golden: [['{[2024-01-01 00:00+00,2024-01-02 00:00+00)}', '[{"gte":"2024-01-01T00:00:00Z","lt":"2024-01-02T00:00:00Z"}]']],
  },
  {
    name: 'wordmultirange',
    sql: 'app.wordmultirange',
    shape: { multirange: 'text' },
    values: gen.multirangeOf(gen.rangeOf(gen.word, gen.asText)),
    golden: [['{["a]","b)"],(c,)}', '[{"gte":"a]","lte":"b)"},{"gt":"c"}]']],
  },
];

function sameDouble(range: string): boolean {
  const [lower, upper] = range
    .slice(1, -1)
    .split(',')
    .map((bound) => Number(bound.replaceAll('"', '')));
  return lower === upper;
}

/** Arrays of nearly everything above, one- and two-dimensional, with NULL elements and odd lower bounds. */
const arrays: readonly TypeCase[] = [
  {
    name: 'int4_array',
    sql: 'int4[]',
    shape: { array: 'number' },
    values: gen.matrixOf(gen.int4),
    golden: [
      ['{}', '[]'],
      ['{1,NULL}', '[1,null]'],
      ['[0:1]={5,6}', '[5,6]'],
      ['{{{1,2},{3,4}},{{5,6},{7,NULL}}}', '[[[1,2],[3,4]],[[5,6],[7,null]]]'],
      ['[-1:0][3:4]={{1,2},{3,4}}', '[[1,2],[3,4]]'],
    ],
  },
  {
    name: 'text_array',
    sql: 'text[]',
    shape: { array: 'text' },
    values: gen.arrayOf(gen.text),
    golden: [['{"",NULL,"NULL","a,b","{}","q\\"\\\\"}', '["",null,"NULL","a,b","{}","q\\"\\\\"]']],
  },
  {
    name: 'text_matrix',
    sql: 'text[]',
    shape: { array: 'text' },
    values: gen.matrixOf(gen.text),
    golden: [['{{a,NULL},{"}",","}}', '[["a",null],["}",","]]']],
  },
  {
    name: 'float8_array',
    sql: 'float8[]',
    shape: { array: 'number' },
    values: gen.arrayOf(gen.float8),
    golden: [['{-0,5e-324,1e21}', '[-0,5e-324,1e+21]']],
  },
  {
    name: 'numeric_array',
    sql: 'numeric[]',
    shape: { array: 'number' },
    stored: true,
    values: gen.arrayOf(gen.numeric(40, 40)),
    golden: [[`{0.10,${nines}}`, `[0.10,${nines}]`]],
  },
  { name: 'bool_array', sql: 'bool[]', shape: { array: 'boolean' }, values: gen.arrayOf(bool), golden: [['{t,NULL,f}', '[true,null,false]']] },
  {
    name: 'char_array',
    sql: 'char(3)[]',
    shape: { array: 'text' },
    values: gen.arrayOf(gen.word.map((w) => w.slice(0, 3))),
    golden: [['{a,"  "}', '["a  ","   "]']],
  },
  {
    name: 'enum_array',
    sql: 'app.mood[]',
    shape: { array: 'text' },
    values: gen.arrayOf(mood),
    golden: [['{"very happy",NULL,"NULL"}', '["very happy",null,"NULL"]']],
  },
  {
    name: 'domain_of_array',
    sql: 'app.posint[]',
    shape: { array: 'number' },
    values: gen.arrayOf(gen.integer(1n, 99n)),
    golden: [['{1,2}', '[1,2]']],
  },
  { name: 'date_array', sql: 'date[]', shape: { array: 'date' }, values: gen.arrayOf(gen.date), golden: [['{2024-02-29}', '["2024-02-29"]']] },
  { name: 'timestamp_array', sql: 'timestamp[]', shape: { array: 'timestamp' }, values: gen.arrayOf(gen.timestamp), golden: [] },
  {
    name: 'timestamptz_array',
    sql: 'timestamptz[]',
    shape: { array: 'timestamptz' },
    values: gen.arrayOf(gen.timestamptz),
    golden: [['{"2024-01-01 00:00+02",NULL}', '["2023-12-31T22:00:00Z",null]']],
  },
  { name: 'interval_array', sql: 'interval[]', shape: { array: 'text' }, values: gen.arrayOf(gen.interval), golden: [] },
  {
    name: 'bytea_array',
    sql: 'bytea[]',
    shape: { array: 'bytea' },
    values: gen.arrayOf(gen.bytea),
    golden: [[arrayLiteral(['\\x00ff', '\\x']), '["AP8=",""]']],
  },
  {
    name: 'json_array',
    sql: 'json[]',
    shape: { array: 'json' },
    values: gen.arrayOf(gen.json),
    golden: [[arrayLiteral(['{"a" :\n1.10}', 'null', null]), '[{"a" : 1.10},null,null]']],
  },
  {
    name: 'jsonb_array',
    sql: 'jsonb[]',
    shape: { array: 'json' },
    values: gen.arrayOf(gen.json),
    golden: [[arrayLiteral(['"NULL"', '[1,2]']), '["NULL",[1, 2]]']],
  },
  { name: 'uuid_array', sql: 'uuid[]', shape: { array: 'text' }, values: gen.arrayOf(gen.uuid), golden: [] },
  { name: 'money_array', sql: 'money[]', shape: { array: 'text' }, values: gen.arrayOf(gen.money), golden: [['{1234}', '["$1,234.00"]']] },
  {
    name: 'box_array',
    sql: 'box[]',
    shape: { array: 'text' },
    values: gen.arrayOf(geometry.box, ';'),
    golden: [['{(1,2),(3,4);NULL}', '["(3,4),(1,2)",null]']],
  },
  { name: 'point_array', sql: 'point[]', shape: { array: 'text' }, values: gen.arrayOf(geometry.point), golden: [['{"(1,2)"}', '["(1,2)"]']] },
  { name: 'tsvector_array', sql: 'tsvector[]', shape: { array: 'text' }, values: gen.arrayOf(gen.tsvector), golden: [] },
  { name: 'xml_array', sql: 'xml[]', shape: { array: 'text' }, values: gen.arrayOf(gen.xml), golden: [] },
  {
    name: 'composite_array',
    sql: 'app.address[]',
    shape: { array: address },
    values: gen.arrayOf(addressText),
    golden: [
      [
        arrayLiteral([compositeLiteral(['a"\\', null, null, '{"x,y"}', '(1,"q""")', null, null]), null]),
        '[{"street":"a\\"\\\\","n":null,"at":null,"tags":["x,y"],"deep":{"a":1,"b \\"c":"q\\""},"ok":null,"raw":null},null]',
      ],
    ],
  },
  {
    name: 'int4range_array',
    sql: 'int4range[]',
    shape: { array: { range: 'number' } },
    stored: true,
    values: gen.arrayOf(gen.rangeOf(gen.integer(0n, 99n), gen.asNumbers)),
    golden: [['{"[1,2)",empty,NULL}', '[{"gte":1,"lt":2},null,null]']],
  },
  {
    name: 'wordrange_array',
    sql: 'app.wordrange[]',
    shape: { array: { range: 'text' } },
    values: gen.arrayOf(gen.rangeOf(gen.word, gen.asText)),
    golden: [[arrayLiteral(['["a ""b",c]']), '[{"gte":"a \\"b","lte":"c"}]']],
  },
  {
    name: 'multirange_array',
    sql: 'int4multirange[]',
    shape: { array: { multirange: 'number' } },
    stored: true,
    values: gen.arrayOf(gen.multirangeOf(gen.rangeOf(gen.integer(0n, 99n), gen.asNumbers))),
    golden: [['{"{[1,2),[4,5)}"}', '[[{"gte":1,"lt":2},{"gte":4,"lt":5}]]']],
  },
  {
    name: 'citext_array',
    sql: 'ext.citext[]',
    shape: { array: 'text' },
    values: gen.arrayOf(gen.text),
    golden: [['{A,a}', '["A","a"]']],
    extension: 'citext',
  },
  {
    name: 'hstore_array',
    sql: 'ext.hstore[]',
    shape: { array: 'hstore' },
    stored: true,
    values: gen.arrayOf(gen.hstore),
    golden: [[arrayLiteral(['a=>"q\\"",b=>NULL']), '[{"a":"q\\"","b":null}]']],
    extension: 'hstore',
  },
];

export const TYPE_CASES: readonly TypeCase[] = [...numbers, ...strings, ...times, ...documents, ...geometries, ...ranges, ...arrays];
