import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Flags } from '../../../src/cli/arguments.ts';
import { auditOptions } from '../../../src/cli/config/audit-options.ts';
import { Failure } from '../../../src/core/failure.ts';

const NOTHING = { verifyMode: undefined, sample: undefined };

test('defaults, the file over them, flags over the file', () => {
  const { seed, ...defaults } = auditOptions({}, NOTHING);
  assert.match(seed, /^[0-9a-f]{8}$/);
  assert.deepEqual(defaults, {
    mode: 'full',
    sample: 10_000,
    maxDiff: 0,
    settle: { rounds: 3, pauseMs: 10_000 },
    maxDurationMs: null,
    index: null,
    keys: null,
    rate: null,
    values: 'none',
    repair: 'no',
    maxRepair: 1000,
  });
  const file = auditOptions({}, { verifyMode: 'sample', sample: 7 });
  assert.deepEqual([file.mode, file.sample], ['sample', 7]);
  const flags = auditOptions({ mode: 'full', sample: '9', settle: '2x500ms', 'max-duration': '20m', rate: '5' }, { verifyMode: 'counts', sample: 7 });
  assert.deepEqual([flags.mode, flags.sample, flags.settle, flags.maxDurationMs, flags.rate], ['full', 9, { rounds: 2, pauseMs: 500 }, 1_200_000, 5]);
  assert.equal(auditOptions({ repair: true, 'dry-run': true }, NOTHING).repair, 'dry-run');
});

const WRONG: readonly (readonly [Flags, RegExp])[] = [
  [{ settle: '1x10s' }, /--settle: .*at least 2 looks, because .*, not "1x10s"/],
  [{ settle: '3x10' }, /--settle/],
  [{ settle: '3' }, /--settle/],
  [{ 'max-diff': '-1' }, /--max-diff/],
  [{ rate: '0' }, /--rate: expected a whole number, at least 1/],
  [{ 'max-duration': '20' }, /--max-duration: expected a duration with its unit/],
  [{ 'dry-run': true }, /--dry-run shows what --repair would do/],
  [{ 'max-repair': '5' }, /--max-repair limits --repair/],
  [{ repair: true, 'max-repair': '10001' }, /at most 10000/],
  [{ repair: true, mode: 'counts' }, /--repair needs the names of the keys/],
  [{ 'max-duration': '1m', mode: 'sample' }, /--max-duration is for the full comparison/],
  [{ state: 'x' }, /--state is where a run with --max-duration/],
  [{ 'keys-file': '/nowhere/keys' }, /--keys-file: .* cannot be read \(ENOENT\)/],
];

for (const [flags, message] of WRONG) {
  test(`audit ${JSON.stringify(flags)}: refused before anything is contacted`, () => {
    assert.throws(
      () => auditOptions(flags, NOTHING),
      (error) => error instanceof Failure && error.kind === 'usage' && message.test(error.message),
    );
  });
}

test('the keys are lines, each once; an empty file is refused', () => {
  const folder = mkdtempSync(join(tmpdir(), 'realign-keys-'));
  try {
    const file = join(folder, 'keys');
    writeFileSync(file, 'a b\r\n7\n7\n\n');
    assert.deepEqual(auditOptions({ 'keys-file': file }, NOTHING).keys, ['a b', '7']);
    assert.throws(() => auditOptions({ 'keys-file': file, mode: 'full' }, NOTHING), /--mode does not go with it/);
    writeFileSync(file, '\n');
    assert.throws(() => auditOptions({ 'keys-file': file }, NOTHING), /names no key/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
