import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '@elastic/elasticsearch';
import { Failure } from '../core/failure.ts';
import { failureOf, failureOfTransport, serverError } from './error-kinds.ts';
import { type MixedUp, otherScheme, postgresAt } from './other-scheme.ts';

const CLOSE_MS = 1000;

export interface ElasticsearchConfig {
  /** Origins (with a path prefix if there is one), without user name and password. */
  readonly nodes: readonly string[];
  readonly auth: { readonly apiKey: string } | { readonly username: string; readonly password: string } | null;
  /** PEM text of the certificate authority. */
  readonly ca?: string;
  /** SHA-256 of the certificate authority; https only. */
  readonly caFingerprint?: string;
  readonly rejectUnauthorized: boolean;
  /** For one request, and for the silence between two parts of its answer. */
  readonly requestTimeoutMs: number;
}

export interface Call {
  /** What it does, for messages: `creating the index products-…`. */
  readonly what: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD';
  readonly path: string;
  readonly query?: { readonly [name: string]: string };
  /** A value is sent as JSON, text as the JSON it already is, bytes as NDJSON. */
  readonly body?: object | string | Buffer;
  /** Sent as X-Opaque-Id: the server's tasks of this request carry it. */
  readonly opaqueId?: string;
  /** Gives up (`null` body) once the answer has more bytes. */
  readonly maxBytes?: number;
}

export interface Answer {
  readonly status: number;
  /** null only if it passed `maxBytes`. */
  readonly body: Buffer | null;
}

/** The one way to the server: raw answers, no retries, failures already classified. */
export interface Http {
  readonly requestTimeoutMs: number;
  /** Any status is an answer; only a missing answer throws (`connection-lost`, `preflight-refused` if it is not Elasticsearch). */
  send(call: Call): Promise<Answer>;
  /** The parsed body of a 2xx answer, or null for a status (or `error.type`) in `unless`; anything else throws its `Failure`. */
  json(call: Call, unless?: readonly (number | string)[]): Promise<unknown>;
  close(): Promise<void>;
}

/** Builds the client and makes sure that an Elasticsearch answers; throws `unreachable`, `denied`, `preflight-refused`, `config`. */
export async function connect(config: ElasticsearchConfig): Promise<Http> {
  const client = buildClient(config);
  const http = httpOf(client, config.requestTimeoutMs);
  try {
    await firstCall(http, config.nodes);
  } catch (error) {
    await client.close();
    throw error;
  }
  return http;
}

function buildClient(config: ElasticsearchConfig): Client {
  rejectUserinfo(config.nodes);
  try {
    return new Client({
      nodes: [...config.nodes],
      ...(config.auth === null ? {} : { auth: config.auth }),
      tls: { rejectUnauthorized: config.rejectUnauthorized, ...(config.ca === undefined ? {} : { ca: config.ca }) },
      ...(config.caFingerprint === undefined ? {} : { caFingerprint: config.caFingerprint }),
      // Its own retries come without a pause and hide what happened (docs/servers.md C8); the pipeline decides when to send again.
      maxRetries: 0,
      requestTimeout: config.requestTimeoutMs,
      redaction: { type: 'remove' },
    });
  } catch (error) {
    throw failureOfTransport(error, 'reading the Elasticsearch settings');
  }
}

/** User name and password in an address end up in error messages of every library on the way. */
function rejectUserinfo(nodes: readonly string[]): void {
  for (const [position, node] of nodes.entries()) {
    const url = URL.canParse(node) ? new URL(node) : null;
    if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
      throw new Failure('config', `Elasticsearch address number ${position + 1} is not an http or https URL`, {
        hint: 'Write it as https://host:9200.',
      });
    }
    if (url.username !== '' || url.password !== '') {
      throw new Failure('config', `Elasticsearch address ${url.origin} holds a user name or password`, {
        hint: 'Give them as username and passwordFile, or as apiKeyFile.',
      });
    }
  }
}

async function firstCall(http: Http, nodes: readonly string[]): Promise<void> {
  const what = `reaching Elasticsearch at ${nodes.join(', ')}`;
  try {
    await http.json({ what, method: 'GET', path: '/' });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // A proxy before a TLS port answers plain HTTP with a status of its own.
    const asked = error.kind === 'connection-lost' || error.kind === 'sink-refused';
    const postgres = error.kind === 'connection-lost' ? await postgresAt(nodes) : null;
    if (postgres !== null) throw wrongServer(postgres, error);
    const mixedUp = asked ? await otherScheme(nodes) : null;
    if (mixedUp !== null) throw wrongScheme(mixedUp, error);
    if (error.kind !== 'connection-lost') throw error;
    throw new Failure('unreachable', error.message, {
      hint: 'Check the address, that the node runs, and the TLS settings (caFile, caFingerprint).',
      cause: error.cause,
    });
  }
}

function wrongServer(node: string, { cause }: Failure): Failure {
  return new Failure('unreachable', `the port at ${node} answers with PostgreSQL's protocol: it is not one of Elasticsearch`, {
    hint: 'Correct the address (elasticsearch.url, ELASTICSEARCH_URL): Elasticsearch listens on 9200 mostly, PostgreSQL on 5432.',
    cause,
  });
}

function wrongScheme({ node, instead }: MixedUp, { cause }: Failure): Failure {
  const seen = instead.startsWith('http://') ? 'answers plain HTTP' : 'answers TLS only';
  return new Failure('unreachable', `the server at ${node} ${seen}`, { hint: `Use ${instead} (elasticsearch.url, ELASTICSEARCH_URL).`, cause });
}

/** The client waits for requests in flight; at the end only those are left that nobody waits for any more, and a stopped node may never answer them. */
async function closeSoon(client: Client): Promise<void> {
  await Promise.race([client.close(), pause(CLOSE_MS, undefined, { ref: false })]);
}

function httpOf(client: Client, requestTimeoutMs: number): Http {
  const send = async (call: Call): Promise<Answer> => {
    try {
      return await exchange(client, call);
    } catch (error) {
      throw failureOfTransport(error, call.what);
    }
  };
  return {
    requestTimeoutMs,
    send,
    json: async (call, unless = []) => jsonOf(await send(call), call.what, unless),
    close: () => closeSoon(client),
  };
}

async function exchange(client: Client, call: Call): Promise<Answer> {
  const { statusCode, body } = await client.transport.request<AsyncIterable<Buffer>>(
    { method: call.method, path: call.path, ...(call.query === undefined ? {} : { querystring: { ...call.query } }), ...bodyOf(call.body) },
    // As a stream: the client would parse `_source` with JSON.parse and lose digits (docs/servers.md C10), and would throw for every status ≥ 400.
    {
      asStream: true,
      meta: true,
      maxRetries: 0,
      ...(typeof call.body === 'string' ? { headers: JSON_HEADERS } : {}),
      ...(call.opaqueId === undefined ? {} : { opaqueId: call.opaqueId }),
    },
  );
  return { status: statusCode ?? 0, body: await readBody(body, call) };
}

const JSON_HEADERS = {
  'content-type': 'application/vnd.elasticsearch+json; compatible-with=8',
  accept: 'application/vnd.elasticsearch+json; compatible-with=8',
};

function bodyOf(body: Call['body']): { body?: object | string; bulkBody?: Buffer } {
  if (body === undefined) return {};
  // The bulk body is typed as text or lines; bytes pass through untouched and cost least (docs/servers.md C9).
  return Buffer.isBuffer(body) ? { bulkBody: body } : { body };
}

/** Errors while the body arrives come from the socket and have no class of the client. */
async function readBody(stream: AsyncIterable<Buffer>, { what, maxBytes = Number.POSITIVE_INFINITY }: Call): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of stream) {
      length += part.length;
      // Leaving the loop ends the connection: the rest is not read.
      if (length > maxBytes) return null;
      parts.push(part);
    }
  } catch (error) {
    throw new Failure('connection-lost', `${what} failed: the answer broke off after ${length} bytes`, {
      hint: 'The same request can be sent again.',
      cause: error,
    });
  }
  return Buffer.concat(parts, length);
}

function jsonOf(answer: Answer, what: string, unless: readonly (number | string)[]): unknown {
  const text = answer.body === null ? '' : answer.body.toString('utf8');
  if (answer.status >= 200 && answer.status < 300) return text === '' ? {} : parse(text, what);
  const error = serverError(answer.status, text);
  if (unless.includes(answer.status) || unless.includes(error.type)) return null;
  throw failureOf(error, what, true);
}

function parse(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Failure('connection-lost', `${what} failed: the answer is not JSON`, { hint: 'A proxy may have answered in place of Elasticsearch.' });
  }
}
