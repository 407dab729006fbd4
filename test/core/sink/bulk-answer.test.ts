import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBulkAnswer } from '../../../src/core/sink/bulk-answer.ts';

type Entry = { readonly status: number; readonly error?: unknown };

function answer(...entries: readonly Entry[]): string {
  return JSON.stringify({ errors: true, items: entries.map((entry, i) => (i % 2 === 0 ? { index: entry } : { delete: entry })) });
}

function only(status: number, type: string, reason = '', causedBy?: string): unknown {
  const error = { type, reason, ...(causedBy === undefined ? {} : { caused_by: { type: causedBy, reason: 'secret' } }) };
  const read = readBulkAnswer(200, answer({ status, error }), 1);
  return read.kind === 'outcomes' ? read.outcomes[0] : read;
}

test('positions are kept; 404 on a delete is done, 409 is superseded', () => {
  const body = answer(
    { status: 201 },
    { status: 404 },
    { status: 409, error: { type: 'version_conflict_engine_exception', reason: '[5]: current version [7]' } },
    { status: 200 },
  );
  const kinds = readBulkAnswer(200, body, 4);
  assert.deepEqual(kinds, { kind: 'outcomes', outcomes: [{ kind: 'done' }, { kind: 'done' }, { kind: 'superseded' }, { kind: 'done' }] });
});

test('errors: false is believed only together with all items', () => {
  assert.deepEqual(readBulkAnswer(200, '{"errors":false,"items":[{"index":{"status":201}}]}', 1), { kind: 'outcomes', outcomes: [{ kind: 'done' }] });
  assert.deepEqual(readBulkAnswer(200, '{"errors":false}', 1), { kind: 'retry', errorType: 'unreadable_answer' });
});

for (const [what, body] of [
  ['cut off', '{"errors":false,"items":[{"index":{"sta'],
  ['empty', ''],
  ['HTML of a proxy', '<html>ok</html>'],
  ['one item short', answer({ status: 201 })],
  ['one item too many', answer({ status: 201 }, { status: 200 }, { status: 201 })],
  ['items without status', '{"items":[{"index":{}},{"index":{}}]}'],
  ['not an object', '[]'],
  ['null', 'null'],
] as const) {
  test(`a 200 that is ${what} leaves the outcome open`, () =>
    assert.deepEqual(readBulkAnswer(200, body, 2), { kind: 'retry', errorType: 'unreadable_answer' }));
}

/** Reasons as Elasticsearch 9.0 writes them, with a value in the preview that must not come through. */
const rejected: readonly (readonly [number, string, string, string | undefined, string])[] = [
  [
    400,
    'document_parsing_exception',
    "[1:12] failed to parse field [price] of type [double] in document with id 'secret'. Preview of field's value: 'secret'",
    'number_format_exception',
    'field price: document_parsing_exception (number_format_exception)',
  ],
  [
    400,
    'mapper_parsing_exception',
    "failed to parse field [n] of type [long] in document with id 'secret'",
    undefined,
    'field n: mapper_parsing_exception',
  ],
  [
    400,
    'document_parsing_exception',
    "[1:9] failed to parse field [attrs.secret] of type [long] in document with id '1'",
    undefined,
    'field attrs: document_parsing_exception',
  ],
  [
    400,
    'strict_dynamic_mapping_exception',
    '[1:9] mapping set to strict, dynamic introduction of [extra] within [_doc] is not allowed',
    undefined,
    'field extra: strict_dynamic_mapping_exception',
  ],
  [
    400,
    'strict_dynamic_mapping_exception',
    '[1:9] mapping set to strict, dynamic introduction of [secret] within [attrs] is not allowed',
    undefined,
    'field attrs: strict_dynamic_mapping_exception',
  ],
  [
    400,
    'illegal_argument_exception',
    'Document contains at least one immense term in field="k" (whose UTF8 encoding is longer than the max length 32766), prefix: \'[secret]',
    'max_bytes_length_exceeded_exception',
    'field k: illegal_argument_exception (max_bytes_length_exceeded_exception)',
  ],
  [500, 'not_x_content_exception', 'Compressor detection can only be called on some xcontent bytes: secret', undefined, 'not_x_content_exception'],
  [400, 'document_parsing_exception', "[1:1] value 'failed to parse field [secret] of type [x]'", undefined, 'document_parsing_exception'],
];
for (const [status, type, reason, cause, said] of rejected) {
  test(`rejected: ${said}`, () => {
    assert.deepEqual(only(status, type, reason, cause), { kind: 'rejected', errorType: type, reason: said });
    assert.ok(!JSON.stringify(only(status, type, reason, cause)).includes('secret'));
  });
}

test('what passes by itself is tried again, whatever its status', () => {
  for (const [status, type] of [
    [429, 'es_rejected_execution_exception'],
    [429, 'circuit_breaking_exception'],
    [503, 'unavailable_shards_exception'],
    [500, 'node_closed_exception'],
  ] as const) {
    assert.deepEqual(only(status, type, 'source[{secret}]'), { kind: 'retry', errorType: type });
  }
});

test('a block is no overload, though both are 429', () => {
  for (const status of [429, 403])
    assert.deepEqual(only(status, 'cluster_block_exception'), { kind: 'blocked', errorType: 'cluster_block_exception' });
});

for (const [status, type, kind] of [
  [404, 'index_not_found_exception', 'target-vanished'],
  [400, 'invalid_index_name_exception', 'target-vanished'],
  [400, 'index_closed_exception', 'target-vanished'],
  [403, 'security_exception', 'denied'],
  [500, 'null_pointer_exception', 'sink-refused'],
  [400, 'Some text with a secret', 'sink-refused'],
] as const) {
  test(`an item with ${type} stops the run: ${kind}`, () => {
    assert.throws(
      () => only(status, type, 'secret'),
      (error: unknown) => error instanceof Error && 'kind' in error && error.kind === kind && !error.message.includes('secret'),
    );
  });
}

test('an item that failed without saying why stops the run', () => {
  assert.throws(() => readBulkAnswer(200, answer({ status: 500 }), 1), { kind: 'sink-refused' });
});

function whole(status: number, type?: string): unknown {
  return readBulkAnswer(status, type === undefined ? '<html>' : JSON.stringify({ error: { type, reason: 'secret' }, status }), 2);
}

test('answers to the whole request', () => {
  assert.deepEqual(whole(413), { kind: 'too-large' });
  assert.deepEqual(whole(400, 'illegal_argument_exception'), { kind: 'malformed', errorType: 'illegal_argument_exception' });
  assert.deepEqual(whole(429, 'es_rejected_execution_exception'), { kind: 'retry', errorType: 'es_rejected_execution_exception' });
  for (const status of [408, 429, 500, 502, 503, 504]) assert.deepEqual(whole(status), { kind: 'retry', errorType: `http_${status}` });
  const blocked = { kind: 'blocked', errorType: 'cluster_block_exception' };
  assert.deepEqual(whole(403, 'cluster_block_exception'), { kind: 'outcomes', outcomes: [blocked, blocked] });
  assert.throws(() => whole(401), { kind: 'denied' });
  assert.throws(() => whole(403, 'security_exception'), { kind: 'denied' });
  assert.throws(() => whole(403), { kind: 'denied' });
  assert.throws(() => whole(404, 'index_not_found_exception'), { kind: 'target-vanished' });
  assert.throws(() => whole(404), { kind: 'sink-refused' });
  assert.throws(() => whole(302), { kind: 'sink-refused' });
});
