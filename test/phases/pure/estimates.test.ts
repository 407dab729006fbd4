import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BuildState } from '../../../src/core/plan/build-state.ts';
import type { SourceTable } from '../../../src/core/table.ts';
import { PaceWatch } from '../../../src/phases/build/pace.ts';
import { newCounters } from '../../../src/phases/build/run-state.ts';
import { type EstimateBasis, estimatesOf, lastTimed } from '../../../src/phases/estimate/estimates.ts';
import type { Generation } from '../../../src/phases/sink-ports.ts';

const table = { estimatedRows: 1_000_000, bytes: 700_000_000, leaves: [{ blocks: 80_000 }, { blocks: 20_000 }] } as unknown as SourceTable;
const pace = { rows: 500_000, loadMs: 25_000, verify: 'full', verifyMs: 10_000 } as const;
const last = { build: 'k3f9', startedAt: '2026-11-20T10:00:00Z', pace };
const nothing: EstimateBasis = { table, verify: 'full', rate: null, replicas: 1, last: null, live: null, probe: null };
const amounts = (basis: Partial<EstimateBasis>) => estimatesOf({ ...nothing, ...basis }).map(({ amount }) => amount);

test('the last build: its rates for the rows of today, the size of its index', () => {
  const live = { index: 'products-1', bytes: 400_000_000, rows: 500_000 };
  const [load, verification, disk] = estimatesOf({ ...nothing, last, live });
  assert.deepEqual([load?.amount, verification?.amount, disk?.amount], [50, 20, 1_600_000_000]);
  assert.equal(load?.basis, '1000000 rows, 20000 rows/s in build k3f9 of 2026-11-20');
  assert.deepEqual([load?.bound, verification?.bound, disk?.bound], ['about', 'about', 'about']);
});

test('a rate that was asked for limits the load', () => {
  assert.equal(amounts({ last, rate: 1000 })[0], 1000);
  assert.equal(amounts({ last, rate: 1_000_000 })[0], 50);
});

const probe = { rows: 2500, milliseconds: 50, blocks: 256 };

test('without a build the probe gives the least time of the load and of a full verification, and a guess the disk', () => {
  const [load, verification, disk] = estimatesOf({ ...nothing, replicas: 0, probe });
  assert.deepEqual([load?.amount, load?.bound], [20, 'least']);
  assert.deepEqual([verification?.amount, verification?.bound], [20, 'least']);
  assert.match(String(verification?.basis), /50000 rows\/s .* no build with --verify full was timed yet/);
  assert.equal(disk?.amount, 1_050_000_000);
  assert.match(String(disk?.basis), /guess/);
});

test('a table that was never analysed is as dense as what was read of it', () => {
  const unknown = { ...table, estimatedRows: -1 };
  assert.equal(amounts({ table: unknown, probe: { rows: 2560, milliseconds: 256, blocks: 256 } })[0], 100);
});

test('another mode of verification is no basis, and of a sample the rows do not matter', () => {
  assert.equal(amounts({ last, verify: 'sample' })[1], null);
  assert.equal(amounts({ probe, verify: 'counts' })[1], null);
  assert.equal(amounts({ last: { ...last, pace: { ...pace, verify: 'counts' } }, probe })[1], 20);
  assert.equal(amounts({ last: { ...last, pace: { ...pace, verify: 'sample' } }, verify: 'sample' })[1], 10);
});

test('an empty table needs nothing', () => {
  assert.deepEqual(amounts({ table: { ...table, estimatedRows: 0, bytes: 0 }, last }), [0, 0, 0]);
  assert.deepEqual(amounts({ table: { ...table, estimatedRows: 0, bytes: 0 } }), [0, null, 0]);
});

test('the newest timed build counts', () => {
  const generation = (build: string, timed: boolean): Generation =>
    ({ state: { build, startedAt: '2026-11-20T10:00:00Z', ...(timed ? { pace } : {}) } }) as unknown as Generation;
  assert.equal(lastTimed([generation('a', false), generation('b', true), generation('c', true)])?.build, 'b');
  assert.equal(lastTimed([generation('a', false)]), null);
});

function watch(state: Partial<BuildState>): { readonly watch: PaceWatch; readonly at: (ms: number) => void } {
  let now = 0;
  const clock = { now: () => now, date: () => new Date(0), sleep: async () => {} };
  const run = { clock, counters: { ...newCounters(), rows: 7 }, options: { verify: 'full', rate: null } };
  const made = new PaceWatch(run as unknown as ConstructorParameters<typeof PaceWatch>[0], state as BuildState);
  return {
    watch: made,
    at: (ms) => {
      now = ms;
    },
  };
}

test('a build that goes through load and verification in one go is timed once', () => {
  const { watch: timed, at } = watch({ phase: 'load', load: [] });
  const entered = (['catchup', 'verify', 'swap', 'cleanup'] as const).map((phase, i) => {
    at(1000 * (i + 1) ** 2);
    return timed.entered(phase);
  });
  assert.deepEqual(entered, [{}, {}, { pace: { rows: 7, loadMs: 1000, verify: 'full', verifyMs: 5000 } }, {}]);
});

test('a resumed build is not timed', () => {
  const done = [{ oid: 1, relfilenode: 1, blocks: 9, chunkBlocks: 3, done: [[0, 3]] }] as const;
  for (const state of [
    { phase: 'load', load: done },
    { phase: 'catchup', load: [] },
  ] as const) {
    const { watch: timed, at } = watch(state);
    timed.entered('catchup');
    at(5);
    timed.entered('verify');
    at(9);
    assert.deepEqual(timed.entered('swap'), {});
  }
});
