import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatLsn, parseLsn } from '../../../src/core/lsn.ts';
import { seededRandom } from '../../../src/core/random.ts';
import { Acknowledger } from '../../../src/core/wal/acknowledger.ts';
import { DeleteMemory } from '../../../src/core/wal/delete-memory.ts';
import { Reservoir } from '../../../src/core/wal/reservoir.ts';
import { isVisible, parseSnapshot, widenXid } from '../../../src/core/wal/snapshot.ts';
import { Watermark } from '../../../src/core/wal/watermark.ts';

test('LSNs survive print and parse over all 64 bits, and compare as numbers', () => {
  fc.assert(fc.property(fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }), (lsn) => parseLsn(formatLsn(lsn)) === lsn));
  assert.ok(parseLsn('9/0') < parseLsn('10/0'));
  for (const bad of ['', '1', '1/', '/1', '1/2/3', 'x/1', '123456789/0', '-1/0']) assert.throws(() => parseLsn(bad), RangeError);
});

test('a snapshot sees what committed before it: below xmax and not in progress', () => {
  const snapshot = parseSnapshot('10:20:12,15');
  assert.deepEqual(
    [9n, 11n, 12n, 15n, 19n, 20n].map((xid) => isVisible(snapshot, xid)),
    [true, true, false, false, true, false],
  );
  assert.equal(parseSnapshot('10:10:').inProgress.size, 0);
  assert.throws(() => parseSnapshot('10:20'), RangeError);
});

test('a 32-bit xid is widened to the epoch it must be from, also around a wrap', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n << 33n, max: 1n << 60n }), fc.bigInt({ min: -((1n << 31n) - 1n), max: (1n << 31n) - 1n }), (near, distance) => {
      const xid = near + distance;
      return widenXid(Number(xid & 0xffffffffn), near) === xid;
    }),
  );
  assert.equal(widenXid(5, 3n), 5n);
});

test('the watermark stops at the first commit that is not durable, whatever finished behind it', () => {
  const watermark = new Watermark(10n);
  const first = watermark.open(1);
  const second = watermark.open(2);
  first.outstanding = 1;
  first.endLsn = 20n;
  second.endLsn = 30n;
  assert.deepEqual(watermark.advance(), []);
  assert.equal(watermark.durableLsn, 10n);
  first.outstanding = 0;
  assert.deepEqual(watermark.advance(), [
    { endLsn: 20n, xid: 1 },
    { endLsn: 30n, xid: 2 },
  ]);
  assert.equal(watermark.durableLsn, 30n);
  assert.equal(watermark.pending, 0);
});

test('a commit whose end was not read yet holds the watermark', () => {
  const watermark = new Watermark(10n);
  const open = watermark.open(1);
  watermark.reached(50n);
  assert.deepEqual(watermark.advance(), []);
  open.endLsn = 20n;
  assert.equal(watermark.advance().length, 2);
});

test('positions in a row are one, however many come while a commit before them is not durable', () => {
  const watermark = new Watermark(10n);
  const open = watermark.open(1);
  for (let lsn = 30n; lsn < 5000n; lsn++) watermark.reached(lsn);
  watermark.reached(40n);
  assert.equal(watermark.pending, 2);
  assert.deepEqual(watermark.advance(), []);
  open.endLsn = 20n;
  watermark.open(2).endLsn = 6000n;
  watermark.reached(7000n);
  assert.deepEqual(
    watermark.advance().map(({ endLsn }) => endLsn),
    [20n, 4999n, 6000n, 7000n],
  );
  watermark.reached(8000n);
  assert.deepEqual(watermark.advance(), [{ endLsn: 8000n, xid: null }]);
});

test('the watermark forgets what is unfinished when the stream starts again, and drops a long finished queue', () => {
  const watermark = new Watermark(0n);
  for (let i = 1; i <= 3000; i++) watermark.open(i).endLsn = BigInt(i);
  assert.equal(watermark.advance().length, 3000);
  watermark.open(1);
  watermark.restart(2000n);
  assert.equal(watermark.pending, 0);
});

test('after a reconnect what was durable counts only when it is applied again', () => {
  const watermark = new Watermark(10n);
  watermark.open(1).endLsn = 30n;
  watermark.advance();
  watermark.restart(20n);
  assert.equal(watermark.durableLsn, 20n);
  watermark.open(1).endLsn = 30n;
  watermark.advance();
  assert.equal(watermark.durableLsn, 30n);
});

test('nothing is acknowledged past a commit that is not visible yet', () => {
  const acknowledger = new Acknowledger(5n);
  acknowledger.offer([
    { endLsn: 10n, xid: 11 },
    { endLsn: 20n, xid: 12 },
    { endLsn: 30n, xid: null },
  ]);
  assert.equal(acknowledger.observe(parseSnapshot('12:14:12')), 10n);
  assert.equal(acknowledger.waiting, 2);
  assert.equal(acknowledger.observe(parseSnapshot('13:14:')), 30n);
});

test('nothing is acknowledged past the start of a chunk in flight', () => {
  const acknowledger = new Acknowledger(5n);
  const chunk = acknowledger.chunkStarted();
  acknowledger.offer([{ endLsn: 10n, xid: 11 }]);
  assert.equal(acknowledger.observe(parseSnapshot('20:20:')), 5n);
  const later = acknowledger.chunkStarted();
  acknowledger.offer([{ endLsn: 20n, xid: 11 }]);
  assert.equal(acknowledger.observe(parseSnapshot('20:20:')), 5n);
  acknowledger.chunkFinished(chunk);
  assert.equal(acknowledger.ackedLsn, 10n);
  acknowledger.chunkFinished(later);
  assert.equal(acknowledger.ackedLsn, 20n);
});

test('chunks that overlap, so that one is always in flight, hold back what came since the one before began', () => {
  const acknowledger = new Acknowledger(5n);
  let chunk = acknowledger.chunkStarted();
  for (let lsn = 10n; lsn <= 100n; lsn += 10n) {
    acknowledger.offer([{ endLsn: lsn, xid: 11 }]);
    acknowledger.observe(parseSnapshot('20:20:'));
    const next = acknowledger.chunkStarted();
    acknowledger.chunkFinished(chunk);
    assert.equal(acknowledger.ackedLsn, lsn);
    chunk = next;
  }
});

test('after a reconnect what was waiting comes again', () => {
  const acknowledger = new Acknowledger(5n);
  acknowledger.offer([{ endLsn: 10n, xid: 11 }]);
  acknowledger.restart();
  assert.equal(acknowledger.observe(parseSnapshot('20:20:')), 5n);
});

test('after a reconnect nothing is acknowledged that a chunk held back until it is applied again', () => {
  const acknowledger = new Acknowledger(5n);
  const chunk = acknowledger.chunkStarted();
  acknowledger.offer([{ endLsn: 10n, xid: 11 }]);
  acknowledger.observe(parseSnapshot('20:20:'));
  acknowledger.restart();
  acknowledger.chunkFinished(chunk);
  assert.equal(acknowledger.ackedLsn, 5n);
  acknowledger.offer([{ endLsn: 10n, xid: 11 }]);
  assert.equal(acknowledger.observe(parseSnapshot('20:20:')), 10n);
});

test('deletes are remembered until every later chunk must see them', () => {
  const memory = new DeleteMemory();
  memory.remember({ id: Buffer.from('a'), version: 1n, xid: 11 });
  memory.remember({ id: Buffer.from('b'), version: 2n, xid: 12 });
  memory.remember({ id: Buffer.from('c'), version: 3n, xid: 13 });
  const unseen = [...memory.unseenBy(parseSnapshot('12:13:12'))].map((sent) => sent.id.toString());
  assert.deepEqual(unseen, ['b', 'c']);
  memory.forgetSeenBy([parseSnapshot('14:14:'), parseSnapshot('12:13:12')]);
  assert.deepEqual([...memory.unseenBy(parseSnapshot('12:13:12'))].length, 2);
  memory.forgetSeenBy([parseSnapshot('14:14:')]);
  assert.equal(memory.size, 0);
  assert.equal(memory.byteLength, 0);
});

test('a reservoir keeps everything until it is full, then each candidate with the same probability', () => {
  let drawn = 0;
  const seeded = seededRandom('reservoir');
  const reservoir = new Reservoir<number>(1000, () => {
    drawn++;
    return seeded();
  });
  const offer = (from: number, to: number): void => {
    for (let i = from; i < to; i++) reservoir.offer(Number, i);
  };
  offer(0, 1000);
  assert.deepEqual(reservoir.values(), [...Array(1000).keys()]);
  offer(1000, 50_000);
  const kept = reservoir.values();
  assert.equal(kept.length, 1000);
  assert.equal(new Set(kept).size, 1000);
  // Of each tenth about a hundred: 9.5 is their standard deviation.
  const tenths = Array.from({ length: 10 }, (_, tenth) => kept.filter((value) => Math.floor(value / 5000) === tenth).length);
  for (const count of tenths) assert.ok(count > 60 && count < 140, `of the tenths ${tenths.join(', ')} are kept`);
  assert.ok(drawn < 15_000, `${drawn} numbers were drawn for 50,000 candidates`);
});

test('each of a few candidates is kept equally often', () => {
  const trials = 20_000;
  for (const [capacity, candidates] of [
    [1, 8],
    [3, 10],
    [5, 6],
  ] as const) {
    const random = seededRandom(`${capacity} of ${candidates}`);
    const times = new Array<number>(candidates).fill(0);
    for (let trial = 0; trial < trials; trial++) {
      const reservoir = new Reservoir<number>(capacity, random);
      for (let i = 0; i < candidates; i++) reservoir.offer(Number, i);
      for (const kept of reservoir.values()) times[kept] = (times[kept] ?? 0) + 1;
    }
    const expected = (trials * capacity) / candidates;
    for (const count of times) assert.ok(Math.abs(count / expected - 1) < 0.06, `${capacity} of ${candidates}: ${times.join(', ')}`);
  }
  assert.throws(() => new Reservoir(0, Math.random), RangeError);
});

test('a reservoir goes on when a draw is 0', () => {
  const reservoir = new Reservoir<number>(3, () => 0);
  for (let i = 0; i < 100; i++) reservoir.offer(Number, i);
  assert.deepEqual(reservoir.values(), [99, 1, 2]);
});
