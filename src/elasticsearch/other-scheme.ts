import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

const TIMEOUT_MS = 2_000;

/** An address whose server speaks the other one of http and https. */
export interface MixedUp {
  readonly node: string;
  /** The same address as it answers. */
  readonly instead: string;
}

/**
 * Which of the addresses that did not answer speaks http where https is written, or the reverse; null if none does. The client's own error for it is a sentence
 * of OpenSSL, or that the socket was closed, which says neither. Nothing secret is sent: a handshake, or a request without credentials.
 */
export async function otherScheme(nodes: readonly string[]): Promise<MixedUp | null> {
  for (const node of nodes) {
    const url = new URL(node);
    const place = placeOf(url);
    if (url.protocol === 'https:' ? await answersHttpOnly(place) : await answersTls(place)) return { node, instead: otherAddress(url, place.port) };
  }
  return null;
}

/**
 * Which of the addresses that did not answer is a port of PostgreSQL; null if none is. It hangs up on HTTP, and says by one byte whether it has TLS
 * when it is asked in its own protocol.
 */
export async function postgresAt(nodes: readonly string[]): Promise<string | null> {
  const answers = await Promise.all(nodes.map((node) => answersPostgres(placeOf(new URL(node)))));
  return nodes.find((_, at) => answers[at] === true) ?? null;
}

/** The first message of that protocol, SSLRequest (https://www.postgresql.org/docs/current/protocol-message-formats.html). */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

function answersPostgres({ host, port }: Place): Promise<boolean> {
  return told(connectPlain(port, host), (socket, answer) => {
    socket.once('connect', () => socket.write(SSL_REQUEST));
    socket.once('data', (bytes: Buffer) => answer(bytes.length === 1 && 'SN'.includes(bytes.toString('latin1'))));
  });
}

function placeOf(url: URL): Place {
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)) };
}

/** With its port: the two schemes have different defaults. */
function otherAddress({ protocol, hostname, pathname }: URL, port: number): string {
  return `${protocol === 'https:' ? 'http' : 'https'}://${hostname}:${port}${pathname === '/' ? '' : pathname}`;
}

interface Place {
  readonly host: string;
  readonly port: number;
}

/**
 * A TLS port behind nginx, Apache or a Go server answers a plain request with a 400 in plain text. To be sent to http:// by that would send the credentials in clear, and the
 * true cause is another: a certificate that is not trusted, most often.
 */
async function answersHttpOnly(place: Place): Promise<boolean> {
  return (await answersHttp(place)) && !(await answersTls(place));
}

function answersHttp({ host, port }: Place): Promise<boolean> {
  return told(connectPlain(port, host), (socket, answer) => {
    socket.once('connect', () => socket.write(`GET / HTTP/1.0\r\nHost: ${host}\r\n\r\n`));
    socket.once('data', (bytes: Buffer) => answer(bytes.toString('latin1').startsWith('HTTP/')));
  });
}

function answersTls({ host, port }: Place): Promise<boolean> {
  // Whose certificate it is does not matter: nothing is sent after the handshake.
  const servername = isIP(host) === 0 ? { servername: host } : {};
  return told(
    connectTls({ host, port, rejectUnauthorized: false, ...servername }),
    (socket, answer) => socket.once('secureConnect', () => answer(true)),
    isTlsRefusal,
  );
}

/** A handshake that is refused, for want of a client's certificate or of a common version, is refused in TLS; OpenSSL has another code for an answer that is no TLS. */
function isTlsRefusal({ code }: NodeJS.ErrnoException): boolean {
  return code?.startsWith('ERR_SSL_') === true && code !== 'ERR_SSL_WRONG_VERSION_NUMBER';
}

type Ask = (socket: Socket, answer: (yes: boolean) => void) => void;

/** What `ask` finds out from a socket, or `ofError` from its failure; false when it ends or says nothing for two seconds. */
function told(socket: Socket, ask: Ask, ofError: (error: NodeJS.ErrnoException) => boolean = () => false): Promise<boolean> {
  return new Promise<boolean>((resolve) => {
    const answer = (yes: boolean): void => {
      socket.destroy();
      resolve(yes);
    };
    socket.setTimeout(TIMEOUT_MS, () => answer(false));
    socket.once('error', (error: NodeJS.ErrnoException) => answer(ofError(error)));
    socket.once('close', () => answer(false));
    ask(socket, answer);
  });
}
