import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { explore } from './explore.ts';
import { rebuildModel } from './rebuild.ts';
import { allBut, RULES, type Rule } from './rules.ts';
import { SCENARIOS } from './scenarios.ts';

const LIMIT = 2_000_000;

for (const scenario of SCENARIOS) {
  describe(scenario.name, () => {
    test('with every rule no state is wrong', (context) => {
      const { states, found } = explore(rebuildModel(scenario, allBut(null)), LIMIT);
      context.diagnostic(`${states} states`);
      assert.equal(found, null, found === null ? '' : `${found.violation}\n${found.trace.join('\n')}`);
    });

    for (const rule of scenario.finds) {
      test(`without "${rule}" (${RULES[rule]}) one is`, (context) => {
        const { found } = explore(rebuildModel(scenario, allBut(rule)), LIMIT);
        assert.ok(found !== null, 'nothing is wrong without the rule: either it is not needed or the model does not show why');
        context.diagnostic([...found.trace, found.violation].join('\n'));
      });
    }
  });
}

test('every rule is shown to be needed by some scenario', () => {
  const shown = new Set(SCENARIOS.flatMap(({ finds }) => finds));
  assert.deepEqual(
    (Object.keys(RULES) as Rule[]).filter((rule) => !shown.has(rule)),
    [],
  );
});
