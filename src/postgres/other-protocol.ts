import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Failure } from '../core/failure.ts';
import { connect, type PostgresConfig, type Session } from './connect.ts';

const TIMEOUT_MS = 2_000;
/** PostgreSQL answers in milliseconds; should it not, the question is one line in its log. */
const LATE_MS = 1_500;

/**
 * The first session of a run. A server of another kind may say nothing to what it does not understand, and would be waited for until the time is up:
 * so the port is asked what it is when it has not answered for a while.
 */
export async function connectFirst(config: PostgresConfig): Promise<Session> {
  const stop = new AbortController();
  const late = setTimeout(() => void httpAt(config).then((seen) => seen !== null && stop.abort()), LATE_MS);
  try {
    return await connect(config, { replication: false, signal: stop.signal });
  } catch (error) {
    throw await tellOtherProtocol(error, config);
  } finally {
    clearTimeout(late);
  }
}

/**
 * What a connection that failed may say better: that the port answers HTTP, of Elasticsearch most often. The driver waits for the rest of what it
 * takes for a message, or says that the connection was terminated. Asked only where the first connection of a run was cut without a word of
 * PostgreSQL's; nothing secret is sent. Any other error comes back as it is.
 */
async function tellOtherProtocol(error: unknown, config: PostgresConfig): Promise<unknown> {
  if (!(error instanceof Failure) || error.kind !== 'unreachable' || !isWordless(error.cause)) return error;
  const seen = await httpAt(config);
  if (seen === null) return error;
  return new Failure('unreachable', `the port ${config.host}:${config.port} answers ${seen}: it is not one of PostgreSQL`, {
    hint: 'Correct host and port (postgres.url, DATABASE_URL, PGPORT): PostgreSQL listens on 5432 mostly, Elasticsearch on 9200.',
    cause: error.cause,
  });
}

/** The server said nothing (`severity` is in all it says), and somebody listens. */
function isWordless(cause: unknown): boolean {
  if (!(cause instanceof Error) || 'severity' in cause) return false;
  const code = 'code' in cause ? cause.code : undefined;
  return code === undefined || code === 'ECONNRESET' || code === 'EPIPE' || String(code).startsWith('ERR_SSL_');
}

/** `HTTP/1.1`, or `HTTP/1.1 over TLS`; null for anything else. */
async function httpAt({ host, port }: PostgresConfig): Promise<string | null> {
  // A directory of unix sockets.
  if (host.startsWith('/')) return null;
  const plain = await firstWord(connectPlain(port, host), 'connect', host);
  if (plain !== null) return plain;
  // Whose certificate it is does not matter: nothing is sent but the question.
  const servername = isIP(host) === 0 ? { servername: host } : {};
  const secure = await firstWord(connectTls({ host, port, rejectUnauthorized: false, ...servername }), 'secureConnect', host);
  return secure === null ? null : `${secure} over TLS`;
}

function firstWord(socket: Socket, ready: 'connect' | 'secureConnect', host: string): Promise<string | null> {
  return new Promise((resolve) => {
    const answer = (word: string | null): void => {
      socket.destroy();
      resolve(word);
    };
    socket.setTimeout(TIMEOUT_MS, () => answer(null));
    socket.once('error', () => answer(null));
    socket.once('close', () => answer(null));
    socket.once(ready, () => socket.write(`GET / HTTP/1.0\r\nHost: ${host}\r\n\r\n`));
    socket.once('data', (bytes: Buffer) => answer(/^HTTP\/[\d.]+/.exec(bytes.toString('latin1', 0, 16))?.[0] ?? null));
  });
}
