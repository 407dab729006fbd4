import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createPlainServer, type Server } from 'node:net';
import { test } from 'node:test';
import { Failure } from '../../../src/core/failure.ts';
import { openSource } from '../../../src/postgres/source.ts';
import { selfSigned } from '../../support/self-signed.ts';

/** What is said of a port that belongs to `server`, which is closed after it. */
async function refusal(server: Server, ssl: false | { readonly rejectUnauthorized: boolean }): Promise<{ error: Failure; place: string }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const config = { host: '127.0.0.1', port, database: 'd', user: 'u', password: 'hunter2secret', ssl, applicationName: 'realign-test' };
  const error = await openSource(config).catch((caught: unknown) => caught);
  server.close();
  assert.ok(error instanceof Failure);
  assert.equal(error.kind, 'unreachable');
  assert.ok(!`${error.message} ${error.hint} ${error.stack} ${String(error.cause)}`.includes('hunter2secret'));
  return { error, place: `127.0.0.1:${port}` };
}

for (const ssl of [false, { rejectUnauthorized: false }] as const) {
  const how = ssl === false ? 'without TLS' : 'with TLS';

  test(`a port of plain HTTP, asked ${how}`, async () => {
    const seen: string[] = [];
    const server = createServer((request, response) => {
      seen.push(`${request.method} ${request.headers.authorization ?? ''}`);
      response.end('{}');
    });
    const { error, place } = await refusal(server, ssl);
    assert.equal(error.message, `the port ${place} answers HTTP/1.1: it is not one of PostgreSQL`);
    assert.match(error.hint ?? '', /DATABASE_URL/);
    assert.deepEqual(seen, ['GET '], 'the question carries no credentials');
  });

  test(`a port of HTTP over TLS, asked ${how}`, async () => {
    const { error, place } = await refusal(
      createSecureServer(selfSigned(), (_request, response) => void response.end('{}')),
      ssl,
    );
    assert.equal(error.message, `the port ${place} answers HTTP/1.1 over TLS: it is not one of PostgreSQL`);
  });
}

test('a server that waits for the rest of what it takes for a request, as Elasticsearch does, is not waited for until the time is up', async () => {
  const server = createPlainServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (bytes: Buffer) => bytes.toString('latin1').startsWith('GET ') && socket.end('HTTP/1.1 200 OK\r\n\r\n'));
  });
  const startedMs = performance.now();
  const { error, place } = await refusal(server, false);
  assert.equal(error.message, `the port ${place} answers HTTP/1.1: it is not one of PostgreSQL`);
  assert.ok(performance.now() - startedMs < 10_000, 'the driver gives up after 15 s');
});

test('a port that only hangs up is what it was before', async () => {
  const { error } = await refusal(
    createPlainServer((socket) => void socket.destroy()),
    false,
  );
  assert.match(error.message, /^cannot connect to PostgreSQL at /);
});
