import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditBlindSpots } from '../../../src/core/verify/audit-blind-spots.ts';
import { auditExitCode, auditVerdict, type Judged } from '../../../src/core/verify/audit-verdict.ts';

const EQUAL: Judged = {
  mode: 'full',
  differenceCount: 0,
  unsettledCount: 0,
  covered: 1,
  sectioned: false,
  mapping: [],
  ours: true,
  rows: 9,
  rejected: 1,
  documents: 8,
};
const OTHER_TYPE = [{ field: 'a', expected: 'long', actual: 'keyword' }];

const CASES: readonly (readonly [change: Partial<Judged>, verdict: string, exitCode: number])[] = [
  [{}, 'equal', 0],
  [{ differenceCount: 1 }, 'drift', 2],
  [{ differenceCount: 1, unsettledCount: 1, covered: 0.5 }, 'drift', 2],
  [{ unsettledCount: 1 }, 'unsettled', 75],
  [{ unsettledCount: 1, documents: 7 }, 'unsettled', 75],
  [{ covered: 0.5, documents: 0, sectioned: true }, 'unfinished', 75],
  [{ documents: 5, sectioned: true }, 'equal', 0],
  [{ documents: 7 }, 'drift', 2],
  [{ mode: 'counts', documents: 9 }, 'drift', 2],
  [{ mode: 'keys', rows: 3, documents: 0 }, 'equal', 0],
  [{ mapping: OTHER_TYPE }, 'drift', 2],
  [{ mapping: OTHER_TYPE, ours: false }, 'equal', 0],
];

for (const [change, verdict, exitCode] of CASES) {
  test(`${JSON.stringify(change)} is ${verdict}, exit ${exitCode}`, () => {
    const judged = { ...EQUAL, ...change };
    assert.equal(auditVerdict(judged), verdict);
    assert.equal(auditExitCode({ ...judged, repair: null }, 0), exitCode);
  });
}

test('differences that were allowed, or mended and proved, are no failure; what was not judged stays one', () => {
  const drift = { ...EQUAL, differenceCount: 3, repair: null };
  const done = { dryRun: false, written: 2, deleted: 0, settled: 1, proved: 2, refused: [] };
  const mended = { ...drift, repair: done };
  assert.equal(auditExitCode(drift, 3), 0);
  assert.equal(auditExitCode(drift, 2), 2);
  assert.equal(auditExitCode(mended, 0), 0);
  assert.equal(auditExitCode({ ...mended, unsettledCount: 1 }, 0), 75);
  assert.equal(auditExitCode({ ...mended, mapping: OTHER_TYPE }, 0), 2);
  for (const short of [{ dryRun: true }, { proved: 1 }, { refused: [{ id: '1', reason: 'r' }] }])
    assert.equal(auditExitCode({ ...drift, repair: { ...done, ...short } }, 0), 2);
});

const SEEN = {
  mode: 'full',
  method: 'settling',
  rows: 100,
  rejected: 0,
  sampled: { random: 50, changed: 0, deleted: 0 },
  sampledDocuments: 0,
} as const;

test('what was not seen depends on the mode, the index and the privileges', () => {
  const seen = { ...SEEN, ours: true, fedBy: 'realign', covered: 1, refreshed: true } as const;
  const text = (change: Partial<Parameters<typeof auditBlindSpots>[0]>): string => auditBlindSpots({ ...seen, ...change }).join('\n');
  assert.match(text({}), /written once by somebody else with the same content/);
  assert.doesNotMatch(text({}), /No slot feeds/);
  assert.match(text({ fedBy: 'others' }), /No slot feeds this index/);
  assert.match(text({ ours: false }), /do not tell who wrote a document/);
  assert.match(text({ covered: 0.129 }), /Only 12 % were looked at/);
  assert.match(text({ refreshed: false }), /may not refresh the index/);
  assert.match(text({ mode: 'sample', sampledDocuments: 10_000 }), /fewer than 3\/10000 \(0\.03 %\)/);
  assert.match(text({ mode: 'keys', rows: 1 }), /Only the 1 named key was compared/);
});
