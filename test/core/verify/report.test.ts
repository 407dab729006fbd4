import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VerifyReport } from '../../../src/core/events.ts';
import { Failure } from '../../../src/core/failure.ts';
import { blindSpots } from '../../../src/core/verify/blind-spots.ts';
import { DifferenceLedger, documentDifference } from '../../../src/core/verify/difference-ledger.ts';
import { isPassing, requirePassing } from '../../../src/core/verify/passing-report.ts';

const PASSING: VerifyReport = {
  mode: 'full',
  method: 'fence',
  fenceLsn: '0/1',
  rows: 10,
  documents: 9,
  rejected: 1,
  partitions: 1024,
  partitionsEqual: 1024,
  sampled: { random: 10, changed: 0, deleted: 0 },
  seed: 's',
  differences: [],
  differenceCount: 0,
  unsettled: [],
  blindSpots: [],
};

test('a report passes only if nothing differs, nothing is unjudged and the counts agree', () => {
  assert.equal(isPassing(PASSING), true);
  assert.equal(requirePassing(PASSING), PASSING);
  for (const change of [{ differenceCount: 1 }, { unsettled: ['7'] }, { documents: 10 }, { documents: 8 }, { rejected: 0 }]) {
    assert.equal(isPassing({ ...PASSING, ...change }), false, JSON.stringify(change));
  }
});

test('a failure says what is wrong, in numbers and without ids', () => {
  const report = { ...PASSING, differenceCount: 3, unsettled: ['secret-key'], documents: 8 };
  assert.throws(
    () => requirePassing(report),
    (error) => {
      assert.ok(error instanceof Failure && error.kind === 'verification-failed' && error.hint !== undefined);
      assert.match(error.message, /3 documents differ; 1 document kept changing .*; 10 rows less 1 rejected are not 8 documents/);
      assert.doesNotMatch(error.message + error.hint, /secret-key/);
      return true;
    },
  );
});

test('the ledger counts every id once and names the first thousand', () => {
  const ledger = new DifferenceLedger();
  for (let id = 0; id < 1500; id++) ledger.add(documentDifference(String(id), 'missing'));
  ledger.add(documentDifference('7', 'different', [{ field: 'a', postgres: '1', elasticsearch: '2' }]));
  assert.equal(ledger.count, 1500);
  assert.equal(ledger.named.length, 1000);
});

test('each mode says what it cannot see', () => {
  const seen = { mode: 'full', method: 'fence', rows: 10_000_000, rejected: 0, sampled: { random: 10_000, changed: 0, deleted: 0 } } as const;
  assert.match(blindSpots(seen).join('\n'), /with 95 % confidence fewer than 3\/10000 \(0\.03 %\) of all documents do/);
  assert.match(blindSpots({ ...seen, mode: 'counts' }).join('\n'), /Only counts were compared/);
  assert.match(blindSpots({ ...seen, mode: 'sample' }).join('\n'), /Outside the sample/);
  assert.match(blindSpots({ ...seen, rows: 5 }).join('\n'), /it had every row/);
  assert.match(blindSpots({ ...seen, sampled: { random: 0, changed: 0, deleted: 0 } }).join('\n'), /no row was sampled/);
  assert.match(blindSpots({ ...seen, method: 'settling', rejected: 2 }).join('\n'), /not frozen at one LSN[\s\S]*2 rejected rows are not/);
  assert.match(blindSpots({ ...seen, rejected: 1 }).join('\n'), /1 rejected row is not/);
});
