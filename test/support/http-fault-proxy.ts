import { Agent, createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HttpCall {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly body: Buffer;
}

/** What happens to one call in place of passing it on and its answer back. */
export type HttpFault =
  /** The server never sees it. */
  | { readonly kind: 'respond'; readonly status: number; readonly body: string; readonly contentType?: string }
  /** The server does it, and the answer is lost with the connection. */
  | { readonly kind: 'drop-answer' }
  /** The server does it, and the answer ends in its middle with the connection. */
  | { readonly kind: 'truncate-answer' }
  /** The server does it, and the answer has this body instead. */
  | { readonly kind: 'replace-answer'; readonly body: string }
  /** The server gets the first half of the body, and then the connection is cut. */
  | { readonly kind: 'cut-request' }
  /** The server does it twice, at the same time. */
  | { readonly kind: 'deliver-twice' }
  /** Waits until the promise is resolved, then passes it on. */
  | { readonly kind: 'hold'; readonly until: Promise<unknown> }
  /** The connection is cut before the server sees anything. */
  | { readonly kind: 'refuse' };

export interface HttpFaultProxy {
  readonly url: string;
  /** Asked for each call; `undefined` passes it on as it is. */
  decide: (call: HttpCall) => HttpFault | undefined;
  /** `fault` for the next `times` calls that `matches` accepts, instead of what was decided before. */
  next(matches: (call: HttpCall) => boolean, fault: HttpFault, times?: number): void;
  /** What was planned and met no call is called off. */
  forget(): void;
  close(): Promise<void>;
}

export const isBulk = ({ method, path }: HttpCall): boolean => method === 'POST' && path.includes('/_bulk');

interface Exchange {
  readonly target: URL;
  readonly agent: Agent;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly body: Buffer;
}

/** An HTTP server before Elasticsearch, on a free local port. `target` may change: a restarted node, another one. */
export async function openHttpFaultProxy(target: () => string): Promise<HttpFaultProxy> {
  const agent = new Agent({ keepAlive: true });
  const queue: { readonly matches: (call: HttpCall) => boolean; readonly fault: HttpFault; left: number }[] = [];
  const choose = (call: HttpCall): HttpFault | undefined => {
    const planned = queue.find((one) => one.left > 0 && one.matches(call));
    if (planned === undefined) return proxy.decide(call);
    planned.left--;
    return planned.fault;
  };
  const server = createServer((incoming, outgoing) => {
    outgoing.on('error', () => undefined);
    const passing = async (): Promise<void> => {
      const body = await contentOf(incoming);
      const exchange = { target: new URL(target()), agent, incoming, outgoing, body };
      const fault = choose({ method: incoming.method ?? 'GET', path: incoming.url ?? '/', body });
      await (fault === undefined ? passOn(exchange) : strike(exchange, fault));
    };
    // A server that is down looks the same from the other side of the proxy.
    passing().catch(() => incoming.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: HttpFaultProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    decide: () => undefined,
    next: (matches, fault, times = 1) => void queue.push({ matches, fault, left: times }),
    forget: () => void queue.splice(0),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      agent.destroy();
    },
  };
  return proxy;
}

async function strike(exchange: Exchange, fault: HttpFault): Promise<void> {
  const { incoming, outgoing, body } = exchange;
  switch (fault.kind) {
    case 'respond':
      outgoing
        .writeHead(fault.status, { 'content-type': fault.contentType ?? 'application/json', 'x-elastic-product': 'Elasticsearch' })
        .end(fault.body);
      return;
    case 'refuse':
      incoming.socket.resetAndDestroy();
      return;
    case 'drop-answer':
      await contentOf(await deliver(exchange, body));
      incoming.socket.resetAndDestroy();
      return;
    case 'truncate-answer':
    case 'replace-answer': {
      const reply = await deliver(exchange, body);
      const content = await contentOf(reply);
      const { 'transfer-encoding': _chunked, 'content-encoding': _packed, ...headers } = reply.headers;
      const length = fault.kind === 'truncate-answer' ? content.length : Buffer.byteLength(fault.body);
      outgoing.writeHead(reply.statusCode ?? 502, { ...headers, 'content-length': String(length) });
      if (fault.kind === 'replace-answer') return void outgoing.end(fault.body);
      outgoing.write(content.subarray(0, content.length >> 1), () => incoming.socket.destroy());
      return;
    }
    case 'cut-request':
      await deliverHalf(exchange);
      incoming.socket.resetAndDestroy();
      return;
    case 'deliver-twice': {
      const [reply, other] = await Promise.all([deliver(exchange, body), deliver(exchange, body)]);
      await Promise.all([answer(exchange, reply), contentOf(other)]);
      return;
    }
    case 'hold':
      await fault.until;
      // What a dead client sent arrives all the same.
      await passOn(exchange);
  }
}

async function passOn(exchange: Exchange): Promise<void> {
  await answer(exchange, await deliver(exchange, exchange.body));
}

async function answer({ outgoing }: Exchange, reply: IncomingMessage): Promise<void> {
  const content = await contentOf(reply);
  if (outgoing.destroyed) return;
  outgoing.writeHead(reply.statusCode ?? 502, reply.headers).end(content);
}

function deliver({ target, agent, incoming }: Exchange, body: Buffer): Promise<IncomingMessage> {
  const url = new URL(incoming.url ?? '/', target);
  const headers = { ...incoming.headers, host: url.host };
  return new Promise((resolve, reject) => {
    send(url, { method: incoming.method ?? 'GET', headers, agent }, resolve)
      .on('error', reject)
      .end(body);
  });
}

/** The header promises the whole body. */
function deliverHalf({ target, incoming, body }: Exchange): Promise<void> {
  const url = new URL(incoming.url ?? '/', target);
  const headers = { ...incoming.headers, host: url.host, 'content-length': String(body.length) };
  return new Promise((resolve) => {
    const request = send(url, { method: incoming.method ?? 'POST', headers, agent: new Agent() });
    request.on('error', () => resolve());
    request.write(body.subarray(0, body.length >> 1), () => {
      request.destroy();
      resolve();
    });
  });
}

async function contentOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
