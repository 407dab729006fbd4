import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { inspect } from 'node:util';
import { Failure } from '../../../src/core/failure.ts';
import { connect, type ElasticsearchConfig } from '../../../src/elasticsearch/connect.ts';
import { freeze } from '../../../src/elasticsearch/frozen-index.ts';
import { openSink } from '../../../src/elasticsearch/sink.ts';
import { bulkOf, configOf, type TestSink } from '../fixture.ts';

/** A server that answers as told: what a real one does only under load, behind a proxy, or with security. */
type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

const ROOT: Answer = (_request, response) => json(response, 200, { version: { number: '9.0.8' }, cluster_uuid: 'u' });

let server: Server;
let node: string;
let sink: TestSink;
let answer: Answer = ROOT;
let seen: { readonly url: string; readonly headers: IncomingMessage['headers']; readonly body: string }[] = [];

before(async () => {
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString();
      seen.push({ url: request.url ?? '', headers: request.headers, body });
      answer(request, response, body);
    });
  });
  // A connection that the server gives up between two tests would be met by a bulk as one that was cut.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  node = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  sink = await openSink({ ...configOf(node), requestTimeoutMs: 2_000 });
});
after(async () => {
  await sink.close();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  seen = [];
  answer = ROOT;
});

function json(response: ServerResponse, status: number, body: object | string, product = 'Elasticsearch'): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', 'X-elastic-product': product }).end(text);
}

function error(type: string, reason = ''): object {
  return { error: { type, reason } };
}

const BODY = bulkOf([
  ['1', 8n, '{"n":1}'],
  ['2', 8n, null],
]);

const bulk = (): ReturnType<TestSink['bulk']> => sink.bulk('a-BUILD-1', BODY);

function isKind(kind: string): (error: unknown) => boolean {
  return (thrown) => thrown instanceof Failure && thrown.kind === kind;
}

test('a bulk is sent once, as bytes, with the guards in its address', async () => {
  answer = (_request, response) => json(response, 200, { errors: false, items: [{ index: { status: 201 } }, { delete: { status: 404 } }] });
  assert.deepEqual(await bulk(), { kind: 'outcomes', outcomes: [{ kind: 'done' }, { kind: 'done' }] });
  assert.equal(seen.length, 1);
  const url = new URL(seen[0]?.url ?? '', node);
  assert.equal(url.pathname, '/a-BUILD-1/_bulk');
  assert.deepEqual(Object.fromEntries(url.searchParams), {
    require_alias: 'true',
    pipeline: '_none',
    filter_path: 'errors,items.*.status,items.*.error',
    timeout: '1s',
  });
  assert.equal(seen[0]?.body, BODY.bytes().toString());
  assert.match(String(seen[0]?.headers['content-type']), /ndjson/);
});

for (const [what, status, body, kind] of [
  ['429 for the whole request', 429, error('es_rejected_execution_exception'), 'retry'],
  ['503', 503, error('master_not_discovered_exception'), 'retry'],
  ['502 of a proxy', 502, '<html>bad gateway</html>', 'retry'],
  ['504 of a proxy', 504, '', 'retry'],
  ['413 without a body', 413, '', 'too-large'],
  ['400 for the whole request', 400, error('action_request_validation_exception'), 'malformed'],
  ['200 that is cut', 200, '{"errors":false,"items":[{"index":{"sta', 'retry'],
  ['200 with an item too few', 200, { errors: false, items: [{ index: { status: 201 } }] }, 'retry'],
] as const) {
  test(`${what}: ${kind}, and only one request`, async () => {
    answer = (_request, response) => json(response, status, body);
    assert.equal((await bulk()).kind, kind);
    assert.equal(seen.length, 1);
  });
}

test('a flood-stage block of an item is not overload', async () => {
  const item = { status: 429, error: { type: 'cluster_block_exception', reason: 'r' } };
  answer = (_request, response) =>
    json(response, 200, { errors: true, items: [{ index: item }, { delete: { status: 429, error: { type: 'es_rejected_execution_exception' } } }] });
  const outcome = await bulk();
  assert.ok(outcome.kind === 'outcomes');
  assert.deepEqual(
    outcome.outcomes.map(({ kind }) => kind),
    ['blocked', 'retry'],
  );
});

for (const status of [401, 403]) {
  test(`${status} stops the build`, async () => {
    answer = (_request, response) => json(response, status, error('security_exception', 'secret reason'));
    await assert.rejects(bulk(), isKind('denied'));
    await assert.rejects(sink.refresh('a'), isKind('denied'));
  });
}

test('no answer leaves a bulk open: silence, a cut before and in the middle of the body', async () => {
  const assertOpen = async (errorType = 'no_answer'): Promise<void> => {
    assert.deepEqual(await bulk(), { kind: 'retry', errorType, unanswered: seen.at(-1)?.headers['x-opaque-id'] });
    assert.match(String(seen.at(-1)?.headers['x-opaque-id']), /^realign-[0-9a-f-]{36}$/);
  };
  answer = () => undefined;
  await assertOpen();
  answer = (request) => request.socket.destroy();
  await assertOpen();
  answer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'X-elastic-product': 'Elasticsearch', 'content-length': '1000' });
    response.write('{"errors":false', () => response.destroy());
  };
  await assertOpen();
  // A proxy gave up; the server behind it may not have.
  answer = (_request, response) => json(response, 504, 'gateway timeout');
  await assertOpen('http_504');
  answer = (_request, response) => json(response, 429, error('es_rejected_execution_exception'));
  assert.deepEqual(await bulk(), { kind: 'retry', errorType: 'es_rejected_execution_exception' });
});

test('other requests without an answer are connection-lost, and carry no document', async () => {
  answer = (request) => request.socket.destroy();
  await assert.rejects(sink.refresh('a'), isKind('connection-lost'));
  answer = (_request, response) =>
    json(response, 200, {
      errors: true,
      items: [{ index: { status: 500, error: { type: 'odd_exception', reason: 'secret-4711' } } }, { delete: { status: 200 } }],
    });
  await assert.rejects(bulk(), (thrown) => isKind('sink-refused')(thrown) && !inspect(thrown, { depth: 9 }).includes('secret-4711'));
});

test('reads are repeated after a cut or a partial answer, and fail after the last try', async () => {
  const whole = { timed_out: false, _shards: { total: 2, successful: 2, failed: 0 }, hits: { total: { value: 7, relation: 'eq' }, hits: [] } };
  const partial = { ...whole, _shards: { total: 2, successful: 1, failed: 1 } };
  const http = await connect(configOf(node));
  let searches = 0;
  answer = (request, response) => {
    if (request.url?.includes('_pit')) return json(response, 200, { id: 'p' });
    searches++;
    if (searches === 1) return request.socket.destroy();
    return json(response, 200, searches === 3 ? whole : partial);
  };
  try {
    assert.equal(await (await freeze(http, 'a', [1, 1])).count(), 7);
    await assert.rejects((await freeze(http, 'a', [1])).count(), isKind('sink-overloaded'));
    assert.equal(searches, 5);
  } finally {
    await http.close();
  }
});

test('privileges: missing ones are named, a server without security has none', async () => {
  const granted = {
    has_all_requested: false,
    cluster: { monitor: true },
    index: { a: { read: true, manage: false }, 'a-1': { read: true, manage: true } },
  };
  const preflight = async (): Promise<readonly string[]> => {
    const findings = await sink.preflight({ alias: 'a', index: 'a-1', settings: {}, adopt: false, sourceBytes: 0 });
    return findings.filter(({ code }) => code === 'privileges').map(({ level, message }) => `${level}: ${message}`);
  };
  const rest: Answer = (request, response, body) => {
    const path = new URL(request.url ?? '', node).pathname;
    if (path === '/_cluster/health') json(response, 200, { status: 'green', number_of_data_nodes: 1, active_shards: 0 });
    else if (path === '/_cluster/settings') json(response, 200, { defaults: { 'cluster.routing.allocation.disk.threshold_enabled': 'false' } });
    else if (path.startsWith('/_index_template') || path.startsWith('/_template')) json(response, 403, error('security_exception'));
    else if (path.startsWith('/_security')) json(response, 200, granted);
    else if (path.startsWith('/_alias') || path.endsWith('_settings')) json(response, 404, error('index_not_found_exception'));
    else ROOT(request, response, body);
  };
  answer = rest;
  assert.deepEqual(await preflight(), ['fail: missing privileges: manage on a']);
  for (const status of [400, 404, 405]) {
    answer = (request, response, body) =>
      request.url?.startsWith('/_security') ? json(response, status, { error: 'no handler found' }) : rest(request, response, body);
    assert.deepEqual(await preflight(), []);
  }
});

async function opening(config: Partial<ElasticsearchConfig>): Promise<unknown> {
  try {
    await (await openSink({ ...configOf(node), ...config })).close();
    return null;
  } catch (thrown) {
    return thrown;
  }
}

test('opening: who is not there, not allowed, or something else', async () => {
  assert.ok(isKind('unreachable')(await opening({ nodes: ['http://127.0.0.1:1'] })));
  answer = (_request, response) => json(response, 401, error('security_exception'));
  assert.ok(isKind('denied')(await opening({})));
  answer = (_request, response) => json(response, 200, { version: { number: '2.1', distribution: 'opensearch' } }, '');
  const other = await opening({});
  assert.ok(isKind('preflight-refused')(other) && /OpenSearch/.test((other as Failure).hint ?? ''));
  answer = (_request, response) => json(response, 400, error('media_type_header_exception'));
  assert.ok(isKind('preflight-refused')(await opening({})));
});

test('opening: an address with a password is refused without being printed; keys never show', async () => {
  const refused = await opening({ nodes: ['http://user:hunter2@127.0.0.1:9200'] });
  assert.ok(isKind('config')(refused));
  assert.doesNotMatch(inspect(refused, { depth: 9 }), /hunter2/);
  assert.ok(isKind('config')(await opening({ nodes: ['not a url hunter2'] })));
  answer = (_request, response) => json(response, 401, error('security_exception'));
  const denied = await opening({ auth: { apiKey: 'hunter2' } });
  assert.ok(isKind('denied')(denied));
  assert.doesNotMatch(inspect(denied, { depth: 9 }), /hunter2/);
  assert.equal(seen.at(-1)?.headers.authorization, 'ApiKey hunter2');
  assert.ok(isKind('unreachable')(await opening({ nodes: ['http://127.0.0.1:1'], auth: { username: 'u', password: 'hunter2' } })));
});
