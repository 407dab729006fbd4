import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BulkTuner } from '../../../src/core/sink/bulk-tuner.ts';
import { bestOf, type SimulatedSink, simulate } from './simulated-sink.ts';

const MEMORY = 28 << 20;
/** Bytes per millisecond. */
const MB = 1000;

const SINKS: { readonly [name: string]: SimulatedSink } = {
  'one connection gets 0.6 of what two to four get': { rate: (n) => (n === 1 ? 11 : 18) * MB },
  'each connection gets the same, up to five': { rate: (n) => Math.min(n, 5) * 6 * MB },
  'each connection gets the same, up to twelve': { rate: (n) => Math.min(n, 12) * 8 * MB },
  'every further connection gives less': { rate: (n) => (n / (n + 2)) * 60 * MB },
  'more than four get slower': { rate: (n) => Math.max(2, 10 * n - 1.25 * n * n) * MB },
  'one is best': { rate: (n) => (11 - 1.5 * Math.min(n, 5)) * MB },
  'more than four are refused': { rate: (n) => n * 6 * MB, most: 4 },
  'more than two are refused': { rate: (n) => n * 6 * MB, most: 2 },
  'each answer takes 150 ms besides': { rate: (n) => Math.min(n * 20, 70) * MB, floorMs: 150 },
  'each answer takes 400 ms besides': { rate: (n) => Math.min(n * 40, 80) * MB, floorMs: 400 },
};

for (const [name, sink] of Object.entries(SINKS)) {
  test(`the tuner ends within a tenth of the best there is: ${name}`, () => {
    const seconds = sink.rate(5, 0) < 8 * MB ? 40 : 8;
    const best = bestOf(sink, seconds);
    const { told, setting, mostBytes } = simulate(sink, 40);
    const there = simulate(sink, seconds, setting);
    assert.ok(there.rate >= 0.9 * best.rate, `${JSON.stringify(setting)} gives ${there.rate}, ${JSON.stringify(best.setting)} gives ${best.rate}`);
    assert.ok(mostBytes <= MEMORY, `${mostBytes} bytes of bodies`);
    const first = told[0];
    assert.ok(first !== undefined && first.limit === 'sink', 'it says what it has found');
    assert.ok(first.atMs <= 25_000, `it took ${first.atMs} ms`);
  });
}

test('pauses of the load are not taken for answers of the sink', () => {
  const rate = (n: number): number => Math.min(n, 10) * 6 * MB;
  // One in the midst of nearly every look.
  const { setting, told } = simulate({ rate, paused: (atMs) => atMs < 20_000 && atMs % 2500 < 1000 }, 60);
  assert.ok(setting.jobs >= 9, JSON.stringify(setting));
  assert.deepEqual([...new Set(told.map(({ limit }) => limit))], ['sink']);
});

test('a slow sink gets small bodies, so that it answers soon', () => {
  const { told, setting, rate } = simulate({ rate: () => 0.6 * MB }, 80);
  assert.ok((setting.jobs * setting.bytes) / (0.6 * MB) < 6000, JSON.stringify(setting));
  assert.ok(told[0] !== undefined && told[0].atMs < 60_000, JSON.stringify(told));
  assert.ok(rate > 0.55 * MB, String(rate));
});

test('a sink that is never waited for: nothing is tried for nothing, and reading is named as the limit', () => {
  const { told, setting } = simulate({ rate: (n) => n * 200 * MB, sourceRate: 30 * MB, floorMs: 5 }, 30);
  assert.equal(told[0]?.limit, 'source');
  assert.equal(setting.jobs, 3);
});

test('a sink that gets another one is tuned anew', () => {
  const sink: SimulatedSink = { rate: (n, atMs) => (atMs < 30_000 ? 18 : Math.min(n, 10) * 9) * MB };
  const { told, setting } = simulate(sink, 90);
  assert.ok(told.length >= 2, JSON.stringify(told));
  assert.ok(setting.jobs >= 9, JSON.stringify(setting));
});

test('what the operator gave is kept, whatever the answers say', () => {
  const fixed = { jobs: 20, bytes: 9 << 20 };
  const { mostBytes, told } = simulate({ rate: () => 18 * MB, most: 2 }, 30, fixed);
  assert.deepEqual([mostBytes, told], [22 * fixed.bytes, []]);
});

test('bodies that were refused for their size are not made again', () => {
  const tuner = new BulkTuner(() => ({ jobs: null, bytes: null, readers: 2 }));
  const { bytes } = tuner.setting;
  tuner.tooLarge(bytes);
  assert.equal(tuner.setting.bytes, bytes / 2);
  tuner.tooLarge(64 << 20);
  assert.equal(tuner.setting.bytes, bytes / 2);
  const given = new BulkTuner(() => ({ jobs: null, bytes: 5 << 20, readers: 2 }));
  given.tooLarge(5 << 20);
  assert.equal(given.setting.bytes, 2.5 * 2 ** 20, 'it would be cut in pieces anyway');
});
