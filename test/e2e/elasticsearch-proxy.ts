import { Agent, createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { elasticsearchUrl } from '../support/servers.ts';

/** One call of the program under test to Elasticsearch. */
export interface ProxiedCall {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly body: Buffer;
}

/** `cut`: the connection breaks, before the call reaches the server or before its answer comes back. */
type Verdict = 'cut' | undefined;

/** Moments in a run of the command line: it waits while they are awaited. Every call is awaited in `before`, and in `after` when the server has done it. */
export interface ProxyHooks {
  readonly before?: (call: ProxiedCall) => Promise<Verdict> | Verdict;
  readonly after?: (call: ProxiedCall, status: number) => Promise<Verdict> | Verdict;
}

/** The test's Elasticsearch behind an address of its own. */
export interface ElasticsearchProxy {
  readonly url: string;
  hooks: ProxyHooks;
  close(): Promise<void>;
}

/** Passes every call on as it came; what `hooks` says at the time of the call is done beside. */
export async function startProxy(): Promise<ElasticsearchProxy> {
  const agent = new Agent({ keepAlive: true });
  let failure: unknown;
  const server = createServer((incoming, answer) => {
    pass(proxy.hooks, agent, incoming, answer).catch((error: unknown) => {
      failure ??= error;
      incoming.socket.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: ElasticsearchProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hooks: {},
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      agent.destroy();
      // A hook that failed cuts the connection; what it said must not be lost.
      if (failure !== undefined) throw failure;
    },
  };
  return proxy;
}

async function pass(hooks: ProxyHooks, agent: Agent, incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
  const body = await bodyOf(incoming);
  if (body === null) return;
  const call: ProxiedCall = { method: incoming.method ?? 'GET', path: incoming.url ?? '/', body };
  const verdict = await hooks.before?.(call);
  // What a dead client sent must not arrive after its death.
  if (verdict === 'cut' || incoming.socket.destroyed) return void incoming.socket.destroy();
  const reply = await forward(agent, incoming, body);
  const content = await bodyOf(reply);
  if ((await hooks.after?.(call, reply.statusCode ?? 0)) === 'cut' || content === null) return void incoming.socket.destroy();
  answer.on('error', () => undefined);
  answer.writeHead(reply.statusCode ?? 502, reply.rawHeaders.length > 0 ? reply.headers : {});
  answer.end(content);
}

/** Null if the other side went away in the middle. */
async function bodyOf(message: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of message) chunks.push(chunk as Buffer);
  } catch {
    return null;
  }
  return Buffer.concat(chunks);
}

function forward(agent: Agent, incoming: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
  const target = new URL(incoming.url ?? '/', elasticsearchUrl());
  const headers = { ...incoming.headers, host: target.host };
  return new Promise((resolve, reject) => {
    send(target, { method: incoming.method ?? 'GET', headers, agent }, resolve)
      .on('error', reject)
      .end(body);
  });
}
