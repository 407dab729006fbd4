import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { emptyRow, rowFromTexts } from '../../../src/core/row.ts';
import { holdRow } from '../../../src/core/wal/held-row.ts';
import type { KeyChange } from '../../../src/core/wal/transaction.ts';
import { LookupSize, lookupGroups } from '../../../src/phases/replay/lookup-groups.ts';
import type { Step } from '../../../src/phases/replay/step-reader.ts';
import { runs } from '../../support/property-runs.ts';

/** A step for each number of changes (−1: a position); every third change needs a lookup if `every` is 3. */
function stepsOf(sizes: readonly number[], every: number): readonly Step[] {
  return sizes.map((size, xid): Step => {
    if (size < 0) return { kind: 'position', lsn: BigInt(xid) };
    const changes = Array.from(
      { length: size },
      (_, i): KeyChange => ({ id: `${xid}:${i}`, keyRow: holdRow(emptyRow(1)), row: null, rejection: null, needsLookup: i % every === 0 }),
    );
    const transaction = { finalLsn: 1n, xid, endLsn: 2n, firstPart: true, truncate: false, changes, rowChanges: size };
    return { kind: 'transaction', transaction };
  });
}

const sizes = fc.array(fc.oneof(fc.integer({ min: -1, max: 3 }), fc.integer({ min: 400, max: 1700 })), { maxLength: 8 });

test('groups keep every step and change in order, begin and end each transaction once, and ask for no more rows than they may', () => {
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 3 }), fc.constantFrom(1, 16, 500), (some, every, rows) => {
      const steps = stepsOf(some, every);
      const groups = [...lookupGroups(steps, { rows })];
      const seen: string[] = [];
      for (const group of groups) {
        let lookups = 0;
        for (const { step, from, to } of group) {
          if (from === 0) seen.push('begin');
          const changes = step.kind === 'transaction' ? step.transaction.changes : [];
          for (const change of changes.slice(from, to)) {
            seen.push(change.id);
            if (change.needsLookup) lookups++;
          }
          if (to === changes.length) seen.push('end');
        }
        assert.ok(lookups <= rows);
      }
      const wanted = steps.flatMap((step) => ['begin', ...(step.kind === 'transaction' ? step.transaction.changes.map(({ id }) => id) : []), 'end']);
      assert.deepEqual(seen, wanted);
    }),
    runs(200),
  );
});

test('of large rows fewer are looked up at once, of small ones step by step more, up to 500', () => {
  const size = new LookupSize();
  const learned = (asked: number, found: number, bytes: number): number => {
    size.learn(
      asked,
      Array.from({ length: found }, () => rowFromTexts(['x'.repeat(bytes)])),
    );
    return size.rows;
  };
  assert.equal(size.rows, 16);
  assert.equal(learned(1, 1, 100), 16);
  assert.deepEqual(
    [16, 32, 64, 128, 256, 500].map((asked) => learned(asked, asked, 100)),
    [32, 64, 128, 256, 500, 500],
  );
  assert.equal(learned(4, 4, 1 << 20), 16);
  assert.equal(learned(1, 1, 40 << 20), 1);
  // Behind a filter most keys give no row.
  assert.deepEqual(
    [1, 2, 4].map((asked) => learned(asked, 0, 0)),
    [2, 4, 8],
  );
  assert.equal(learned(0, 0, 0), 8);
});
