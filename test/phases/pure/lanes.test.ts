import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DocumentEncoder } from '../../../src/core/encode/document.ts';
import type { DocumentPlan } from '../../../src/core/encode/document-plan.ts';
import { rowFromTexts } from '../../../src/core/row.ts';
import type { BulkBody } from '../../../src/core/sink/bulk-body.ts';
import type { BulkAnswer } from '../../../src/core/sink/operation.ts';
import type { SentDelete } from '../../../src/core/wal/delete-memory.ts';
import { type Ticket, Watermark } from '../../../src/core/wal/watermark.ts';
import type { Run } from '../../../src/phases/build/run-state.ts';
import type { LaneChange } from '../../../src/phases/replay/lane-batch.ts';
import { Lanes } from '../../../src/phases/replay/lanes.ts';
import { waitFor } from '../../support/wait-for.ts';
import { bulkRun } from './bulk-fakes.ts';

const COLUMN = { attnum: 1, typeName: 'text', typeOid: 25, typmod: -1, notNull: true, generated: false, form: { kind: 'string' as const } };
const PLAN: DocumentPlan = {
  columns: ['id', 'r'].map((name) => ({ ...COLUMN, name })),
  fields: [{ column: 0, field: 'id' }],
  key: [0, 1],
  routing: 1,
  onNonFinite: 'reject',
  onUnrepresentable: 'reject',
  idHash: 'none',
};

test('R3: the delete in place of a refused row is remembered, with its transaction, before it is sent', async () => {
  const refused: BulkAnswer = { kind: 'outcomes', outcomes: [{ kind: 'rejected', errorType: 'document_parsing_exception', reason: 'n' }] };
  const done: BulkAnswer = { kind: 'outcomes', outcomes: [{ kind: 'done' }] };
  const remembered: SentDelete[] = [];
  const { run, calls } = bulkRun((body) => {
    if (body.bytes().toString().startsWith('{"index"')) return refused;
    assert.equal(remembered.length, 1, 'remembered before it is sent');
    return done;
  });
  const watermark = new Watermark(0n);
  const lanes = new Lanes({
    run,
    encoder: new DocumentEncoder(PLAN),
    count: 1,
    isLoading: () => false,
    settled: () => {},
    remember: (sent) => remembered.push(sent),
  });
  lanes.add({ id: 'a:r', routing: Buffer.from('r'), version: 16n, row: rowFromTexts(['a', 'r']), rejection: null }, watermark.open(7));
  await lanes.drained();
  assert.deepEqual(remembered, [{ id: Buffer.from('a:r'), routing: Buffer.from('r'), version: 16n, xid: 7 }]);
  assert.match(String(calls[1]), /^\{"delete":\{"_id":"a:r","routing":"r",/);
});

/** A lane whose bulks wait until they are let go; what was sent, and the commits. */
interface HeldLane {
  readonly lanes: Lanes;
  readonly calls: readonly string[];
  readonly open: () => void;
  readonly watermark: Watermark;
  readonly run: Run;
  /** Those that sleep, of which each ends when it is called. */
  readonly sleepers: readonly (() => void)[];
}

function heldLane(laneBytes = 1 << 20, isLoading = false): HeldLane {
  let open = (): void => {};
  const { run, calls } = bulkRun((body) => ({ kind: 'outcomes', outcomes: new Array(body.count).fill({ kind: 'done' }) }));
  const held = new Promise<void>((resolve) => {
    open = resolve;
  });
  const bulk = (alias: string, body: BulkBody): Promise<BulkAnswer> => Promise.all([run.sink.bulk(alias, body), held]).then(([answer]) => answer);
  const bulkTuning = { ...run.bulkTuning, laneBytes } as Run['bulkTuning'];
  const sleepers: (() => void)[] = [];
  const clock = { ...run.clock, sleep: () => new Promise<void>((resolve) => sleepers.push(resolve)) };
  const slow = { ...run, bulkTuning, clock, sink: { ...run.sink, bulk } };
  const watermark = new Watermark(0n);
  const parts = { encoder: new DocumentEncoder(PLAN), count: 1, isLoading: () => isLoading, settled: () => {}, remember: () => {} };
  return { lanes: new Lanes({ run: slow, ...parts }), calls, open, watermark, run, sleepers };
}

const change = (id: string, version: bigint, document = true): LaneChange => ({
  ...{ id: `${id}:r`, routing: Buffer.from('r'), version, rejection: null },
  row: document ? rowFromTexts([id, 'r']) : null,
});
const sentIn = (call: string | undefined): readonly string[] =>
  [...String(call).matchAll(/"(index|delete)":\{"_id":"(\w+):r","routing":"r","version":(\d+)/g)].map((match) => match.slice(1).join(' '));

test('R5: of the operations of a key that wait, the last one is sent, alone, and every commit waits for it', async () => {
  const { lanes, calls, open, watermark } = heldLane();
  const tickets = [1n, 2n, 3n, 4n, 5n, 6n].map((endLsn) => Object.assign(watermark.open(Number(endLsn)), { endLsn }));
  const add = (one: LaneChange, at: number): unknown => lanes.add(one, tickets[at] as Ticket);
  add(change('a', 1n), 0);
  await waitFor('the first bulk', () => calls.length === 1);
  add(change('a', 2n), 1);
  add(change('b', 3n), 2);
  add(change('a', 4n, false), 3);
  add(change('a', 5n), 4);
  add(change('c', 6n), 5);
  assert.deepEqual(
    tickets.map(({ outstanding }) => outstanding),
    [1, 1, 1, 1, 1, 1],
  );
  open();
  await lanes.drained();
  assert.deepEqual(calls.map(sentIn), [['index a 1'], ['index b 3', 'index a 5', 'index c 6']]);
  assert.deepEqual(
    tickets.map(({ outstanding }) => outstanding),
    [0, 0, 0, 0, 0, 0],
  );
  assert.equal(lanes.pendingBytes, 0);
});

test('what a body has room for is sent in one, the rest behind it', async () => {
  const { lanes, calls, open, watermark } = heldLane();
  const ticket = Object.assign(watermark.open(1), { endLsn: 1n });
  lanes.add(change('first', 1n), ticket);
  await waitFor('the first bulk', () => calls.length === 1);
  for (let n = 0; n < 20_000; n++) lanes.add(change(`k${n}`, 2n), ticket);
  lanes.add(change('k0', 3n, false), ticket);
  open();
  await lanes.drained();
  const sent = calls.slice(1).map(sentIn);
  assert.ok(sent.length > 1);
  for (const bodies of calls.slice(1)) assert.ok(bodies.length < (1 << 20) + 200);
  assert.deepEqual(sent.flat().slice(-1), ['delete k0 3']);
  assert.equal(sent.flat().length, 20_001);
  assert.equal(ticket.outstanding, 0);
});

test('a row that is no document is not added, and what waits of its key stays until something replaces it', async () => {
  const { lanes, calls, watermark } = heldLane();
  const ticket = watermark.open(1);
  const bad = { ...change('a', 2n), row: rowFromTexts(['a', '']) };
  lanes.add(change('a', 1n), ticket);
  assert.equal(lanes.add(bad, ticket)?.column, 'r');
  assert.equal(ticket.outstanding, 1);
  lanes.add(change('a', 2n, false), ticket);
  await waitFor('the bulk', () => calls.length === 1);
  assert.deepEqual(sentIn(calls[0]), ['delete a 2']);
});

test('a key that changes again and again keeps its place before others that wait: its commits must not wait for ever', async () => {
  const { lanes, calls, open, watermark } = heldLane(1);
  const tickets = Array.from({ length: 5 }, (_, i) => watermark.open(i));
  for (const [i, id] of ['a', 'hot', 'b', 'c', 'hot'].entries()) {
    lanes.add(change(id, BigInt(i)), tickets[i] as Ticket);
    if (i === 0) await waitFor('the first bulk', () => calls.length === 1);
  }
  open();
  await lanes.drained();
  assert.deepEqual(calls.flatMap(sentIn), ['index a 0', 'index hot 1', 'index b 2', 'index c 3', 'index hot 4']);
});

test('a reject is noted when its turn comes, so that what was sent of its key before cannot mend it, and what replaces it leaves none', async () => {
  const { lanes, calls, open, watermark, run } = heldLane();
  const ticket = watermark.open(1);
  const rejection = { column: 'r', reason: 'no' };
  lanes.add(change('a', 1n), ticket);
  await waitFor('the first bulk', () => calls.length === 1);
  lanes.add({ ...change('a', 2n, false), rejection }, ticket);
  lanes.add({ ...change('b', 2n, false), rejection }, ticket);
  lanes.add(change('b', 3n), ticket);
  open();
  await lanes.drained();
  assert.deepEqual([...run.rejected.ids], ['a:r']);
  assert.deepEqual(calls.flatMap(sentIn), ['index a 1', 'delete a 2', 'index b 3']);
  lanes.add(change('a', 4n), ticket);
  await lanes.drained();
  assert.deepEqual([...run.rejected.ids], []);
});

test('a body of the other kind is begun when the version type changes, also where a rejected row left an empty one', async () => {
  const { lanes, calls, open, watermark } = heldLane();
  const ticket = watermark.open(1);
  open();
  lanes.add({ ...change('a', 1n), row: rowFromTexts(['a', '']) }, ticket);
  lanes.versionType = 'external_gte';
  lanes.add(change('a', 1n, false), ticket);
  await lanes.drained();
  assert.equal(calls.length, 1);
  assert.match(String(calls[0]), /"version_type":"external_gte"/);
  assert.equal(ticket.outstanding, 0);
});

test('beyond the limit of rejects nothing is deleted: readers keep the older document', async () => {
  const { lanes, calls, open, watermark, run } = heldLane();
  open();
  const ticket = watermark.open(1);
  for (let n = 0; n <= 10; n++) lanes.add({ ...change(`k${n}`, 2n, false), rejection: { column: 'r', reason: 'no' } }, ticket);
  await assert.rejects(lanes.drained(), { kind: 'too-many-rejects' });
  assert.equal(run.rejected.ids.size, 11);
  assert.deepEqual(calls, []);
});

test('while rows are loaded small operations wait for company, until the time is over, somebody waits or there is enough', async () => {
  const { lanes, calls, open, watermark, sleepers } = heldLane(1 << 20, true);
  const ticket = watermark.open(1);
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  };
  const add = async (id: string): Promise<void> => {
    lanes.add(change(id, 1n), ticket);
    await turns();
  };
  open();
  await add('a');
  await add('b');
  assert.deepEqual([calls.length, sleepers.length], [0, 1]);
  sleepers[0]?.();
  await turns();
  assert.deepEqual(calls.map(sentIn), [['index a 1', 'index b 1']]);
  await add('c');
  assert.equal(calls.length, 1);
  await lanes.drained();
  assert.deepEqual(sentIn(calls[1]), ['index c 1']);
  await add('d');
  // Of those that have left already: nobody leaves by it.
  sleepers[1]?.();
  await turns();
  assert.deepEqual([calls.length, sleepers.length], [2, 3]);
  for (let n = 0; n < 200; n++) lanes.add(change(`k${n}`, 2n), ticket);
  await turns();
  assert.equal(sentIn(calls[2]).length, 201);
  assert.equal(ticket.outstanding, 0);
});

test('what came while a bulk was under way waits for company too, and goes at once where bulks are smaller', async () => {
  for (const [laneBytes, isSentAtOnce] of [
    [1 << 20, false],
    [1, true],
  ] as const) {
    const { lanes, calls, open, watermark, sleepers } = heldLane(laneBytes, true);
    const ticket = watermark.open(1);
    lanes.add(change('a', 1n), ticket);
    sleepers[0]?.();
    await waitFor('the first bulk', () => calls.length === 1);
    lanes.add(change('b', 1n), ticket);
    open();
    await waitFor('the next step', () => sleepers.length === 2 || calls.length === 2);
    assert.equal(calls.length === 2, isSentAtOnce);
    await lanes.drained();
    assert.deepEqual(calls.map(sentIn), [['index a 1'], ['index b 1']]);
  }
});
