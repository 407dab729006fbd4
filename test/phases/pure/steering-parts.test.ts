import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeControl, formatControl, limitsUnder, loadOnly, NO_CONTROL, obey, parseControl } from '../../../src/core/control.ts';
import { nextBulkWindow } from '../../../src/core/sink/bulk-window.ts';
import { BulkWindow } from '../../../src/phases/bulk/bulk-window.ts';
import { runCrew } from '../../../src/phases/load/crew.ts';
import { Throttle } from '../../../src/phases/steering/throttle.ts';
import { waitFor } from '../../support/wait-for.ts';

const SENT = { sentAt: 0, bytes: 1 };

test('a control survives its comment; a comment of somebody else is no control', () => {
  const control = obey(obey(NO_CONTROL, { kind: 'pause' }), { kind: 'set', limits: { rate: 5 } });
  assert.deepEqual(parseControl(formatControl(control)), control);
  for (const comment of [null, '', 'made by hand', '{"broken', '{"other": 1}']) assert.deepEqual(parseControl(comment), NO_CONTROL);
});

test('orders: the later one counts, and limits add up', () => {
  assert.equal(obey(obey(NO_CONTROL, { kind: 'pause' }), { kind: 'resume' }).paused, false);
  assert.deepEqual(
    [obey(NO_CONTROL, { kind: 'swap-now' }).hold, obey(obey(NO_CONTROL, { kind: 'swap-now' }), { kind: 'hold' }).swapNow],
    [false, false],
  );
  assert.equal(obey(NO_CONTROL, { kind: 'stop' }).stop, true);
  const both = obey(obey(NO_CONTROL, { kind: 'set', limits: { rate: 5 } }), { kind: 'set', limits: { copyJobs: 3, maxSlotWal: 9 } });
  const own = { rate: 100, copyJobs: 1, bulkJobs: 2, maxSlotWalBytes: 7n };
  assert.deepEqual(limitsUnder(own, both), { rate: 5, copyJobs: 3, bulkJobs: 2, maxSlotWalBytes: 9n });
  assert.equal(limitsUnder(own, obey(both, { kind: 'set', limits: { rate: 0 } })).rate, null);
  assert.equal(describeControl(obey(both, { kind: 'hold' })), 'held, rate=5, copyJobs=3, maxSlotWal=9');
});

test('what means something to a load only is known', () => {
  assert.deepEqual(
    (['pause', 'resume', 'hold', 'swap-now', 'stop'] as const).map((kind) => loadOnly({ kind })),
    ['pause', null, null, null, null],
  );
  assert.equal(loadOnly({ kind: 'set', limits: { maxSlotWal: 9 } }), null);
  assert.equal(loadOnly({ kind: 'set', limits: { maxSlotWal: 9, rate: 0, bulkJobs: 2 } }), 'set rate, bulk-jobs');
});

test('the window halves on overload, grows slowly, and keeps within its bounds', () => {
  assert.equal(nextBulkWindow(8, 'overloaded', 8), 4);
  assert.equal(nextBulkWindow(1, 'overloaded', 8), 1);
  assert.equal(nextBulkWindow(4, 'accepted', 8), 4.25);
  assert.equal(nextBulkWindow(8, 'accepted', 8), 8);
});

test('one storm halves the window once; what waits goes on when a place is free', async () => {
  let now = 0;
  const window = new BulkWindow(
    () => 4,
    () => now,
  );
  for (let i = 0; i < 4; i++) await window.enter();
  let entered = false;
  const fifth = window.enter().then(() => {
    entered = true;
  });
  for (let i = 0; i < 3; i++) window.leave('overloaded', SENT);
  assert.equal(window.size, 2);
  await fifth;
  assert.equal(entered, true);
  now = 2000;
  window.leave('overloaded', SENT);
  assert.equal(window.size, 1);
  for (let i = 0; i < 20; i++) window.leave('accepted', SENT);
  assert.equal(window.size, 4);
});

test('a refused bulk of the replay halves the window of the load, and neither waits for it nor opens it', async () => {
  const window = new BulkWindow(
    () => 4,
    () => 0,
  );
  for (let i = 0; i < 6; i++) await window.bystander.enter();
  window.bystander.leave('overloaded', SENT);
  assert.equal(window.size, 2);
  for (let i = 0; i < 5; i++) window.bystander.leave('accepted', SENT);
  assert.equal(window.size, 2);
});

test('a throttle lets pass when its last reason is over, or throws what aborted it', async () => {
  const told: string[] = [];
  const throttle = new Throttle({ report: (event) => void told.push(event.type === 'throttle' ? `${event.reason} ${event.detail}` : '') });
  const aborter = new AbortController();
  throttle.set('a', 'one');
  throttle.set('b', 'two');
  throttle.set('b', 'still two');
  let passed = false;
  const passing = throttle.pass(aborter.signal).then(() => {
    passed = true;
  });
  throttle.set('a', null);
  assert.deepEqual([throttle.reason, throttle.has('a'), passed], ['still two', false, false]);
  throttle.set('b', null);
  await passing;
  assert.deepEqual(told, ['a one', 'b two', 'a over', 'b over']);
  throttle.set('a', 'again');
  const stuck = throttle.pass(aborter.signal);
  aborter.abort(new Error('stopped'));
  await assert.rejects(stuck, /stopped/);
});

test('a crew grows and shrinks while it works, and fails at once', async () => {
  let size = 1;
  let working = 0;
  let goOn = true;
  const done = runCrew(
    () => size,
    async (stays) => {
      working++;
      while (goOn && stays()) await new Promise((resolve) => setImmediate(resolve));
      working--;
    },
  );
  await waitFor('one', () => working === 1);
  size = 3;
  await waitFor('three', () => working === 3);
  size = 2;
  await waitFor('two', () => working === 2);
  goOn = false;
  await done;
  const stuck = runCrew(
    () => 2,
    () => (working++ === 0 ? new Promise(() => undefined) : Promise.reject(new Error('broke'))),
  );
  await assert.rejects(stuck, /broke/);
});
