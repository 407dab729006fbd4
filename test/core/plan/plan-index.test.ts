import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ValueForm } from '../../../src/core/encode/value-form.ts';
import { Failure } from '../../../src/core/failure.ts';
import type { IndexConfig } from '../../../src/core/plan/index-config.ts';
import { planIndex } from '../../../src/core/plan/plan-index.ts';
import type { Column, SourceTable } from '../../../src/core/table.ts';
import { columnOf } from '../encode/support.ts';

const number: ValueForm = { kind: 'number' };
const string: ValueForm = { kind: 'string' };

function typed(name: string, typeName: string, form: ValueForm): Column {
  return columnOf(name, form, { typeName });
}

function tableOf(columns: readonly Column[], key: readonly string[] = ['id'], more: Partial<SourceTable> = {}): SourceTable {
  return {
    oid: 16384,
    schema: 'public',
    name: 'products',
    partitioned: false,
    columns,
    key,
    replicaIdentity: 'default',
    leaves: [],
    estimatedRows: -1,
    bytes: 0,
    fingerprint: 'f',
    ...more,
  };
}

function configOf(more: Partial<IndexConfig> = {}): IndexConfig {
  return {
    alias: 'products',
    table: 'public.products',
    columns: { include: '*', exclude: [] },
    rename: {},
    where: null,
    computed: {},
    id: null,
    fields: {},
    mapping: null,
    settings: {},
    idHash: 'none',
    routing: null,
    onNonFinite: 'reject',
    onUnrepresentable: 'reject',
    ...more,
  };
}

const products = tableOf([typed('id', 'bigint', number), typed('name', 'text', string), typed('price', 'numeric(12,2)', number)]);

test('the smallest config takes all columns as they are', () => {
  const plan = planIndex(products, configOf());
  assert.deepEqual(plan.documentPlan.columns, products.columns);
  assert.deepEqual(
    plan.documentPlan.fields.map(({ field }) => field),
    ['id', 'name', 'price'],
  );
  assert.deepEqual(plan.documentPlan.key, [0]);
  assert.deepEqual(plan.settings, { 'index.mapping.coerce': false });
  assert.deepEqual(plan.mapping, {
    dynamic: 'strict',
    properties: {
      id: { type: 'long' },
      name: { type: 'text', fields: { keyword: { type: 'keyword', ignore_above: 256 } } },
      price: { type: 'double' },
    },
  });
  assert.deepEqual(plan.warnings, []);
});

test('a key column outside the document is read all the same', () => {
  const table = tableOf([typed('b', 'integer', number), typed('id', 'bigint', number), typed('a', 'integer', number)], ['id', 'b']);
  const plan = planIndex(table, configOf({ columns: { include: ['a'], exclude: [] }, rename: { a: 'alpha' } }));
  assert.deepEqual(
    plan.documentPlan.columns.map(({ name }) => name),
    ['a', 'id', 'b'],
  );
  assert.deepEqual(plan.documentPlan.fields, [{ column: 0, field: 'alpha' }]);
  assert.deepEqual(plan.documentPlan.key, [1, 2]);
});

function problemsOf(table: SourceTable, config: IndexConfig): string {
  try {
    planIndex(table, config);
  } catch (error) {
    if (error instanceof Failure && error.kind === 'config') return error.message;
    throw error;
  }
  return '';
}

test('all mistakes of the config are told at once, with the nearest names', () => {
  const message = problemsOf(
    products,
    configOf({
      columns: { include: ['id', 'nmae'], exclude: ['zzzzzzzzz'] },
      rename: { prise: 'x', price: 'y' },
      fields: { idd: { type: 'keyword' } },
    }),
  );
  for (const part of [
    '5 mistakes in the config:',
    'indices.products.columns.include: the table has no column "nmae"; did you mean "name"?',
    'indices.products.columns.exclude: the table has no column "zzzzzzzzz"\n',
    'indices.products.rename: the table has no column "prise"; did you mean "price"?',
    'indices.products.rename: column "price" is not in the document',
    'indices.products.fields: the document has no field "idd"; did you mean "id"?',
  ]) {
    assert.ok(message.includes(part), `${part}\n-- in --\n${message}`);
  }
});

for (const [what, config, part] of [
  ['two columns of one name', { rename: { name: 'price' } }, 'the columns "name" and "price" would both be field "price"'],
  ['a reserved name', { rename: { name: '_source' } }, 'the field name "_source" is reserved by Elasticsearch'],
  ['an empty part', { rename: { name: 'a..b' } }, 'has an empty part'],
  ['a value that is an object too', { rename: { name: 'price.net' } }, 'field "price" would be a value and'],
  ['no column left', { columns: { include: '*', exclude: ['id', 'name', 'price'] } }, 'no column is left'],
  ['a field of Object.prototype', { fields: { constructor: { type: 'long' } } }, 'the document has no field "constructor"'],
  [
    'a strict mapping without a field',
    { mapping: { dynamic: 'strict', properties: { id: {}, name: {}, prices: {} } } },
    'no property "price"; did you mean "prices"?',
  ],
] as readonly (readonly [string, Partial<IndexConfig>, string])[]) {
  test(`a mistake: ${what}`, () => assert.ok(problemsOf(products, configOf(config)).includes(part), problemsOf(products, configOf(config))));
}

test('a key column that cannot be read', () => {
  assert.match(problemsOf(tableOf(products.columns, ['id', 'tenant']), configOf()), /the key column "tenant" cannot be read/);
});

test('a table without a primary key has no ids', () => {
  assert.throws(() => planIndex(tableOf(products.columns, []), configOf()), { kind: 'preflight-refused' });
});

test('fields replaces single fields, mapping the whole', () => {
  const override = { type: 'scaled_float', scaling_factor: 100 };
  const inferred = planIndex(products, configOf({ fields: { price: override } })).mapping;
  assert.deepEqual((inferred.properties as { price: unknown }).price, override);
  const own = { dynamic: false, properties: { id: { type: 'keyword' } } };
  assert.deepEqual(planIndex(products, configOf({ mapping: own })).mapping, own);
  assert.deepEqual(planIndex(products, configOf({ mapping: own, fields: { price: override } })).mapping, {
    dynamic: false,
    properties: { id: { type: 'keyword' }, price: override },
  });
});

test('a column called like a property of every object is a column like others', () => {
  const table = tableOf([typed('id', 'bigint', number), typed('constructor', 'boolean', { kind: 'boolean' }), typed('__proto__', 'uuid', string)]);
  const properties = planIndex(table, configOf()).mapping.properties as object;
  assert.deepEqual(Object.keys(properties), ['id', 'constructor', '__proto__']);
});

test('settings have one spelling, and the config has the last word', () => {
  const spelled = configOf({
    settings: {
      number_of_shards: 3,
      'index.refresh_interval': '5s',
      index: { mapping: { coerce: true } },
      analysis: { filter: { f: { stopwords: ['a'] } } },
    },
  });
  assert.deepEqual(planIndex(products, spelled).settings, {
    'index.mapping.coerce': true,
    'index.number_of_shards': 3,
    'index.refresh_interval': '5s',
    'index.analysis.filter.f.stopwords': ['a'],
  });
});

test('the fingerprint changes with all that shapes documents, and with nothing else', () => {
  const fingerprint = (more: Partial<IndexConfig>, table = products): string => planIndex(table, configOf(more)).fingerprint;
  const base = fingerprint({});
  assert.match(base, /^[0-9a-f]{64}$/);
  assert.equal(fingerprint({ settings: { a: 1, b: 2 } }), fingerprint({ settings: { b: 2, 'index.a': 1 } }));
  assert.equal(fingerprint({}, { ...products, estimatedRows: 5, bytes: 9, fingerprint: 'other', leaves: [] }), base);
  const others: readonly string[] = [
    fingerprint({ onNonFinite: 'null' }),
    fingerprint({ onUnrepresentable: 'string' }),
    fingerprint({ idHash: 'sha256' }),
    fingerprint({ rename: { name: 'title' } }),
    fingerprint({ columns: { include: '*', exclude: ['name'] } }),
    fingerprint({ settings: { number_of_shards: 2 } }),
    fingerprint({ fields: { name: { type: 'keyword' } } }),
    fingerprint({}, { ...products, oid: 16385 }),
    fingerprint({}, { ...products, key: ['name'] }),
    fingerprint({}, { ...products, columns: [...products.columns.slice(0, 2), typed('price', 'numeric(12,3)', number)] }),
  ];
  assert.equal(new Set([base, ...others]).size, others.length + 1);
});

const array = (element: ValueForm): ValueForm => ({ kind: 'array', element, delimiter: ',' });
const range = (bound: ValueForm): ValueForm => ({ kind: 'range', bound });
const keyword = { type: 'keyword', ignore_above: 8191 };
const time = { type: 'date', format: 'strict_date_optional_time' };

/** What `src/core/plan/field-type.ts` says, written again by hand. */
const inferredTypes: readonly (readonly [string, ValueForm, object])[] = [
  ['smallint', number, { type: 'short' }],
  ['integer', number, { type: 'integer' }],
  ['bigint[]', array(number), { type: 'long' }],
  ['oid', number, { type: 'long' }],
  ['real', number, { type: 'float' }],
  ['double precision', number, { type: 'double' }],
  ['numeric', number, { type: 'double' }],
  ['numeric(18,0)', number, { type: 'long' }],
  ['numeric(18,0)[]', array(number), { type: 'long' }],
  ['numeric(19,0)', number, { type: 'double' }],
  ['numeric(5,-2)', number, { type: 'double' }],
  ['public.positive', number, { type: 'double' }],
  ['boolean', { kind: 'boolean' }, { type: 'boolean' }],
  ['text[]', array(string), { type: 'text', fields: { keyword: { type: 'keyword', ignore_above: 256 } } }],
  ['character varying', string, { type: 'text', fields: { keyword: { type: 'keyword', ignore_above: 256 } } }],
  ['character varying(20)', string, keyword],
  ['character(3)', string, keyword],
  ['uuid', string, keyword],
  ['"Odd.Schema".mood', string, keyword],
  ['public.citext', string, { ...keyword, normalizer: 'lowercase' }],
  ['time without time zone', string, keyword],
  ['date', { kind: 'date' }, { type: 'date', format: 'strict_date' }],
  ['timestamp(3) without time zone', { kind: 'timestamp' }, time],
  ['timestamp with time zone', { kind: 'timestamptz' }, time],
  ['jsonb', { kind: 'json' }, { type: 'object', enabled: false }],
  ['public.hstore', { kind: 'hstore' }, { type: 'flattened' }],
  ['bytea', { kind: 'bytea' }, { type: 'binary' }],
  ['inet', string, { type: 'ip' }],
  ['cidr', string, { type: 'ip_range' }],
  ['int4range', range(number), { type: 'integer_range' }],
  ['int8multirange', { kind: 'multirange', bound: number }, { type: 'long_range' }],
  ['numrange', range(number), { type: 'double_range' }],
  ['daterange', range({ kind: 'date' }), { type: 'date_range', format: 'strict_date' }],
  ['tstzrange', range({ kind: 'timestamptz' }), { ...time, type: 'date_range' }],
  ['public.textrange', range(string), { type: 'object', enabled: false }],
  [
    'public.place',
    {
      kind: 'composite',
      attributes: [
        { name: 'at', form: { kind: 'timestamptz' } },
        { name: 'n', form: array(number) },
      ],
    },
    { properties: { at: time, n: { type: 'double' } } },
  ],
];

for (const [typeName, form, mapping] of inferredTypes) {
  test(`${typeName} is mapped as ${JSON.stringify(mapping)}`, () => {
    const plan = planIndex(tableOf([typed('id', 'bigint', number), typed('v', typeName, form)]), configOf());
    assert.deepEqual((plan.mapping.properties as { v: unknown }).v, mapping);
  });
}

test('what is stored but not found is said, unless the config decided it', () => {
  const table = tableOf([
    typed('id', 'bigint', number),
    typed('j', 'jsonb', { kind: 'json' }),
    typed('t', 'tsvector', string),
    typed('a', 'inet', string),
  ]);
  assert.equal(planIndex(table, configOf()).warnings.length, 3);
  assert.equal(planIndex(table, configOf({ fields: { j: { type: 'flattened' } } })).warnings.length, 2);
});

test('computed fields come behind the columns, take the place of one of their name, and count in the fingerprint', () => {
  const computed: Column[] = [
    {
      name: 'price',
      attnum: 0,
      typeName: 'numeric',
      typeOid: 1700,
      typmod: -1,
      notNull: false,
      generated: false,
      form: { kind: 'number' },
      sql: 'price / 100',
    },
    {
      name: 'lower',
      attnum: 0,
      typeName: 'text',
      typeOid: 25,
      typmod: -1,
      notNull: false,
      generated: false,
      form: { kind: 'string' },
      sql: 'lower(x)',
    },
  ];
  const config = configOf({ computed: { price: 'price / 100', lower: 'lower(x)' }, where: 'x > 0' });
  const plan = planIndex(products, config, computed);
  const { columns, fields, where } = plan.documentPlan;
  assert.equal(where, 'x > 0');
  assert.deepEqual(
    fields.slice(-2).map(({ column, field }) => [field, columns[column]?.sql]),
    [
      ['price', 'price / 100'],
      ['lower', 'lower(x)'],
    ],
  );
  assert.equal(fields.filter(({ field }) => field === 'price').length, 1);
  assert.notEqual(plan.fingerprint, planIndex(products, { ...config, where: 'x > 1' }, computed).fingerprint);
  assert.notEqual(
    plan.fingerprint,
    planIndex(products, config, [{ ...(computed[0] as Column), sql: 'price / 10' }, computed[1] as Column]).fingerprint,
  );
});

test('a key column cannot be computed, and columns of the id must exist, each once', () => {
  const [key = ''] = products.key;
  assert.throws(() => planIndex(products, configOf({ computed: { [key]: '1' } }), []), /fields\..*sql: the field is a column of the key/);
  assert.throws(() => planIndex(products, configOf({ id: ['nope'] })), /id: the table has no column "nope"/);
  assert.throws(() => planIndex(products, configOf({ id: ['price', 'price'] })), /id: column "price" is named twice/);
  const plan = planIndex(tableOf(products.columns, []), configOf({ id: ['price', key] })).documentPlan;
  assert.deepEqual(
    plan.key.map((at) => plan.columns[at]?.name),
    ['price', key],
  );
});

test('a mapping of more than 1,000 fields says so in its settings, unless the config does', () => {
  const wide = tableOf(
    Array.from({ length: 700 }, (_, i) => typed(`c${i}`, 'text', { kind: 'string' })),
    ['c0'],
  );
  assert.equal(planIndex(wide, configOf()).settings['index.mapping.total_fields.limit'], 1400);
  assert.equal(planIndex(wide, configOf({ settings: { 'mapping.total_fields.limit': 5000 } })).settings['index.mapping.total_fields.limit'], 5000);
  assert.equal(planIndex(products, configOf()).settings['index.mapping.total_fields.limit'], undefined);
});
