import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { Failure } from '../../src/core/failure.ts';
import type { BulkAnswer } from '../../src/core/sink/operation.ts';
import { openSink } from '../../src/elasticsearch/sink.ts';
import type { CreateIndexRequest } from '../../src/phases/sink-ports.ts';
import { deleteIndicesLike, elasticsearch, elasticsearchUrl, indicesLike, uniqueName } from '../support/servers.ts';
import { waitFor } from '../support/wait-for.ts';
import { bulkOf, configOf, requestOf, type TestSink, testSink, type Write } from './fixture.ts';

let sink: TestSink;
let prefix: string;
let clean: () => Promise<void>;
let request: CreateIndexRequest;

before(async () => {
  ({ sink, alias: prefix, clean } = await testSink());
});
after(() => clean());
beforeEach(async () => {
  request = requestOf(`${prefix}-${uniqueName('a')}`, 'b001');
  await sink.createIndex(request);
});

async function kinds(writes: readonly Write[], versionType: 'external' | 'external_gte' = 'external'): Promise<readonly string[]> {
  const answer: BulkAnswer = await sink.bulk(request.buildAlias, bulkOf(writes, versionType));
  return answer.kind === 'outcomes' ? answer.outcomes.map(({ kind }) => kind) : [answer.kind];
}

test('versions decide, whatever the order; deletes count as writes', async () => {
  const v = 9007199254740993n;
  assert.deepEqual(await kinds([['a', v, '{"n":1}']]), ['done']);
  assert.deepEqual(await kinds([['a', v, '{"n":2}']]), ['superseded']);
  assert.deepEqual(await kinds([['a', v - 1n, '{"n":2}']]), ['superseded']);
  assert.deepEqual(await kinds([['a', v, '{"n":3}']], 'external_gte'), ['done']);
  assert.deepEqual(
    await kinds([
      ['a', v + 1n, null],
      ['a', v, '{"n":4}'],
      ['b', 8n, null],
      ['b', 7n, '{"n":5}'],
    ]),
    ['done', 'superseded', 'done', 'superseded'],
  );
  await sink.refresh(request.index);
  assert.equal((await elasticsearch('GET', `/${request.index}/_count`)).json.count, 0);
});

test('one bad document is its own affair; the reason names the field and no value', async () => {
  const answer = await sink.bulk(
    request.buildAlias,
    bulkOf([
      ['1', 8n, '{"n":1}'],
      ['2', 8n, '{"n":"secret-4711"}'],
      ['3', 8n, '{"unknown":1}'],
      ['4', 8n, '{"n":1.7}'],
      ['5', 8n, '{"n":2}'],
    ]),
  );
  assert.ok(answer.kind === 'outcomes');
  assert.deepEqual(
    answer.outcomes.map(({ kind }) => kind),
    ['done', 'rejected', 'rejected', 'rejected', 'done'],
  );
  assert.doesNotMatch(JSON.stringify(answer), /secret/);
});

test('one over-long id spoils the whole request, nothing is applied', async () => {
  const answer = await sink.bulk(
    request.buildAlias,
    bulkOf([
      ['1', 8n, '{"n":1}'],
      ['x'.repeat(513), 8n, '{"n":1}'],
    ]),
  );
  assert.equal(answer.kind, 'malformed');
});

test('a write block is told apart from a missing privilege', async () => {
  await elasticsearch('PUT', `/${request.index}/_block/write`);
  assert.deepEqual(
    await kinds([
      ['1', 8n, '{"n":1}'],
      ['2', 8n, null],
    ]),
    ['blocked', 'blocked'],
  );
});

test('no write of any kind makes an index once the target is gone', async () => {
  await deleteIndicesLike(request.index);
  const bodies: readonly (readonly Write[])[] = [
    [['1', 8n, null]],
    [['1', 8n, '{"n":1}']],
    [
      ['1', 8n, null],
      ['2', 8n, '{"n":1}'],
    ],
  ];
  for (const writes of bodies) {
    await assert.rejects(sink.bulk(request.buildAlias, bulkOf(writes)), (error) => error instanceof Failure && error.kind === 'target-vanished');
  }
  assert.deepEqual(await indicesLike(`${request.state.alias}*`), []);
  assert.deepEqual(await sink.readAlias(request.buildAlias), { kind: 'none' });
  await assert.rejects(sink.bulk(request.buildAlias.toLowerCase(), bulkOf([['1', 8n, null]])), TypeError);
});

test('a running bulk is seen by index and by alias', async () => {
  assert.equal(await sink.runningBulkTasks(request.index), 0);
  // Fields of its own for each of many documents keep the server busy with the mapping.
  const index = `${request.state.alias}-busy`;
  await elasticsearch('PUT', `/${index}`, { settings: { number_of_replicas: 0 }, aliases: { [`${index}-BUILD`]: {} } });
  const writes = Array.from({ length: 20_000 }, (_, i): Write => [String(i), 8n, `{"f${i % 40}":${i}}`]);
  let ended = false;
  const bulk = sink.bulk(`${index}-BUILD`, bulkOf(writes)).finally(() => {
    ended = true;
  });
  await waitFor('the running bulk', async () => ended || (await sink.runningBulkTasks(index)) > 0);
  assert.equal(ended, false, 'the bulk ended before it was seen');
  assert.equal((await bulk).kind, 'outcomes');
  assert.equal(await sink.runningBulkTasks(index), 0);
  await assert.doesNotReject(sink.runningBulkTasks(`${index}-gone`));
});

test('a request without an answer is seen for as long as it runs', async () => {
  const index = `${request.state.alias}-unassigned`;
  // Its only shard can never be placed, so a bulk waits for it: one second, while the client gives up after half of it.
  await elasticsearch('PUT', `/${index}?wait_for_active_shards=0`, {
    settings: { number_of_replicas: 0, 'routing.allocation.require._name': 'nobody' },
    aliases: { [`${index}-BUILD`]: {} },
  });
  const impatient = await openSink({ ...configOf(elasticsearchUrl()), requestTimeoutMs: 500 });
  try {
    const answer = await impatient.bulk(`${index}-BUILD`, bulkOf([['1', 8n, '{}']]));
    assert.ok(answer.kind === 'retry' && answer.unanswered !== undefined);
    const requests = [answer.unanswered];
    assert.ok((await sink.runningRequests(requests)) > 0, 'it goes on in the server');
    assert.equal(await sink.runningRequests(['realign-another']), 0);
    await waitFor('the end of the request', async () => (await sink.runningRequests(requests)) === 0);
  } finally {
    await impatient.close();
  }
});
