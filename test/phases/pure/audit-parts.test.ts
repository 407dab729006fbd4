import assert from 'node:assert/strict';
import { test } from 'node:test';
import { observedReplay } from '../../../src/phases/audit/feed.ts';
import { pacer } from '../../../src/phases/audit/pace.ts';
import type { Clock, SlotState } from '../../../src/phases/ports.ts';

const { signal } = new AbortController();

/** A clock that only its sleepers move. */
function sleepersClock(): Clock & { readonly slept: number[] } {
  let nowMs = 0;
  const slept: number[] = [];
  const sleep = async (ms: number): Promise<void> => {
    nowMs += ms;
    slept.push(ms);
  };
  return { now: () => nowMs, date: () => new Date(0), sleep, slept };
}

test('a rate is kept on average, pauses are made up for, and without a rate nobody waits', async () => {
  const clock = sleepersClock();
  const pace = pacer(clock, 1000, signal);
  for (let page = 0; page < 10; page++) await pace(500);
  assert.equal(clock.now(), 5000);
  await clock.sleep(10_000, signal);
  await pace(500);
  assert.equal(clock.now(), 15_000, 'the pause had room for these');
  const free = sleepersClock();
  await pacer(free, null, signal)(1e9);
  assert.deepEqual(free.slept, []);
});

/** A slot whose confirmed position is that of `at(milliseconds)`; null: it is gone. */
function feed(at: (nowMs: number) => bigint | null) {
  const clock = sleepersClock();
  const stalled: string[] = [];
  const readSlot = async (): Promise<SlotState | null> => {
    const confirmedFlushLsn = at(clock.now());
    if (confirmedFlushLsn === null) return null;
    return {
      ...{ name: 's', confirmedFlushLsn, restartLsn: 0n, active: true, activePid: 1, walStatus: 'reserved' },
      ...{ safeWalSize: null, retainedBytes: 0n, database: 'd' },
    };
  };
  return {
    clock,
    stalled,
    replay: observedReplay({ source: { readSlot }, clock, signal, slot: 's', onStalled: (reason) => void stalled.push(reason) }),
  };
}

test('a follower is waited for as long as it gets on', async () => {
  const { clock, stalled, replay } = feed((nowMs) => BigInt(nowMs));
  await replay.waitUntilApplied(300_000n);
  assert.ok(clock.now() >= 300_000);
  assert.deepEqual(stalled, []);
});

test('a follower that stands still for a minute is told once and not waited for again', async () => {
  const { clock, stalled, replay } = feed(() => 5n);
  await replay.waitUntilApplied(5n);
  assert.equal(clock.now(), 0);
  await replay.waitUntilApplied(6n);
  assert.ok(clock.now() >= 60_000 && clock.now() < 61_000, String(clock.now()));
  await replay.waitUntilApplied(7n);
  assert.ok(clock.now() < 61_000);
  assert.deepEqual(stalled, ['the slot s stands at 0/5 and was waited for to reach 0/6']);
});

test('a slot that is gone is told once', async () => {
  const { stalled, replay } = feed((nowMs) => (nowMs < 500 ? 1n : null));
  await replay.waitUntilApplied(9n);
  await replay.waitUntilApplied(9n);
  assert.deepEqual(stalled, ['the slot s is gone']);
});
