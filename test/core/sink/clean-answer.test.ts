import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { allDone, readBulkAnswer } from '../../../src/core/sink/bulk-answer.ts';
import { saysAllDone } from '../../../src/core/sink/clean-answer.ts';
import { runs } from '../../support/property-runs.ts';

type Said = readonly ['index' | 'delete' | 'create', number];

function answerOf(said: readonly Said[], errors = false): Buffer {
  return Buffer.from(JSON.stringify({ errors, items: said.map(([verb, status]) => ({ [verb]: { status } })) }));
}

/** What is said of an operation that was carried out. */
const DONE: readonly Said[] = [
  ['index', 201],
  ['index', 200],
  ['delete', 200],
  ['delete', 404],
];

test('an answer that says of every operation that it was carried out is told by its bytes, and the parser says the same', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...DONE), { minLength: 1, maxLength: 40 }), (said) => {
      const [answer, count] = [answerOf(said), said.length];
      assert.equal(saysAllDone(answer, count), true);
      assert.deepEqual(readBulkAnswer(200, answer.toString(), count), allDone(count));
      assert.equal(saysAllDone(answer, count + 1), false);
      assert.equal(saysAllDone(answer, count - 1), false);
    }),
    runs(100),
  );
});

test('any other answer is left to the parser', () => {
  const made: Said = ['index', 201];
  for (const answer of [
    answerOf([made, ['index', 409]], true),
    answerOf([made, ['index', 404]]),
    answerOf([made, ['delete', 201]]),
    answerOf([made, ['delete', 409]]),
    answerOf([made, ['create', 201]]),
    answerOf([made, made], true),
    answerOf([made]),
    answerOf([made, made, made]),
    Buffer.from(`${answerOf([made, made])} `),
    answerOf([made, made]).subarray(1),
    answerOf([made, made]).subarray(0, -1),
    Buffer.from(answerOf([made, made]).toString().replace('},{', '};{')),
    Buffer.alloc(0),
  ]) {
    assert.equal(saysAllDone(answer, 2), false, answer.toString());
  }
  assert.equal(saysAllDone(answerOf([]), 0), false);
});

test('a byte that is another one anywhere in the answer is no clean answer', () => {
  const answer = answerOf(DONE);
  for (let at = 0; at < answer.length; at++) {
    const damaged = Buffer.from(answer);
    damaged[at] = (damaged[at] as number) ^ 0x80;
    assert.equal(saysAllDone(damaged, DONE.length), false, `byte ${at}`);
  }
});
