import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DocumentEncoder } from '../../../src/core/encode/document.ts';
import { rowFromTexts } from '../../../src/core/row.ts';
import type { BulkAnswer } from '../../../src/core/sink/operation.ts';
import type { SentDelete } from '../../../src/core/wal/delete-memory.ts';
import { type Ticket, Watermark } from '../../../src/core/wal/watermark.ts';
import type { LaneChange } from '../../../src/phases/replay/lanes/lane-batch.ts';
import { Lanes } from '../../../src/phases/replay/lanes.ts';
import { waitFor } from '../../support/wait-for.ts';
import { bulkRun } from './bulk-fakes.ts';
import { change, heldLanes, PLAN, sentIn } from './held-lanes.ts';

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

test('R5: of the operations of a key that wait, the last one is sent, alone, and every commit waits for it', async () => {
  const { lanes, calls, open, watermark } = heldLanes();
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
  const { lanes, calls, open, watermark } = heldLanes();
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
  const { lanes, calls, watermark } = heldLanes();
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
  const { lanes, calls, open, watermark } = heldLanes({ laneBytes: 1 });
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
  const { lanes, calls, open, watermark, run } = heldLanes();
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
  const { lanes, calls, open, watermark } = heldLanes();
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
  const { lanes, calls, open, watermark, run } = heldLanes();
  open();
  const ticket = watermark.open(1);
  for (let n = 0; n <= 10; n++) lanes.add({ ...change(`k${n}`, 2n, false), rejection: { column: 'r', reason: 'no' } }, ticket);
  await assert.rejects(lanes.drained(), { kind: 'too-many-rejects' });
  assert.equal(run.rejected.ids.size, 11);
  assert.deepEqual(calls, []);
});
