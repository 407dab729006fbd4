import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formOf } from '../../../src/core/encode/form-of.ts';
import type { PgType, ValueForm } from '../../../src/core/encode/value-form.ts';

function pgType(oid: number, name: string, more: Partial<PgType> = {}): [number, PgType] {
  return [oid, { oid, name, schema: 'public', kind: 'b', elementOid: 0, delimiter: ',', baseOid: 0, subtypeOid: 0, attributes: [], ...more }];
}

const types: ReadonlyMap<number, PgType> = new Map([
  pgType(22, 'int2vector', { elementOid: 21 }),
  pgType(1007, '_int4', { elementOid: 23 }),
  pgType(1020, '_box', { elementOid: 603, delimiter: ';' }),
  pgType(3904, 'int4range', { kind: 'r', subtypeOid: 23 }),
  pgType(4451, 'int4multirange', { kind: 'm', subtypeOid: 23 }),
  pgType(100, 'hstore'),
  pgType(101, 'citext'),
  pgType(102, 'mood', { kind: 'e' }),
  pgType(103, 'positive', { kind: 'd', baseOid: 104 }),
  pgType(104, 'whole', { kind: 'd', baseOid: 20 }),
  pgType(105, '_positive', { elementOid: 103 }),
  pgType(106, 'place', {
    kind: 'c',
    attributes: [
      { name: 'at', typeOid: 1184 },
      { name: 'tags', typeOid: 107 },
    ],
  }),
  pgType(107, '_mood', { elementOid: 102 }),
]);

const table: readonly (readonly [number, ValueForm])[] = [
  ...[20, 21, 23, 26, 700, 701, 1700].map((oid) => [oid, { kind: 'number' }] as const),
  [16, { kind: 'boolean' }],
  [17, { kind: 'bytea' }],
  [22, { kind: 'string' }],
  [25, { kind: 'string' }],
  [790, { kind: 'string' }],
  [114, { kind: 'json' }],
  [3802, { kind: 'json' }],
  [1082, { kind: 'date' }],
  [1114, { kind: 'timestamp' }],
  [1184, { kind: 'timestamptz' }],
  [1007, { kind: 'array', element: { kind: 'number' }, delimiter: ',' }],
  [1020, { kind: 'array', element: { kind: 'string' }, delimiter: ';' }],
  [3904, { kind: 'range', bound: { kind: 'number' } }],
  [4451, { kind: 'multirange', bound: { kind: 'number' } }],
  [100, { kind: 'hstore' }],
  [101, { kind: 'string' }],
  [102, { kind: 'string' }],
  [103, { kind: 'number' }],
  [105, { kind: 'array', element: { kind: 'number' }, delimiter: ',' }],
  [
    106,
    {
      kind: 'composite',
      attributes: [
        { name: 'at', form: { kind: 'timestamptz' } },
        { name: 'tags', form: { kind: 'array', element: { kind: 'string' }, delimiter: ',' } },
      ],
    },
  ],
  [999_999, { kind: 'string' }],
];

for (const [oid, form] of table)
  test(`type ${types.get(oid)?.name ?? oid} has the form ${form.kind}`, () => assert.deepEqual(formOf(oid, types), form));
