import assert from 'node:assert/strict';
import { test } from 'node:test';
import { routingOfKey } from '../../../src/core/encode/routing.ts';
import { Failure } from '../../../src/core/failure.ts';
import type { IndexConfig } from '../../../src/core/plan/index-config.ts';
import { planIndex } from '../../../src/core/plan/plan-index.ts';
import { isPlaceless, routingMappingDifference, routingProblem } from '../../../src/core/plan/routing.ts';
import type { SourceTable } from '../../../src/core/table.ts';
import { routingDifference } from '../../../src/core/verify/routing-difference.ts';

import { columnOf } from '../encode/support.ts';

const table: SourceTable = {
  oid: 16384,
  schema: 'public',
  name: 'orders',
  partitioned: false,
  columns: [columnOf('id', { kind: 'number' }), columnOf('tenant_id', { kind: 'number' }), columnOf('region', { kind: 'string' })],
  key: ['tenant_id', 'id'],
  replicaIdentity: 'default',
  leaves: [],
  estimatedRows: -1,
  bytes: 0,
  fingerprint: 'f',
};

const configOf = (config: Partial<IndexConfig>): IndexConfig => ({
  ...{ alias: 'orders', table: 'public.orders', columns: { include: '*', exclude: [] }, rename: {}, where: null, computed: {}, fields: {} },
  ...{ mapping: null, settings: {}, id: null, idHash: 'none', routing: null, onNonFinite: 'reject', onUnrepresentable: 'reject' },
  ...config,
});

test('the plan knows the column, the mapping requires a routing, and both are in the fingerprint', () => {
  const plain = planIndex(table, configOf({}));
  const plan = planIndex(table, configOf({ routing: 'tenant_id' }));
  assert.deepEqual([plain.documentPlan.routing, plain.mapping._routing], [undefined, undefined]);
  assert.deepEqual([plan.documentPlan.routing, plan.mapping._routing], [1, { required: true }]);
  const other = planIndex(table, configOf({ routing: 'id' }));
  assert.equal(new Set([plain, plan, other].map(({ fingerprint }) => fingerprint)).size, 3);
});

test('the column may be left out of the document, or renamed in it', () => {
  const excluded = planIndex(table, configOf({ routing: 'tenant_id', columns: { include: '*', exclude: ['tenant_id'] } })).documentPlan;
  assert.equal(excluded.columns[excluded.routing ?? -1]?.name, 'tenant_id');
  assert.ok(excluded.fields.every(({ column }) => column !== excluded.routing));
  const renamed = planIndex(table, configOf({ routing: 'tenant_id', rename: { tenant_id: 'tenant' } })).documentPlan;
  assert.equal(renamed.routing, 1);
});

test('a complete mapping gets what is missing, and one that says so already stays as it is', () => {
  const properties = { id: { type: 'long' } };
  for (const _routing of [undefined, {}, { required: true }]) {
    const mapping = _routing === undefined ? { properties } : { properties, _routing };
    assert.deepEqual(planIndex(table, configOf({ routing: 'id', mapping })).mapping, { properties, _routing: { required: true } });
  }
});

const REFUSED: readonly (readonly [string, Partial<IndexConfig>, RegExp, RegExp])[] = [
  ['no such column', { routing: 'tenantid' }, /has no column "tenantid"; did you mean "tenant_id"\?/, /columns of the id/],
  [
    'not in the primary key',
    { routing: 'region' },
    /"region" is not one of the columns of the id \(tenant_id, id\)/,
    /id: \[region, tenant_id, id\]/,
  ],
  ['not in the id of the config', { id: ['id'], routing: 'tenant_id' }, /is not one of the columns of the id \(id\)/, /one of: id\./],
  [
    'a mapping that takes it back',
    { routing: 'id', mapping: { properties: {}, _routing: { required: false } } },
    /_routing\.required is false/,
    /Remove/,
  ],
  ['a mapping that asks for one', { mapping: { properties: {}, _routing: { required: true } } }, /no column is named/, /Set routing/],
];
for (const [what, config, message, fix] of REFUSED) {
  test(`refused, with the reason and the fix: ${what}`, () => {
    const problem = routingProblem(table, configOf(config));
    assert.match(problem?.message ?? '', message);
    assert.match(problem?.fix ?? '', fix);
    assert.throws(
      () => planIndex(table, configOf(config)),
      (error) => error instanceof Failure && error.kind === 'preflight-refused' && fix.test(error.hint ?? ''),
    );
  });
}

test('a key tells its routing', () => {
  assert.equal(routingOfKey({ key: [4, 2], routing: 2 }, ['a', 'b']), 'b');
  assert.equal(routingOfKey({ key: [4, 2] }, ['a', 'b']), undefined);
});

test('a document in another shard than its row says is named by a field, in whichever direction', () => {
  const plan = { key: [0, 1], routing: 0 };
  assert.deepEqual(routingDifference(plan, ['7', 'x'], '7'), []);
  assert.deepEqual(routingDifference(plan, ['7', 'x'], '8'), [{ field: '_routing', postgres: '"7"', elasticsearch: '"8"' }]);
  assert.deepEqual(routingDifference(plan, ['7', 'x'], undefined), [{ field: '_routing', postgres: '"7"', elasticsearch: '(missing)' }]);
  assert.deepEqual(routingDifference({ key: [0] }, ['7'], 'r'), [{ field: '_routing', postgres: '(missing)', elasticsearch: '"r"' }]);
  assert.deepEqual(routingDifference({ key: [0] }, ['7'], undefined), []);
});

test('an index that asks for a routing where the plan has none, or the other way round, has another mapping', () => {
  const required = { _routing: { required: true } };
  assert.deepEqual(routingMappingDifference({ routing: 0 }, required), []);
  assert.deepEqual(routingMappingDifference({}, {}), []);
  assert.deepEqual(routingMappingDifference({ routing: 0 }, {}), [{ field: '_routing', expected: 'required', actual: '(none)' }]);
  assert.deepEqual(routingMappingDifference({}, required), [{ field: '_routing', expected: '(none)', actual: 'required' }]);
  assert.deepEqual([routingMappingDifference({}, required), routingMappingDifference({ routing: 0 }, {})].flat().map(isPlaceless), [true, false]);
});
