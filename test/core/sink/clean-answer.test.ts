import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allDone, readBulkAnswer } from '../../../src/core/sink/bulk-answer.ts';
import { saysAllCreated } from '../../../src/core/sink/clean-answer.ts';

function answerOf(statuses: readonly number[], { errors = false, verb = 'index' } = {}): Buffer {
  return Buffer.from(JSON.stringify({ errors, items: statuses.map((status) => ({ [verb]: { status } })) }));
}

test('an answer that says of every operation that it made a document is told by its bytes, and the parser says the same', () => {
  for (const count of [1, 2, 3, 500, 7]) {
    const answer = answerOf(new Array<number>(count).fill(201));
    assert.equal(saysAllCreated(answer, count), true);
    assert.deepEqual(readBulkAnswer(200, answer.toString(), count), allDone(count));
    assert.equal(saysAllCreated(answer, count + 1), false);
    assert.equal(saysAllCreated(answer, count - 1), false);
  }
});

test('any other answer is left to the parser', () => {
  for (const answer of [
    answerOf([201, 200]),
    answerOf([200, 201]),
    answerOf([201, 409], { errors: true }),
    answerOf([201, 201], { errors: true }),
    answerOf([201, 201], { verb: 'delete' }),
    answerOf([201]),
    answerOf([201, 201, 201]),
    Buffer.from(`${answerOf([201, 201])} `),
    answerOf([201, 201]).subarray(1),
    Buffer.alloc(0),
  ]) {
    assert.equal(saysAllCreated(answer, 2), false, answer.toString());
  }
  assert.equal(saysAllCreated(answerOf([]), 0), false);
});
