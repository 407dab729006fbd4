import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newCounters, RejectList, type Run } from '../../../src/phases/build/run-state.ts';
import { LoadBodies } from '../../../src/phases/load/load-bodies.ts';
import { bulkRun } from './bulk-fakes.ts';

const MB = 1 << 20;

interface Limits {
  rate: number | null;
  readonly copyJobs: number;
}

/** A load whose clock is moved by sleeping; `asleep` is told how long it has slept. */
function loadOf(limits: Limits, asleep: (ms: number) => void): { readonly run: Run; readonly sleptMs: () => number } {
  const { run } = bulkRun((body) => ({ kind: 'outcomes', outcomes: Array.from({ length: body.count }, () => ({ kind: 'done' })) }));
  let now = 0;
  const parts = {
    clock: {
      now: () => now,
      date: () => new Date(0),
      sleep: async (ms: number) => {
        now += ms;
        asleep(now);
      },
    },
    steering: { limits },
    throttle: { has: () => false },
    bulkTuning: { jobs: 3, bytes: MB, tooLarge: () => {} },
    bulkWindow: null,
    counters: newCounters(),
    rejected: new RejectList([], 10, { write: async () => {} }, { report: () => {} }),
  };
  return { run: { ...run, ...parts } as unknown as Run, sleptMs: () => now };
}

async function send(bodies: LoadBodies, rows: number): Promise<void> {
  const body = await bodies.take();
  for (let n = 0; n < rows; n++) body.append({ id: Buffer.from(String(n)), version: 8n, document: Buffer.from('{}') });
  await bodies.send(body);
}

test('a rate that lets nothing pass for an hour is given up within a second of the order', async () => {
  const limits: Limits = { rate: 1, copyJobs: 1 };
  const { run, sleptMs } = loadOf(limits, (ms) => {
    assert.equal(run.counters.throttle, '--rate 1');
    if (ms >= 5000) limits.rate = null;
  });
  const bodies = new LoadBodies(run);
  await send(bodies, 3600);
  await bodies.take();
  assert.ok(sleptMs() >= 5000 && sleptMs() <= 6000, `${sleptMs()} ms`);
  assert.equal(run.counters.throttle, '');
});

/** What the bodies hold that come after one of so many bytes was given back. */
async function heldBehind(bytes: number): Promise<readonly number[]> {
  const { run } = loadOf({ rate: null, copyJobs: 1 }, () => {});
  const bodies = new LoadBodies(run);
  const first = await bodies.take();
  first.append({ id: Buffer.from('a'), version: 8n, document: Buffer.alloc(bytes, '0') });
  bodies.giveBack(first);
  const held: number[] = [];
  for (let n = 0; n < 4; n++) held.push((await bodies.take()).heldBytes);
  return held;
}

test('a body that had to grow is not kept if they could not all be as large', async () => {
  const held = await heldBehind(8 * MB);
  assert.ok(Math.max(...held) <= 1.5 * MB, held.join(' '));
});

test('a body that had to grow is kept if they could all be as large, so that a size tried and taken back leaves no garbage', async () => {
  const held = await heldBehind(3 * MB);
  assert.equal(held.filter((bytes) => bytes >= 3 * MB).length, 1, held.join(' '));
});
