import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createPlainServer, type Server, type Socket } from 'node:net';
import { test } from 'node:test';
import type { TlsOptions } from 'node:tls';
import { Failure } from '../../../src/core/failure.ts';
import { connect, type ElasticsearchConfig } from '../../../src/elasticsearch/connect.ts';
import { selfSigned } from '../../support/self-signed.ts';
import { configOf } from '../fixture.ts';

/** What is said about an address with this scheme, of a server that is closed after it. */
async function refusal(
  server: Server & { closeAllConnections(): void },
  scheme: string,
  tls: Pick<Partial<ElasticsearchConfig>, 'rejectUnauthorized'> = {},
): Promise<{ error: Failure; place: string }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = { ...configOf(`${scheme}://${place}`), ...tls, auth: { username: 'u', password: 'hunter2secret' } };
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

/** A TLS port that answers plain requests in plain text, as nginx does; `handshakes` that succeed are answered with 404. */
function proxyLike(options: TlsOptions): Server & { closeAllConnections(): void } {
  const secure = createSecureServer({ ...selfSigned(), ...options }, (_request, response) => {
    response.writeHead(404);
    response.end();
  });
  const sockets = new Set<Socket>();
  const server = createPlainServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('readable', () => {
      const first: Buffer | null = socket.read();
      if (first === null) return;
      if (first[0] !== 0x16) {
        socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\nThe plain HTTP request was sent to HTTPS port');
        return;
      }
      socket.unshift(first);
      secure.emit('connection', socket);
    });
  });
  const closeAllConnections = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return Object.assign(server, { closeAllConnections });
}

test('https:// to a TLS port that answers plain requests with a 400: nobody is sent to http://, and the cause stays', async () => {
  const { error } = await refusal(proxyLike({}), 'https');
  assert.equal(error.kind, 'unreachable');
  assert.match(error.message, /certificate/);
  assert.doesNotMatch(`${error.message} ${error.hint}`, /http:\/\/|plain HTTP/);
  // The handshake itself is refused: TLS all the same.
  const strict = await refusal(proxyLike({ requestCert: true, rejectUnauthorized: true, maxVersion: 'TLSv1.2' }), 'https');
  assert.doesNotMatch(`${strict.error.message} ${strict.error.hint}`, /http:\/\/|plain HTTP/);
});

test('https:// to a proxy that is trusted and answers 404: the 404 is told, not the scheme', async () => {
  const { error } = await refusal(proxyLike({}), 'https', { rejectUnauthorized: false });
  assert.equal(error.kind, 'sink-refused');
  assert.doesNotMatch(`${error.message} ${error.hint}`, /http:\/\/|plain HTTP/);
  const plain = createServer((_request, response) => {
    response.writeHead(404);
    response.end();
  });
  assert.match((await refusal(plain, 'https')).error.message, /answers plain HTTP/);
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

/** Hangs up on what is not its protocol, and answers an SSLRequest with one byte, as PostgreSQL does. */
function postgresLike(byte: string): Server & { closeAllConnections(): void } {
  const sockets = new Set<Socket>();
  const server = createPlainServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', (bytes: Buffer) => {
      if (bytes.equals(Buffer.from('0000000804d2162f', 'hex'))) socket.write(byte);
      else socket.destroy();
    });
  });
  return Object.assign(server, { closeAllConnections: () => [...sockets].forEach((socket) => void socket.destroy()) });
}

test('a port of PostgreSQL is said to be one, with either scheme and with or without its own TLS', async () => {
  for (const [scheme, byte] of [
    ['http', 'N'],
    ['https', 'S'],
  ] as const) {
    const { error, place } = await refusal(postgresLike(byte), scheme);
    assert.equal(error.kind, 'unreachable');
    assert.equal(error.message, `the port at ${scheme}://${place} answers with PostgreSQL's protocol: it is not one of Elasticsearch`);
    assert.match(error.hint ?? '', /ELASTICSEARCH_URL/);
  }
  // A server that says more, or nothing, is none.
  const { error } = await refusal(postgresLike('Server'), 'http');
  assert.doesNotMatch(error.message, /PostgreSQL/);
});
