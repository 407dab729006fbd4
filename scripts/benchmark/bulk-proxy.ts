import { fork } from 'node:child_process';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { BulkCounter } from './bulk-counter.ts';

/** `null`: bulks are read and answered, not passed on. `record`: likewise, and kept. `pass`: passed on. */
export type ProxyMode = 'null' | 'record' | 'pass';

export interface BulkProxy {
  readonly url: string;
  readonly pid: number;
  /** Of all bulk bodies so far. */
  bytes(): Promise<number>;
  /** Sends what was recorded to an index with so many connections, by another proxy if one is given; resolves with what it was. */
  replay(path: string, connections: number, by?: string): Promise<{ readonly bytes: number; readonly seconds: number }>;
  close(): void;
}

interface ProxySettings {
  readonly target: string;
  readonly mode: ProxyMode;
  /** So many of the bulks' bytes are taken at most; 0: as many as come. */
  readonly bytesPerSecond: number;
  /** Stored scripts are acknowledged and not passed on: a server without Painless refuses them. */
  readonly takesScripts?: boolean;
}

type Order = { readonly kind: 'bytes' } | { readonly kind: 'replay'; readonly path: string; readonly connections: number; readonly by?: string };

/** A proxy before Elasticsearch in a process of its own, so that its work is in nobody's account. */
export async function startBulkProxy(settings: ProxySettings): Promise<BulkProxy> {
  const child = fork(import.meta.filename, [JSON.stringify(settings)]);
  const answer = <T>(): Promise<T> =>
    new Promise((resolve, reject) => {
      const gone = (): void => reject(new Error('the proxy ended'));
      child.once('exit', gone);
      child.once('message', (message) => {
        child.off('exit', gone);
        resolve(message as T);
      });
    });
  const ask = <T>(order: Order): Promise<T> => {
    const answered = answer<T>();
    child.send(order);
    return answered;
  };
  const { port } = await answer<{ port: number }>();
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    bytes: () => ask<number>({ kind: 'bytes' }),
    replay: (path, connections, by) => ask({ kind: 'replay', path, connections, ...(by === undefined ? {} : { by }) }),
    close: () => child.kill(),
  };
}

const ANSWER_HEADERS = { 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' };

const recorded: Buffer[] = [];
let bulkBytes = 0;
let busyUntil = 0;

function passOn({ target: origin }: ProxySettings, request: IncomingMessage, body: Buffer, response: ServerResponse): void {
  const target = new URL(request.url ?? '/', origin);
  const headers = { ...request.headers, host: target.host, 'content-length': String(body.length) };
  const passed = httpRequest(target, { method: request.method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  passed.on('error', () => response.destroy());
  passed.end(body);
}

/** One after the other: bulks that come together share the rate. */
function delayMs({ bytesPerSecond }: ProxySettings, bytes: number): number {
  if (bytesPerSecond === 0) return 0;
  busyUntil = Math.max(busyUntil, performance.now()) + (bytes * 1000) / bytesPerSecond;
  return Math.max(0, busyUntil - performance.now());
}

function takeBulk(settings: ProxySettings, request: IncomingMessage, response: ServerResponse): void {
  const parts: Buffer[] = [];
  const counter = new BulkCounter();
  const [keeps, counts] = [settings.mode !== 'null', settings.mode !== 'pass'];
  let bytes = 0;
  const end = (): void => {
    if (settings.mode === 'pass') passOn(settings, request, Buffer.concat(parts, bytes), response);
    else response.writeHead(200, ANSWER_HEADERS).end(counter.answer());
  };
  request.on('data', (part: Buffer) => {
    bytes += part.length;
    if (counts) counter.push(part);
    if (keeps) parts.push(part);
  });
  request.on('end', () => {
    bulkBytes += bytes;
    if (settings.mode === 'record') recorded.push(Buffer.concat(parts, bytes));
    const wait = delayMs(settings, bytes);
    if (wait === 0) end();
    else setTimeout(end, wait);
  });
}

function takeOther(settings: ProxySettings, request: IncomingMessage, response: ServerResponse): void {
  const parts: Buffer[] = [];
  const taken = settings.takesScripts === true && (request.url ?? '').startsWith('/_scripts/');
  request.on('data', (part: Buffer) => void parts.push(part));
  request.on('end', () => {
    if (taken) response.writeHead(200, ANSWER_HEADERS).end('{"acknowledged":true}');
    else passOn(settings, request, Buffer.concat(parts), response);
  });
}

function serve(settings: ProxySettings): void {
  // Its parent is gone.
  process.on('disconnect', () => process.exit());
  const server = createServer((request, response) => {
    if ((request.url ?? '').includes('_bulk')) takeBulk(settings, request, response);
    else takeOther(settings, request, response);
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.send?.({ port: typeof address === 'object' && address !== null ? address.port : 0 });
  });
  process.on('message', (order: Order) => {
    if (order.kind === 'bytes') process.send?.(bulkBytes);
    else void replayRecorded(order.by ?? settings.target, order.path, order.connections).then((figures) => process.send?.(figures));
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
