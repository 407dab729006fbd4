import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditLines } from '../../../src/cli/output/audit-text.ts';
import { paintFor } from '../../../src/cli/output/paint.ts';
import { AUDIT } from './sample-audit.ts';

const lines = (changes: Partial<typeof AUDIT> = {}): string => auditLines('products', { ...AUDIT, ...changes }, paintFor(false)).join('\n');

test('drift is told with its kinds, keys, fields and writers', () => {
  assert.equal(
    lines(),
    ` ✗ products   drift: 1 missing, 1 extra, 1 different, 1 stale   1m 1s
   12,404,551 rows, 12,404,552 documents of products-20261129t154012-k3f9 at 5A/61B0; 1,020 of 1,024 partitions equal at once; 10,000 sampled (seed cafe); 12 documents last written by others, or by an earlier --repair
   products/90114   missing
   products/88213   different   field price   written by others, or by an earlier --repair
      price   postgres 12.90   elasticsearch 12.899
   products/1207   stale   fields price, name
   products/7   extra   2 documents with this id (routing)   written by others, or by an earlier --repair
   1 not judged: 5
   mapping of price: expected double, the index has keyword
   not searchable (_ignored): sku in 2, e.g. 1, 2
   repair: 2 written, 1 deleted, 3 read again and equal
   not repaired: 1207: column at: out of range
   not seen: Only _source was compared.
 Next: realign rebuild products`,
  );
});

const CLEAN = {
  differences: [],
  differenceCount: 0,
  unsettled: [],
  unsettledCount: 0,
  mapping: [],
  ignored: [],
  repair: null,
  blindSpots: [],
  next: [],
  exit_code: 0,
};

test('each verdict has its words', () => {
  assert.match(lines({ ...CLEAN, verdict: 'equal' }), /^ ✓ products {3}equal/);
  assert.match(
    lines({ ...CLEAN, verdict: 'unsettled', unsettled: ['5'], unsettledCount: 1, exit_code: 75 }),
    /^ ! products {3}1 key went on changing and could not be judged/,
  );
  assert.match(lines({ ...CLEAN, verdict: 'unfinished', covered: 0.456, exit_code: 75 }), /^ ! products {3}no difference so far; 45 % looked at/);
  assert.match(lines({ ...CLEAN, verdict: 'drift', exit_code: 2 }), /^ ✗ products {3}drift: 12,404,551 rows, 12,404,552 documents/);
  assert.match(lines({ ...CLEAN, verdict: 'drift', documents: AUDIT.rows, exit_code: 2 }), /^ ✗ products {3}drift of the mapping/);
});

test('the screen says what the exit code says', () => {
  const mended = { dryRun: false, written: 3, deleted: 1, settled: 0, proved: 4, refused: [] };
  const repaired = { ...CLEAN, verdict: 'drift', differences: AUDIT.differences, differenceCount: 4, repair: mended } as const;
  assert.match(lines(repaired), /^ ✓ products {3}equal after the repair; repaired: 4 \(1 missing, 1 extra, 1 different, 1 stale\)/);
  assert.match(
    lines({ ...repaired, unsettled: ['5'], unsettledCount: 1, exit_code: 75 }),
    /^ ! products {3}equal after the repair.*\n[\s\S]* not judged: 5/,
  );
  const refused = { ...mended, proved: 3, refused: [{ id: '7', reason: 'r' }] };
  assert.match(lines({ ...repaired, repair: refused, exit_code: 2 }), /^ ✗ products {3}drift: 1 missing/);
  // The mapping is none of a repair's.
  assert.match(lines({ ...repaired, mapping: AUDIT.mapping, exit_code: 2 }), /^ ✗ products {3}drift: 1 missing/);
  assert.match(lines({ ...repaired, repair: null }), /^ ! products {3}drift: 1 missing.*; as much as --max-diff allows/);
});

test('a dry run says what would be done, and long lists are cut', () => {
  const repair = { dryRun: true, written: 3, deleted: 1, settled: 1, proved: 0, refused: [] };
  assert.match(lines({ repair }), /repair: 3 would be written, 1 would be deleted, 1 equal by themselves/);
  const [one] = AUDIT.differences;
  assert.ok(one !== undefined);
  assert.match(lines({ differences: Array.from({ length: 50 }, () => one), differenceCount: 4000 }), /and 3,980 more/);
});
