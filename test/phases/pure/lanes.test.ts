import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BulkAnswer } from '../../../src/core/sink/operation.ts';
import type { SentDelete } from '../../../src/core/wal/delete-memory.ts';
import { Watermark } from '../../../src/core/wal/watermark.ts';
import { Lanes } from '../../../src/phases/replay/lanes.ts';
import { bulkRun } from './bulk-fakes.ts';

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
  const lanes = new Lanes(
    run,
    1,
    () => {},
    (sent) => remembered.push(sent),
  );
  lanes.add({ id: Buffer.from('a'), routing: Buffer.from('r'), version: 16n, document: Buffer.from('{}') }, watermark.open(7));
  await lanes.drained();
  assert.deepEqual(remembered, [{ id: Buffer.from('a'), routing: Buffer.from('r'), version: 16n, xid: 7 }]);
  assert.match(String(calls[1]), /^\{"delete":\{"_id":"a","routing":"r",/);
});
