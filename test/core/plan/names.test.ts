import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildNames, isIndexOf, isRepairAlias, repairAliasOf } from '../../../src/core/plan/names.ts';
import { nameInSql } from '../../../src/core/table.ts';

const DATE = new Date('2026-11-29T15:40:12Z');
const ALIASES = ['products', 'Products', 'with-20261129t154012-a1b2', 'ünïcode.dots', 'a'.repeat(230)];

test('the name that a build gives its index is its own, with and without the name in the state', () => {
  for (const alias of ALIASES) {
    const { index } = buildNames(alias, 'k3f9', DATE);
    assert.ok(isIndexOf(index, { alias, build: 'k3f9', index }), alias);
    assert.ok(isIndexOf(index, { alias, build: 'k3f9' }), alias);
  }
});

test('what was copied under another name is not', () => {
  for (const alias of ALIASES) {
    const { index } = buildNames(alias, 'k3f9', DATE);
    const others = [
      `${index}-backup`,
      `restored-${index}`,
      `${alias.toLowerCase()}-backup`,
      buildNames(alias, 'b001', DATE).index,
      index.slice(0, -1),
    ];
    for (const other of [...others, `${alias.toLowerCase()}-k3f9`, buildNames(`${alias}x`, 'k3f9', DATE).index]) {
      assert.ok(!isIndexOf(other, { alias, build: 'k3f9', index }), other);
      assert.ok(!isIndexOf(other, { alias, build: 'k3f9' }), other);
    }
    // Of the same form: only the name in the state tells.
    assert.ok(!isIndexOf(buildNames(alias, 'k3f9', new Date(0)).index, { alias, build: 'k3f9', index }), alias);
  }
});

test('the alias of a repair, of this version or an earlier one, is known by its form', () => {
  const index = 'products-20261129t154012-k3f9';
  for (const alias of [repairAliasOf(index, 'ab12cd'), `${index}-REPAIR`]) assert.ok(isRepairAlias(index, alias), alias);
  for (const alias of ['products', `${index}-REPAIRS`, `${index}-repair`, `${index}-REPAIR-of mine`, `x${index}-REPAIR`]) {
    assert.ok(!isRepairAlias(index, alias), alias);
  }
});

test('a relation is named as it is written in SQL: quoted where it must be, and nowhere else', () => {
  for (const [schema, name, written] of [
    ['public', 'products', 'public.products'],
    ['_a1$', 'b_2', '_a1$.b_2'],
    ['Odd Schema', 'Table', '"Odd Schema"."Table"'],
    ['public', 'a"b', 'public."a""b"'],
    ['public', '1st', 'public."1st"'],
    ['public', 'a.b', 'public."a.b"'],
    ['public', 'müll', 'public."müll"'],
  ] as const) {
    assert.equal(nameInSql({ schema, name }), written);
  }
});
