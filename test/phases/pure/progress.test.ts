import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunEvent } from '../../../src/core/events.ts';
import { Failure } from '../../../src/core/failure.ts';
import type { LeafProgress } from '../../../src/core/plan/build-state.ts';
import { startProgress } from '../../../src/phases/build/progress.ts';
import type { Run } from '../../../src/phases/build/run-state.ts';
import type { Replay } from '../../../src/phases/replay.ts';
import type { SlotWatch } from '../../../src/phases/steering/slot-watch.ts';

type Progress = Extract<RunEvent, { type: 'progress' }>;

const LEAF: LeafProgress = { oid: 1, relfilenode: 1, blocks: 100, chunkBlocks: 50, done: [] };
const HALF: LeafProgress = { ...LEAF, done: [[0, 50]] };
const WHOLE: LeafProgress = { ...LEAF, done: [[0, 100]] };

/** A phase of which nothing is known but its figures; one second passes in it. */
function phaseOf(phase: 'load' | 'catchup', leaf: LeafProgress) {
  const told: Progress[] = [];
  const state: { leaf: LeafProgress; now: number; broken: Error | null; aborted: unknown } = { leaf, now: 0, broken: null, aborted: null };
  const counters = { rows: 0, changes: 7, retries: 0, throttle: '' };
  const run = {
    ...{ counters, table: { estimatedRows: 1000 }, rejected: { ids: new Set() }, throttle: { reason: '' }, signal: new AbortController().signal },
    steering: { limits: { maxSlotWalBytes: 1n } },
    clock: {
      now: () => state.now,
      sleep: (_ms: number, signal: AbortSignal) =>
        new Promise<void>((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve()))),
    },
    source: {
      insertLsn: async () => {
        if (state.broken !== null) throw state.broken;
        return 100n;
      },
    },
    abort: (reason: unknown) => {
      state.aborted ??= reason;
    },
    reporter: { report: (event: RunEvent) => event.type === 'progress' && told.push(event) },
  } as unknown as Run;
  const replay = { durableLsn: 90n } as Replay;
  const slot = { retainedBytes: () => 0n } as unknown as SlotWatch;
  const progress = startProgress({ run, phase, replay, slot, leaves: () => [state.leaf] });
  return { told, state, counters, progress };
}

test('the last figures of the load are its final ones, though its rows were estimated and the source is gone', async () => {
  const { told, state, counters, progress } = phaseOf('load', LEAF);
  await new Promise(setImmediate);
  assert.deepEqual([told[0]?.rows, told[0]?.rowsTotal], [0, 1000]);
  Object.assign(counters, { rows: 900 });
  Object.assign(state, { leaf: WHOLE, now: 1000, broken: new Failure('connection-lost', 'gone') });
  await progress.during(async () => undefined);
  const last = told.at(-1);
  assert.deepEqual([last?.rows, last?.rowsTotal, last?.share, last?.rowsPerSecond], [900, 900, 1, 900]);
  assert.equal(state.aborted, null);
});

test('a source that is away costs figures and nothing else; a bug ends the run', async () => {
  for (const [error, reason] of [
    [new Failure('connection-lost', 'gone'), null],
    [new RangeError('BUG'), 'RangeError'],
  ] as const) {
    for (const last of [false, true]) {
      const { state, progress } = phaseOf('load', WHOLE);
      if (last) await new Promise(setImmediate);
      state.broken = error;
      await progress.during(async () => undefined);
      assert.equal(state.aborted instanceof Error ? state.aborted.name : null, reason);
    }
  }
});

test('the failure of the phase counts, whatever the source answers at its end', async () => {
  const { state, progress } = phaseOf('load', WHOLE);
  await new Promise(setImmediate);
  state.broken = new RangeError('BUG');
  const failure = new Failure('sink-refused', 'first');
  await assert.rejects(
    progress.during(() => Promise.reject(failure)),
    (error) => error === failure,
  );
  assert.equal(state.aborted, failure);
});

test('a resumed load has the rest before it', async () => {
  const { told, progress } = phaseOf('load', HALF);
  await progress.during(async () => undefined);
  assert.deepEqual([told[0]?.share, told[0]?.rowsTotal], [0.5, 500]);
});

test('behind the load there is no rate of rows, but one of the changes of this phase', async () => {
  const { told, state, counters, progress } = phaseOf('catchup', WHOLE);
  Object.assign(counters, { rows: 900, changes: 57 });
  state.now = 2000;
  await progress.during(async () => undefined);
  const last = told.at(-1);
  assert.deepEqual([last?.rowsPerSecond, last?.changesPerSecond, last?.rows, last?.rowsTotal], [0, 25, 900, 900]);
});
