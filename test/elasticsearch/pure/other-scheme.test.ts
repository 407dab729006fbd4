import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { test } from 'node:test';
import { Failure } from '../../../src/core/failure.ts';
import { connect } from '../../../src/elasticsearch/connect.ts';
import { selfSigned } from '../../support/self-signed.ts';
import { configOf } from '../fixture.ts';

/** What is said about an address with this scheme, of a server that is closed after it. */
async function refusal(server: Server & { closeAllConnections(): void }, scheme: string): Promise<{ error: Failure; place: string }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = { ...configOf(`${scheme}://${place}`), auth: { username: 'u', password: 'hunter2secret' } };
  const error = await connect(config).catch((caught: unknown) => caught);
  server.closeAllConnections();
  server.close();
  assert.ok(error instanceof Failure);
  assert.ok(!`${error.message} ${error.hint} ${error.stack} ${String(error.cause)}`.includes('hunter2secret'));
  return { error, place };
}

test('https:// to a server of plain HTTP: said, with the address to use', async () => {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization ?? '');
    response.end('{}');
  });
  const { error, place } = await refusal(server, 'https');
  assert.equal(error.kind, 'unreachable');
  assert.equal(error.message, `the server at https://${place} answers plain HTTP`);
  assert.match(error.hint ?? '', new RegExp(`Use http://${place} `));
  assert.deepEqual(seen, [''], 'the question carries no credentials');
});

test('http:// to a server of TLS: said, with the address to use', async () => {
  const { error, place } = await refusal(createSecureServer(selfSigned()), 'http');
  assert.equal(error.kind, 'unreachable');
  assert.equal(error.message, `the server at http://${place} answers TLS only`);
  assert.match(error.hint ?? '', new RegExp(`Use https://${place} `));
});

test('a refusal of the credentials keeps the words of the server', async () => {
  const reason = 'unable to authenticate user [u] for REST request [/]';
  const server = createServer((_request, response) => {
    response.writeHead(401, { 'content-type': 'application/json', 'X-elastic-product': 'Elasticsearch' });
    response.end(JSON.stringify({ error: { type: 'security_exception', reason } }));
  });
  const { error } = await refusal(server, 'http');
  assert.equal(error.kind, 'denied');
  assert.ok(error.message.includes(reason), error.message);
});
