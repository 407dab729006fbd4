import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALIAS_RULES, type AliasRule, aliasModel } from './alias.ts';
import { explore } from './explore.ts';

const LIMIT = 500_000;
const STARTS: readonly (string | null)[] = ['G', null];

for (const first of STARTS) {
  test(`two builds, ${first === null ? 'the first of their alias' : 'with the alias on an index'}: it is on exactly one index at all times`, (context) => {
    const { states, found } = explore(
      aliasModel(first, () => true),
      LIMIT,
    );
    context.diagnostic(`${states} states`);
    assert.equal(found, null, JSON.stringify(found, null, 1));
  });
}

const FOUND_FROM: Readonly<Record<AliasRule, string | null>> = { must_exist: 'G', 'write index': null, lock: 'G' };

for (const rule of Object.keys(ALIAS_RULES) as AliasRule[]) {
  test(`without "${rule}" (${ALIAS_RULES[rule]}) it is not`, (context) => {
    const { found } = explore(
      aliasModel(FOUND_FROM[rule], (other) => other !== rule),
      LIMIT,
    );
    assert.ok(found !== null, 'nothing is wrong without the rule');
    context.diagnostic([...found.trace, found.violation].join('\n'));
  });
}
