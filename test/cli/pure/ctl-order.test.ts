import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseOrder } from '../../../src/cli/commands/ctl.ts';

test('an order with its changes', () => {
  assert.deepEqual(parseOrder(['pause']), { kind: 'pause' });
  assert.deepEqual(parseOrder(['set', 'rate=none', 'copy-jobs=2', 'max-slot-wal=1MiB']), {
    kind: 'set',
    limits: { rate: 0, copyJobs: 2, maxSlotWal: 2 ** 20 },
  });
});

test('what is wrong with it is told at once, and what could be set', () => {
  assert.throws(() => parseOrder(['set', 'rate=0', 'copy-job=1', 'max-slot-wal=0MiB']), {
    kind: 'usage',
    message: [
      '3 mistakes on the command line:',
      '  rate=0: expected a whole number, at least 1',
      '  "copy-job" cannot be set; did you mean "copy-jobs"?',
      '  max-slot-wal=0MiB: expected more than zero',
    ].join('\n'),
    hint: 'Example: realign ctl products set rate=5000',
  });
  assert.throws(() => parseOrder(['pause', 'rate=1']), { kind: 'usage', message: 'pause takes nothing behind it, not "rate=1"', hint: /--help/ });
});
