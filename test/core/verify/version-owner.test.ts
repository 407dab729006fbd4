import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isForeignVersion } from '../../../src/core/verify/version-owner.ts';

const SPACE = { cp: 8000n, newestLsn: 9000n };

test('versions of the load and of the replay are ours, everything else is not', () => {
  for (const version of [7999n, 8008n, 8992n, 9000n]) assert.equal(isForeignVersion(version, SPACE, true), false, `${version}`);
  for (const version of [1n, 7992n, 8001n, 8009n, 9008n, 2n ** 62n]) assert.equal(isForeignVersion(version, SPACE, false), true, `${version}`);
});

test('the consistent point itself is a loaded row written once by somebody else, if the document differs', () => {
  assert.equal(isForeignVersion(8000n, SPACE, true), true);
  assert.equal(isForeignVersion(8000n, SPACE, false), false);
});
