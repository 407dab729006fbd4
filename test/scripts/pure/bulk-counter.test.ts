import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BulkCounter } from '../../../scripts/benchmark/bulk-counter.ts';
import { readBulkAnswer } from '../../../src/core/sink/bulk-answer.ts';

const INDEX = '{"index":{"_id":"1","version":7,"version_type":"external"}}\n{"id":1,"delete":"d"}\n';
const DELETE = '{"delete":{"_id":"2","version":8,"version_type":"external"}}\n';

function countedIn(parts: readonly Buffer[]): BulkCounter {
  const counter = new BulkCounter();
  for (const part of parts) counter.push(part);
  return counter;
}

test('operations are counted wherever the body is cut', () => {
  const body = Buffer.from(INDEX + DELETE + INDEX + INDEX + DELETE + DELETE);
  for (let at = 0; at <= body.length; at++) {
    const counter = countedIn([body.subarray(0, at), body.subarray(at)]);
    assert.equal(counter.operations, 6, `cut at ${at}`);
    assert.equal(counter.bytes, body.length);
  }
  const inBytes = countedIn(Array.from(body, (_, at) => body.subarray(at, at + 1)));
  assert.equal(inBytes.operations, 6);
});

test('the answer is one that the load reads as done', () => {
  for (const body of ['', INDEX, INDEX.repeat(1000), DELETE, INDEX + DELETE + INDEX]) {
    const counter = countedIn([Buffer.from(body)]);
    const answer = readBulkAnswer(200, counter.answer().toString(), counter.operations);
    assert.equal(answer.kind, 'outcomes');
    assert.ok(answer.kind === 'outcomes' && answer.outcomes.every(({ kind }) => kind === 'done'));
  }
});

test('a delete is answered as one', () => {
  const { items } = JSON.parse(
    countedIn([Buffer.from(INDEX + DELETE)])
      .answer()
      .toString(),
  ) as { readonly items: unknown };
  assert.deepEqual(items, [{ index: { status: 201 } }, { delete: { status: 200 } }]);
});
