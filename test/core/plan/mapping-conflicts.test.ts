import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ValueForm } from '../../../src/core/encode/value-form.ts';
import { fieldMappingOf } from '../../../src/core/plan/field-type.ts';
import { mappingConflicts } from '../../../src/core/plan/mapping-conflicts.ts';
import type { Column } from '../../../src/core/table.ts';

const STRING: ValueForm = { kind: 'string' };
const NUMBER: ValueForm = { kind: 'number' };

function column(typeName: string, form: ValueForm): Column {
  return { name: 'v', attnum: 1, typeName, typeOid: 1, typmod: -1, notNull: false, generated: false, form };
}

function conflicts(typeName: string, form: ValueForm, mapped: object, settings: { readonly [name: string]: unknown } = {}): readonly string[] {
  const mapping = { properties: { v: mapped } };
  return mappingConflicts([column(typeName, form)], [{ column: 0, field: 'v' }], mapping, settings).map(({ message }) => message);
}

const COLUMNS: readonly (readonly [typeName: string, form: ValueForm])[] = [
  ['money', STRING],
  ['uuid', STRING],
  ['inet', STRING],
  ['cidr', STRING],
  ['text', STRING],
  ['bit(3)', STRING],
  ['time without time zone', STRING],
  ['numeric(12,2)', NUMBER],
  ['bigint[]', { kind: 'array', element: NUMBER, delimiter: ',' }],
  ['boolean', { kind: 'boolean' }],
  ['date', { kind: 'date' }],
  ['timestamp with time zone', { kind: 'timestamptz' }],
  ['jsonb', { kind: 'json' }],
  ['bytea', { kind: 'bytea' }],
  ['public.hstore', { kind: 'hstore' }],
  ['int4range', { kind: 'range', bound: NUMBER }],
  ['tstzrange', { kind: 'range', bound: { kind: 'timestamptz' } }],
  ['public.pair', { kind: 'composite', attributes: [{ name: 'a', form: NUMBER }] }],
];

test('what is inferred is never a conflict', () => {
  for (const [typeName, form] of COLUMNS) assert.deepEqual(conflicts(typeName, form, fieldMappingOf(column(typeName, form))), [], typeName);
});

const REFUSED: readonly (readonly [typeName: string, form: ValueForm, type: string])[] = [
  ['money', STRING, 'date'],
  ['money', STRING, 'double'],
  ['uuid', STRING, 'ip'],
  ['inet', STRING, 'date'],
  ['text', STRING, 'long'],
  ['text', STRING, 'nested'],
  ['numeric', NUMBER, 'boolean'],
  ['numeric', NUMBER, 'flattened'],
  ['boolean', { kind: 'boolean' }, 'integer'],
  ['date', { kind: 'date' }, 'integer'],
  ['date', { kind: 'date' }, 'date_range'],
  ['public.hstore', { kind: 'hstore' }, 'keyword'],
  ['int4range', { kind: 'range', bound: NUMBER }, 'integer'],
  ['tstzrange', { kind: 'range', bound: { kind: 'timestamptz' } }, 'long_range'],
];

for (const [typeName, form, type] of REFUSED) {
  test(`${typeName} as ${type} is told with the field, the column's type and what is inferred`, () => {
    const [message = ''] = conflicts(typeName, form, { type });
    assert.equal(message, `field "v" is mapped as ${type}, but column "v" is ${typeName}: Elasticsearch would refuse the value of every row`);
  });
}

test('what some rows may pass is not judged: dates and addresses in text, numbers as dates, anything that is not parsed', () => {
  for (const type of ['date', 'boolean', 'ip', 'keyword', 'completion', 'geo_point']) assert.deepEqual(conflicts('text', STRING, { type }), [], type);
  assert.deepEqual(conflicts('bigint', NUMBER, { type: 'date' }), []);
  assert.deepEqual(conflicts('jsonb', { kind: 'json' }, { type: 'date' }), []);
  assert.deepEqual(conflicts('money', STRING, { type: 'object', enabled: false }), []);
  assert.deepEqual(conflicts('money', STRING, { type: 'date', ignore_malformed: true }), []);
  assert.deepEqual(conflicts('money', STRING, { type: 'date' }, { 'index.mapping.ignore_malformed': true }), []);
  assert.deepEqual(conflicts('text', STRING, { type: 'long', coerce: true }), []);
  assert.deepEqual(conflicts('text', STRING, { type: 'long' }, { 'index.mapping.coerce': 'true' }), []);
});

test('names with dots are found as one property and as objects', () => {
  for (const properties of [{ 'a.b': { type: 'date' } }, { a: { properties: { b: { type: 'date' } } } }]) {
    assert.equal(mappingConflicts([column('money', STRING)], [{ column: 0, field: 'a.b' }], { properties }, {}).length, 1);
  }
});
