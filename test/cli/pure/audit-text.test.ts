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
};

test('each verdict has its words', () => {
  assert.match(lines({ ...CLEAN, verdict: 'equal' }), /^ ✓ products {3}equal/);
  assert.match(
    lines({ ...CLEAN, verdict: 'unsettled', unsettled: ['5'], unsettledCount: 1 }),
    /^ ! products {3}1 key went on changing and could not be judged/,
  );
  assert.match(lines({ ...CLEAN, verdict: 'unfinished', covered: 0.456 }), /^ ! products {3}no difference so far; 45 % looked at/);
  assert.match(lines({ ...CLEAN, verdict: 'drift' }), /^ ✗ products {3}drift: 12,404,551 rows, 12,404,552 documents/);
  assert.match(lines({ ...CLEAN, verdict: 'drift', documents: AUDIT.rows }), /^ ✗ products {3}drift of the mapping/);
});

test('a dry run says what would be done, and long lists are cut', () => {
  const repair = { dryRun: true, written: 3, deleted: 1, settled: 1, proved: 0, refused: [] };
  assert.match(lines({ repair }), /repair: 3 would be written, 1 would be deleted, 1 equal by themselves/);
  const [one] = AUDIT.differences;
  assert.ok(one !== undefined);
  assert.match(lines({ differences: Array.from({ length: 50 }, () => one), differenceCount: 4000 }), /and 3,980 more/);
});
