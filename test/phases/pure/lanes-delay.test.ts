import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../../src/core/failure.ts';
import { SendDelay } from '../../../src/phases/replay/lanes/send-delay.ts';
import { waitFor } from '../../support/wait-for.ts';
import { change, type HeldLanes, type HeldLanesOptions, heldLanes, sentIn } from './held-lanes.ts';

/** Longer than anything that is not held takes. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
}

interface Adding extends HeldLanes {
  /** Each in a turn of its own. */
  readonly add: (...ids: readonly string[]) => Promise<void>;
}

function loading(options: HeldLanesOptions = {}): Adding {
  const held = heldLanes({ isLoading: () => true, ...options });
  const ticket = held.watermark.open(1);
  const add = async (...ids: readonly string[]): Promise<void> => {
    for (const id of ids) {
      held.lanes.add(change(id, 1n), ticket);
      await turns();
    }
  };
  return { ...held, add };
}

test('while rows are loaded small operations of all lanes wait for others, and are sent when the time is over', async () => {
  const { add, calls, open, sleepers, lanes } = loading({ count: 2 });
  open();
  await add('a', 'B', 'c');
  assert.deepEqual([calls.length, sleepers.length], [0, 1]);
  sleepers[0]?.();
  await turns();
  assert.deepEqual(calls.map(sentIn).sort(), [['index B 1'], ['index a 1', 'index c 1']]);
  assert.equal(lanes.pendingBytes, 0);
});

test('they are sent at once when somebody waits for them, and those that come next wait for the same time to be over', async () => {
  const { add, calls, open, sleepers, lanes } = loading({ count: 2 });
  open();
  await add('a', 'B');
  await lanes.drained();
  assert.equal(calls.length, 2);
  for (let n = 0; n < 20; n++) {
    await add('c');
    await lanes.drained();
  }
  await add('d');
  // Each sleep has a listener of the run's signal, and Node warns of many.
  assert.deepEqual([calls.length, sleepers.length], [22, 1]);
  sleepers[0]?.();
  await turns();
  assert.deepEqual(sentIn(calls[22]), ['index d 1']);
  await add('e');
  assert.deepEqual([calls.length, sleepers.length], [23, 2]);
});

test('they are sent at once when one lane has enough', async () => {
  const { add, calls, open, lanes, watermark } = loading({ count: 2 });
  open();
  await add('a', 'B');
  const ticket = watermark.open(2);
  for (let n = 0; n < 400; n++) lanes.add(change(`k${n}`, 1n), ticket);
  await turns();
  assert.deepEqual(calls.map((call) => sentIn(call).length).sort(), [1, 401]);
  assert.equal(ticket.outstanding, 0);
});

test('what came while a bulk was under way waits too, but not where bulks are smaller', async () => {
  for (const laneBytes of [1 << 20, 1]) {
    const { add, calls, open, sleepers, lanes } = loading({ laneBytes });
    const isSmall = laneBytes === 1;
    await add('a');
    sleepers[0]?.();
    await waitFor('the first bulk', () => calls.length === 1);
    await add('b');
    open();
    await turns();
    assert.deepEqual([calls.length, sleepers.length], isSmall ? [2, 1] : [1, 2]);
    await lanes.drained();
    assert.deepEqual(calls.map(sentIn), [['index a 1'], ['index b 1']]);
  }
});

test('nothing waits behind a bulk under way for which somebody waits already', async () => {
  const { add, calls, open, sleepers, lanes } = loading();
  await add('a');
  sleepers[0]?.();
  await waitFor('the first bulk', () => calls.length === 1);
  await add('b');
  const drained = lanes.drained();
  open();
  await drained;
  assert.deepEqual([calls.length, sleepers.length], [2, 1]);
});

test('behind the load nothing waits, and what waited then is sent in its time', async () => {
  let isLoading = true;
  const { add, calls, open, sleepers } = loading({ isLoading: () => isLoading, count: 2 });
  open();
  await add('a');
  isLoading = false;
  await add('B');
  assert.deepEqual(calls.map(sentIn), [['index B 1']]);
  sleepers[0]?.();
  await turns();
  assert.deepEqual(calls.map(sentIn), [['index B 1'], ['index a 1']]);
});

test('an aborted run lets all that wait start', async () => {
  const sleep = (): Promise<void> => Promise.reject(new Failure('interrupted', 'stopped by the test'));
  const delay = new SendDelay({
    clock: { now: () => 0, date: () => new Date(0), sleep },
    signal: new AbortController().signal,
    isWanted: () => true,
  });
  const started: string[] = [];
  delay.startSoon(() => started.push('a'));
  delay.startSoon(() => started.push('b'));
  await turns();
  assert.deepEqual(started, ['a', 'b']);
});
