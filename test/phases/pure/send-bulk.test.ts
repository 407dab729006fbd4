import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BulkBody } from '../../../src/core/sink/bulk-body.ts';
import type { BulkAnswer } from '../../../src/core/sink/operation.ts';
import { sendBulk } from '../../../src/phases/bulk/send-bulk.ts';
import { bulkRun } from './bulk-fakes.ts';

function one(): BulkBody {
  const body = new BulkBody('external');
  body.append({ id: Buffer.from('a'), version: 8n, document: null });
  return body;
}

const DONE: BulkAnswer = { kind: 'outcomes', outcomes: [{ kind: 'done' }] };

test('R6: a bulk without an answer is sent again at once, and counts only when the first request is over', async () => {
  const answers: BulkAnswer[] = [{ kind: 'retry', errorType: 'no_answer', unanswered: 'r1' }, DONE];
  let left = 2;
  const { run, calls } = bulkRun(
    () => answers.shift() ?? DONE,
    () => left--,
  );
  await sendBulk(run, one());
  const [first, second, ...polls] = calls;
  assert.equal(first, second, 'the same bytes');
  assert.deepEqual(polls, ['running r1', 'running r1', 'running r1']);
});

test('a refusal for overload is over: nothing is asked', async () => {
  const answers: BulkAnswer[] = [{ kind: 'retry', errorType: 'es_rejected_execution_exception' }, DONE];
  const { run, calls } = bulkRun(() => answers.shift() ?? DONE);
  await sendBulk(run, one());
  assert.equal(calls.length, 2);
});

test('a block on the index is no answer that shows how much the sink takes; a refusal for overload beside it counts', async () => {
  const blocked = { kind: 'blocked', errorType: 'cluster_block_exception' } as const;
  const retry = { kind: 'retry', errorType: 'es_rejected_execution_exception' } as const;
  for (const [outcomes, sign] of [
    [[blocked], null],
    [[blocked, retry], 'overloaded'],
  ] as const) {
    const answers: BulkAnswer[] = [{ kind: 'outcomes', outcomes }];
    const body = one();
    if (outcomes.length > 1) body.append({ id: Buffer.from('b'), version: 8n, document: null });
    const { run } = bulkRun(
      (sent) => answers.shift() ?? { kind: 'outcomes', outcomes: Array.from({ length: sent.count }, () => ({ kind: 'done' })) },
    );
    const signs: (string | null)[] = [];
    await sendBulk(run, body, { enter: async () => {}, leave: (seen) => signs.push(seen) });
    assert.deepEqual(signs, [sign, 'accepted']);
  }
});

test('a document that is refused is a reject; a delete that is refused stops the build, item by item and as a whole request', async () => {
  const refused: BulkAnswer = { kind: 'outcomes', outcomes: [{ kind: 'rejected', errorType: 'illegal_argument_exception', reason: 'x' }] };
  const document = new BulkBody('external');
  document.append({ id: Buffer.from('a'), version: 8n, document: Buffer.from('{}') });
  assert.deepEqual(await sendBulk(bulkRun(() => refused).run, document), [{ id: 'a', reason: 'x' }]);
  for (const answer of [refused, { kind: 'malformed', errorType: 'illegal_argument_exception' } as const]) {
    await assert.rejects(sendBulk(bulkRun(() => answer).run, one()), { kind: 'sink-refused' });
  }
});

test('a bulk that is too large teaches its size, a single document that is too large does not', async () => {
  const body = new BulkBody('external');
  for (const id of ['a', 'b']) body.append({ id: Buffer.from(id), version: 8n, document: Buffer.from('{}') });
  const { run, calls } = bulkRun(() => ({ kind: 'too-large' }));
  const refused = await sendBulk(run, body);
  assert.deepEqual(refused.map(({ id }) => id).sort(), ['a', 'b']);
  assert.deepEqual(
    calls.filter((call) => call.startsWith('too large')),
    [`too large ${body.byteLength}`],
  );
});
