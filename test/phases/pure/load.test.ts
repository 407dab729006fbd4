import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SourceTable } from '../../../src/core/table.ts';
import { newCounters, RejectList, type Run } from '../../../src/phases/build/run-state.ts';
import { BulkWindow } from '../../../src/phases/bulk/bulk-window.ts';
import { Load } from '../../../src/phases/load.ts';
import type { Replay } from '../../../src/phases/replay.ts';
import { planOf } from '../../core/encode/support.ts';

const LEAF = { oid: 1, schema: 'public', name: 't', relfilenode: 7, blocks: 1, bytes: 8192 };
const TABLE = { oid: 1, schema: 'public', name: 't', fingerprint: 'f', partitioned: false, leaves: [LEAF] } as unknown as SourceTable;
const publication = { tables: [1], insert: true, update: true, delete: true, truncate: true, viaRoot: true };

/** A run with one bulk connection and so many readers, each of which gives `pieces` of COPY text for its one block, and writes down how many operations each bulk had. */
function loadOf(
  pieces: readonly string[],
  bulk: () => Promise<void>,
  readers = 1,
): { readonly load: Load; readonly counts: number[]; readonly rejected: RejectList; readonly counters: Run['counters'] } {
  const table = { ...TABLE, leaves: [{ ...LEAF, blocks: readers }] };
  const counters = newCounters();
  const counts: number[] = [];
  const clock = { now: () => 0, date: () => new Date(0), sleep: async () => {} };
  const reporter = { report: () => {} };
  const rejected = new RejectList([], 0, { write: async () => {} }, reporter);
  async function* chunks(): AsyncGenerator<Buffer> {
    for (const piece of pieces) {
      await new Promise(setImmediate);
      yield Buffer.from(piece);
    }
  }
  const reader = { snapshot: { xmin: 1n, xmax: 1n, inProgress: [] }, relfilenode: 7, chunks, close: async () => {} };
  const run = {
    clock,
    reporter,
    rejected,
    signal: new AbortController().signal,
    source: { openChunk: async () => reader, describeTable: async () => table, readPublication: async () => publication },
    sink: {
      bulk: async (_alias: string, body: { readonly count: number }) => {
        counts.push(body.count);
        await bulk();
        return { kind: 'outcomes', outcomes: Array.from({ length: body.count }, () => ({ kind: 'done' })) };
      },
    },
    table,
    documents: planOf({ id: { kind: 'string' } }),
    names: { buildAlias: 'A', publication: 'p' },
    config: { table: 'public.t' },
    options: { chunkBlocks: readers === 1 ? null : 1, stallTimeoutMs: 1000 },
    steering: { limits: { rate: null, copyJobs: readers } },
    bulkTuning: { jobs: 1, bytes: 1 },
    throttle: { pass: async () => false, has: () => false },
    bulkWindow: new BulkWindow(() => 1, clock.now),
    counters,
    random: () => 0.5,
  } as unknown as Run;
  const replay = {
    gate: { enter: async () => {}, leave: () => {} },
    acknowledger: { chunkStarted: () => 1, chunkFinished: () => {} },
    deletes: { forgetSeenBy: () => {} },
    resendDeletes: async () => {},
  } as unknown as Replay;
  return { load: new Load({ run, replay, cp: '0/10', leaves: [], checkpoint: async () => {} }), counts, rejected, counters };
}

test('every row of every piece is sent once', async () => {
  const { load, counts } = loadOf(['a\nb\n', 'c\n', '', 'd\n'], async () => {});
  await load.run();
  assert.deepEqual([counts.reduce((sum, count) => sum + count, 0), load.leaves[0]?.done.length], [4, 1]);
});

test('the rows of several readers at once are all counted', async () => {
  const { load, counters } = loadOf(['a\nb\n', 'c\n'], async () => {}, 3);
  await load.run();
  assert.deepEqual([counters.rows, load.leaves[0]?.done], [9, [[0, 3]]]);
});

test('a reject beyond the limit ends the load while a bulk waits for its turn: what waits is sent whole, nothing empty', {
  timeout: 20_000,
}, async () => {
  let answer = (): void => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  // The first bulk has the only place; the second waits for it when the reject of its piece is told.
  const { load, counts, rejected } = loadOf(['a\n', `b\n${'x'.repeat(600)}\nc\n`, 'd\n'], () => answered);
  const ended = load.run();
  const failure = assert.rejects(ended, { kind: 'too-many-rejects' });
  while (rejected.ids.size === 0) await new Promise(setImmediate);
  answer();
  await failure;
  assert.deepEqual(counts, [1, 2]);
});
