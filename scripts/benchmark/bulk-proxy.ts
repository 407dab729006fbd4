import { fork } from 'node:child_process';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';

/** `null`: bulks are read and answered, not passed on. `record`: likewise, and kept. `pass`: passed on, at most `bytesPerSecond` of them. */
export type ProxyMode = 'null' | 'record' | 'pass';

export interface BulkProxy {
  readonly url: string;
  /** Sends what was recorded to an index with so many connections; resolves with what it was. */
  replay(path: string, connections: number): Promise<{ readonly bytes: number; readonly seconds: number }>;
  close(): void;
}

interface ProxySettings {
  readonly target: string;
  readonly mode: ProxyMode;
  readonly bytesPerSecond: number;
}

/** A proxy before Elasticsearch in a process of its own, so that its work is in nobody's account. */
export async function startBulkProxy(settings: ProxySettings): Promise<BulkProxy> {
  const child = fork(import.meta.filename, [JSON.stringify(settings)]);
  const answer = <T>(): Promise<T> => new Promise((resolve) => child.once('message', (message) => resolve(message as T)));
  const { port } = await answer<{ port: number }>();
  return {
    url: `http://127.0.0.1:${port}`,
    replay: (path, connections) => {
      const replayed = answer<{ bytes: number; seconds: number }>();
      child.send({ path, connections });
      return replayed;
    },
    close: () => child.kill(),
  };
}

const recorded: Buffer[] = [];

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** A delete is a line of its own, an index operation has its document in the next one. */
function countOperations(body: Buffer): number {
  let operations = 0;
  for (let at = 0; at < body.length; operations++) {
    const isDelete = body[at + 2] === 0x64;
    const end = body.indexOf(10, at);
    at = (isDelete ? end : body.indexOf(10, end + 1)) + 1;
  }
  return operations;
}

function answerBulk(body: Buffer, response: ServerResponse): void {
  const items = Array.from({ length: countOperations(body) }, () => '{"index":{"status":201}}');
  response.writeHead(200, { 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' });
  response.end(`{"errors":false,"items":[${items.join(',')}]}`);
}

function passOn(settings: ProxySettings, request: IncomingMessage, body: Buffer, response: ServerResponse): void {
  const target = new URL(request.url ?? '/', settings.target);
  const headers = { ...request.headers, host: target.host, 'content-length': String(body.length) };
  const passed = httpRequest(target, { method: request.method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  passed.on('error', () => response.destroy());
  passed.end(body);
}

function serve(settings: ProxySettings): void {
  // Its parent is gone.
  process.on('disconnect', () => process.exit());
  let busyUntil = 0;
  const server = createServer(async (request, response) => {
    const body = await readBody(request);
    if (!(request.url ?? '').includes('_bulk')) return passOn(settings, request, body, response);
    if (settings.mode === 'record') recorded.push(body);
    if (settings.mode !== 'pass') return answerBulk(body, response);
    busyUntil = Math.max(busyUntil, performance.now()) + (body.length * 1000) / settings.bytesPerSecond;
    setTimeout(() => passOn(settings, request, body, response), Math.max(0, busyUntil - performance.now()));
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.send?.({ port: typeof address === 'object' && address !== null ? address.port : 0 });
  });
  process.on('message', (order: { readonly path: string; readonly connections: number }) => {
    void replayRecorded(settings.target, order.path, order.connections).then((figures) => process.send?.(figures));
  });
}

async function replayRecorded(target: string, path: string, connections: number): Promise<{ bytes: number; seconds: number }> {
  const queue = [...recorded];
  const startedAt = performance.now();
  const sendAll = async (): Promise<void> => {
    for (let body = queue.shift(); body !== undefined; body = queue.shift()) {
      const headers = { 'content-type': 'application/x-ndjson' };
      const response = await fetch(`${target}${path}`, { method: 'POST', body, headers });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`bulk: ${response.status}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, sendAll));
  return { bytes: recorded.reduce((sum, body) => sum + body.length, 0), seconds: (performance.now() - startedAt) / 1000 };
}

if (process.send !== undefined && process.argv[1] === import.meta.filename) serve(JSON.parse(process.argv[2] ?? '{}') as ProxySettings);
