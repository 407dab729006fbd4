import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyAsId } from '../../../src/core/encode/shown-id.ts';
import type { RunEvent } from '../../../src/core/events.ts';
import { RejectList } from '../../../src/phases/build/run-state.ts';
import type { RejectRecord } from '../../../src/phases/ports.ts';

interface Listed {
  readonly list: RejectList;
  readonly written: RejectRecord[];
  readonly events: RunEvent[];
}

function listOf(limit: number, known: readonly string[] = []): Listed {
  const written: RejectRecord[] = [];
  const events: RunEvent[] = [];
  const file = { write: async (record: RejectRecord) => void written.push(record) };
  return { list: new RejectList(known, limit, file, { report: (event) => void events.push(event) }), written, events };
}

test('all rows that are refused together are written down before the build stops, and the message counts them as rows', async () => {
  const { list, written } = listOf(0);
  const four = ['1', '2', '3', '4'].map((id) => ({ id, reason: 'field v: document_parsing_exception' }));
  await assert.rejects(list.add(four), {
    kind: 'too-many-rejects',
    message: /^4 rows cannot be indexed and --max-rejects is 0; the last one: field v: /,
  });
  assert.deepEqual(written, four);
});

test('rows of earlier runs count, records of a row that was mended meanwhile do not', async () => {
  const { list, written } = listOf(1, ['7']);
  list.mend('7');
  await list.add([{ id: '7', column: 'price', reason: 'NaN or Infinity' }]);
  list.mend('7');
  await list.add([{ id: '7', column: 'price', reason: 'NaN or Infinity' }]);
  assert.equal(written.length, 2);
  const failure = { message: '2 rows cannot be indexed and --max-rejects is 1; the last one: column price: NaN or Infinity' };
  await assert.rejects(list.add([{ id: '8', column: 'price', reason: 'NaN or Infinity' }]), failure);
  // What was in flight then.
  await assert.rejects(list.add([{ id: '9', reason: 'x' }]));
  assert.match(list.failure().message, /^3 rows /);
});

test('a key that makes no id is told in the form of one; inside it keeps its own', async () => {
  const { list, written, events } = listOf(9);
  const id = keyAsId(['', 'a:b']).toString('utf8');
  await list.add([{ id, column: 'tenant', reason: 'the routing is empty, which Elasticsearch takes for none' }]);
  assert.deepEqual([written[0]?.id, events.map((event) => event.type === 'rejected' && event.id)], [':a\\:b', [':a\\:b']]);
  assert.deepEqual([...list.ids], [id]);
});

test('as many rows as a chunk has may be rejected together', async () => {
  const { list, written } = listOf(1_000_000);
  await list.add(Array.from({ length: 300_000 }, (_, n) => ({ id: String(n), reason: 'NaN or Infinity' })));
  assert.equal(written.length, 300_000);
});
