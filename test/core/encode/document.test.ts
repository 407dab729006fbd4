import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteWriter } from '../../../src/core/encode/byte-writer.ts';
import { DocumentEncoder } from '../../../src/core/encode/document.ts';
import type { ValuePolicy } from '../../../src/core/encode/document-plan.ts';
import type { ValueForm } from '../../../src/core/encode/value-form.ts';
import { FIELD_ABSENT } from '../../../src/core/row.ts';
import { planOf, rowOf } from './support.ts';

const number: ValueForm = { kind: 'number' };
const string: ValueForm = { kind: 'string' };
const date: ValueForm = { kind: 'date' };
const timestamp: ValueForm = { kind: 'timestamp' };
const timestamptz: ValueForm = { kind: 'timestamptz' };
const numbers: ValueForm = { kind: 'array', element: number, delimiter: ',' };
const strings: ValueForm = { kind: 'array', element: string, delimiter: ',' };
const boxes: ValueForm = { kind: 'array', element: string, delimiter: ';' };
const pair: ValueForm = {
  kind: 'composite',
  attributes: [
    { name: 'x', form: number },
    { name: 'y', form: string },
  ],
};
const span: ValueForm = { kind: 'range', bound: timestamptz };

function encode(form: ValueForm, text: string | null, policy: ValuePolicy = 'reject'): string {
  const out = new ByteWriter(64);
  const rejection = new DocumentEncoder(planOf({ v: form }, { onNonFinite: policy, onUnrepresentable: policy })).encode(rowOf([text]), out);
  return rejection === undefined ? out.view().toString('utf8').slice('{"v":'.length, -1) : `rejected: ${rejection.reason}`;
}

/** Texts as PostgreSQL 17 prints them, and the exact bytes of the document. Frozen: other bytes make every audit differ. */
const golden: readonly (readonly [ValueForm, string | null, string])[] = [
  [number, null, 'null'],
  [number, '9223372036854775807', '9223372036854775807'],
  [number, '12345678901234567890.123456789000', '12345678901234567890.123456789000'],
  [number, '-0', '-0'],
  [number, '1e+20', '1e+20'],
  [number, '0.1', '0.1'],
  [number, `${'9'.repeat(1000)}`, '9'.repeat(1000)],
  [number, `-${'9'.repeat(500)}.${'9'.repeat(500)}`, `-${'9'.repeat(500)}.${'9'.repeat(500)}`],
  [{ kind: 'boolean' }, 't', 'true'],
  [{ kind: 'boolean' }, 'f', 'false'],
  [string, '', '""'],
  [string, 'NULL', '"NULL"'],
  [string, '\\N', '"\\\\N"'],
  [string, 'a"b\\c/d\b\f\n\r\t\v\u0001\u001f\u007fé😀', '"a\\"b\\\\c/d\\b\\f\\n\\r\\t\\u000b\\u0001\\u001f\u007fé😀"'],
  [date, '2024-02-29', '"2024-02-29"'],
  [timestamp, '2024-01-02 03:04:05', '"2024-01-02T03:04:05"'],
  [timestamp, '2024-01-02 03:04:05.123456', '"2024-01-02T03:04:05.123456"'],
  [timestamptz, '2024-01-02 03:04:05.123456+00', '"2024-01-02T03:04:05.123456Z"'],
  [{ kind: 'json' }, '{"b": 1.10, "a": 12345678901234567890,\n "a": [ ]}', '{"b": 1.10, "a": 12345678901234567890,  "a": [ ]}'],
  [{ kind: 'json' }, 'null', 'null'],
  [{ kind: 'bytea' }, '\\x', '""'],
  [{ kind: 'bytea' }, '\\x00', '"AA=="'],
  [{ kind: 'bytea' }, '\\x00ff', '"AP8="'],
  [{ kind: 'bytea' }, '\\x00ff10', '"AP8Q"'],
  [{ kind: 'hstore' }, '', '{}'],
  [{ kind: 'hstore' }, '"a"=>"1", "b\\"\\\\"=>NULL, ""=>"NULL"', '{"a":"1","b\\"\\\\":null,"":"NULL"}'],
  [numbers, '{}', '[]'],
  [numbers, '{1,NULL,3}', '[1,null,3]'],
  [numbers, '{{1,2},{3,NULL}}', '[[1,2],[3,null]]'],
  [numbers, '[0:1]={7,8}', '[7,8]'],
  [numbers, '[0:1][-1:0]={{1,2},{3,4}}', '[[1,2],[3,4]]'],
  [strings, '{"",a,"NULL",NULL,"a \\"b\\" \\\\","{}","x,y"}', '["","a","NULL",null,"a \\"b\\" \\\\","{}","x,y"]'],
  [boxes, '{(2,2),(1,1);(4,4),(3,3)}', '["(2,2),(1,1)","(4,4),(3,3)"]'],
  [{ kind: 'array', element: { kind: 'json' }, delimiter: ',' }, '{"{\\"a\\": 1}",NULL,2}', '[{"a": 1},null,2]'],
  [{ kind: 'array', element: pair, delimiter: ',' }, '{"(1,\\"a b\\")","(,\\"\\")",NULL}', '[{"x":1,"y":"a b"},{"x":null,"y":""},null]'],
  [pair, '(1,"a ""b"" \\\\")', '{"x":1,"y":"a \\"b\\" \\\\"}'],
  [pair, '(,)', '{"x":null,"y":null}'],
  [pair, '(2,"")', '{"x":2,"y":""}'],
  [
    {
      kind: 'composite',
      attributes: [
        { name: 'p', form: pair },
        { name: 'n', form: numbers },
      ],
    },
    '("(1,""a"")","{1,2}")',
    '{"p":{"x":1,"y":"a"},"n":[1,2]}',
  ],
  [{ kind: 'range', bound: number }, '[1,10)', '{"gte":1,"lt":10}'],
  [{ kind: 'range', bound: number }, '(1,10]', '{"gt":1,"lte":10}'],
  [{ kind: 'range', bound: number }, '(,10)', '{"lt":10}'],
  [{ kind: 'range', bound: number }, '[1,)', '{"gte":1}'],
  [{ kind: 'range', bound: number }, '(,)', '{}'],
  [{ kind: 'range', bound: number }, 'empty', 'null'],
  [span, '["2024-01-02 03:04:05+00","2024-01-03 00:00:00+00")', '{"gte":"2024-01-02T03:04:05Z","lt":"2024-01-03T00:00:00Z"}'],
  [{ kind: 'multirange', bound: number }, '{}', '[]'],
  [{ kind: 'multirange', bound: number }, '{[1,3),[7,9)}', '[{"gte":1,"lt":3},{"gte":7,"lt":9}]'],
  [{ kind: 'array', element: { kind: 'range', bound: number }, delimiter: ',' }, '{"[1,3)",empty}', '[{"gte":1,"lt":3},null]'],
];

for (const [form, text, json] of golden) {
  test(`${form.kind} ${JSON.stringify(text)?.slice(0, 60)}`, () => assert.equal(encode(form, text), json));
}

const HELD = 'a time that Elasticsearch cannot hold (infinity, BC, or a year after 9999)';
const refused: readonly (readonly [ValueForm, string, string, string, string])[] = [
  [number, 'NaN', 'NaN or Infinity', 'null', '"NaN"'],
  [number, 'Infinity', 'NaN or Infinity', 'null', '"Infinity"'],
  [number, '-Infinity', 'NaN or Infinity', 'null', '"-Infinity"'],
  [numbers, '{1,NaN}', 'NaN or Infinity', '[1,null]', '[1,"NaN"]'],
  [date, 'infinity', HELD, 'null', '"infinity"'],
  [date, '0044-03-15 BC', HELD, 'null', '"0044-03-15 BC"'],
  [date, '10000-01-01', HELD, 'null', '"10000-01-01"'],
  [timestamp, '-infinity', HELD, 'null', '"-infinity"'],
  [timestamp, '294276-12-31 23:59:59.999999', HELD, 'null', '"294276-12-31 23:59:59.999999"'],
  [timestamp, '0044-03-15 10:00:00 BC', HELD, 'null', '"0044-03-15 10:00:00 BC"'],
  [timestamptz, '0044-03-15 10:00:00+00 BC', HELD, 'null', '"0044-03-15 10:00:00+00 BC"'],
  [span, '["2024-01-02 03:04:05+00",infinity)', HELD, '{"gte":"2024-01-02T03:04:05Z","lt":null}', '{"gte":"2024-01-02T03:04:05Z","lt":"infinity"}'],
  [{ kind: 'array', element: pair, delimiter: ',' }, '{"(NaN,a)"}', 'NaN or Infinity', '[{"x":null,"y":"a"}]', '[{"x":"NaN","y":"a"}]'],
  [number, '1'.repeat(1001), 'a number of more than 1000 digits', 'null', `"${'1'.repeat(1001)}"`],
];

for (const [form, text, reason, asNull, asString] of refused) {
  test(`${form.kind} ${text.slice(0, 40)} follows the policy`, () => {
    assert.equal(encode(form, text), `rejected: ${reason}`);
    assert.equal(encode(form, text, 'null'), asNull);
    assert.equal(encode(form, text, 'string'), asString);
  });
}

test('a timestamptz of a session that is not pinned to UTC is refused under every policy', () => {
  for (const policy of ['reject', 'null', 'string'] as const)
    assert.match(encode(timestamptz, '2024-01-02 03:04:05+02', policy), /^rejected: .*not in UTC/);
});

for (const [form, text] of [
  [number, ''],
  [number, '$1.00'],
  [{ kind: 'boolean' }, 'true'],
  [{ kind: 'bytea' }, '\\x0'],
  [{ kind: 'bytea' }, '\\x0g'],
  [{ kind: 'bytea' }, 'abc'],
  [numbers, '1 2 3'],
  [numbers, '{1,2'],
  [numbers, '{1}}'],
  [strings, '{"a'],
  [pair, '(1,2,3)'],
  [pair, '(1)'],
  [{ kind: 'range', bound: number }, '[1]'],
  [{ kind: 'range', bound: number }, '1,2'],
  [{ kind: 'multirange', bound: number }, '{[1,2)[3,4)}'],
  [{ kind: 'hstore' }, '"a"=>1'],
  [{ kind: 'json' }, ''],
] as readonly (readonly [ValueForm, string])[]) {
  test(`${form.kind} does not take ${JSON.stringify(text)}`, () => assert.match(encode(form, text), /^rejected: /));
}

test('fields have their own names and order; key columns may stay outside', () => {
  const plan = { ...planOf({ id: number, a: string }), fields: [{ column: 1, field: 'full "name"' }] };
  const out = new ByteWriter(64);
  assert.equal(new DocumentEncoder(plan).encode(rowOf(['1', 'x']), out), undefined);
  assert.equal(out.view().toString(), '{"full \\"name\\"":"x"}');
});

test('the document grows over any buffer', () => {
  const text = '"\u0001x'.repeat(40_000);
  assert.equal(JSON.parse(encode(string, text)), text);
  assert.equal(encode(string, 'x'.repeat(100_000)).length, 100_002);
});

test('a row without an unchanged TOAST value is incomplete and cannot be encoded', () => {
  const encoder = new DocumentEncoder({ ...planOf({ id: number, a: string, b: string }), fields: [{ column: 1, field: 'a' }] });
  const row = rowOf(['1', 'x', 'y']);
  row.starts[2] = FIELD_ABSENT;
  assert.equal(encoder.isComplete(row), true);
  row.starts[1] = FIELD_ABSENT;
  assert.equal(encoder.isComplete(row), false);
  assert.throws(() => encoder.encode(row, new ByteWriter(64)), RangeError);
  row.starts[0] = FIELD_ABSENT;
  assert.throws(() => encoder.id(row), RangeError);
});
