import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';
import { Failure } from '../core/failure.ts';
import { pinStatement } from './session-pins.ts';
import { type Line, unlessSilent } from './silence.ts';
import { connectFailure, type FailureContext, toFailure } from './sqlstate.ts';

/** How to reach the server. The command line resolves URLs, environment and TLS into it; a connection string would override keys (docs/servers.md C5). */
export interface PostgresConfig {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** A function is asked anew for each connection. */
  readonly password?: string | (() => string);
  readonly ssl: false | ConnectionOptions;
  readonly applicationName: string;
  /** A statement for which nothing arrives for so long is given up, with its connection. Default 180 s; the longest pause of a healthy one is a scan of dead rows. */
  readonly silenceMs?: number;
}

/** A result row: every value is PostgreSQL's text, or null. */
export type TextRow = Readonly<Record<string, string | null>>;

/** One connection with all settings pinned and all values as raw text. */
export interface Session {
  readonly client: pg.Client;
  readonly pid: number;
  /** e.g. 170010 */
  readonly version: number;
  /** The pid the client was told at connecting; another one than `pid` means that a pooler answers. */
  readonly announcedPid: number | null;
  readonly silenceMs: number;
  /** Set as soon as the connection is known to be dead. */
  lost: Error | null;
}

const CONNECT_TIMEOUT_MS = 15_000;
const SILENCE_MS = 180_000;
const END_TIMEOUT_MS = 3_000;
const RAW_TEXT = { getTypeParser: () => (text: string) => text };

export interface ConnectOptions {
  readonly replication: boolean;
  /** Gives up while it is still connecting. */
  readonly signal?: AbortSignal;
}

/** Opens a session; throws `unreachable`, `denied` or `config`. `replication` makes it a walsender (simple queries only). */
export async function connect(config: PostgresConfig, options: ConnectOptions): Promise<Session> {
  const client = new pg.Client({ ...clientConfig(config), ...(options.replication ? { replication: 'database' } : {}) } as pg.ClientConfig);
  let lost: Error | null = null;
  // Without a listener a backend that dies while idle ends the whole program (docs/servers.md C4).
  client.on('error', (error) => {
    lost ??= error;
    if (session !== null) session.lost ??= error;
  });
  let session: Session | null = null;
  const giveUp = (): void => destroyClient(client);
  options.signal?.addEventListener('abort', giveUp, { once: true });
  try {
    await client.connect();
    session = { ...(await pin(client, config)), lost };
    client.on('end', () => {
      if (session !== null) session.lost ??= new Error('connection ended');
    });
    return session;
  } catch (error) {
    destroyClient(client);
    throw connectFailure(error, `${config.host}:${config.port}/${config.database} as ${config.user}`, config.ssl !== false);
  } finally {
    options.signal?.removeEventListener('abort', giveUp);
  }
}

/** Runs one statement; throws a classified `Failure`, or the error itself if its SQLSTATE is unknown. */
export async function query(
  session: Session,
  context: FailureContext,
  sql: string,
  values?: readonly (string | number)[],
): Promise<readonly TextRow[]> {
  try {
    const asked = values === undefined ? session.client.query<TextRow>(sql) : session.client.query<TextRow>(sql, values.map(String));
    const result = await answered(session, asked);
    return result.rows;
  } catch (error) {
    throw toFailure(error, context);
  }
}

/** What the server answers, unless it falls silent (`connection-lost`). */
export function answered<T>(session: Session, awaited: Promise<T>): Promise<T> {
  return unlessSilent(
    lineOf(session.client, session.silenceMs, () => destroySession(session)),
    awaited,
  );
}

/** Ends a session politely; destroys the socket if the server does not answer. Never throws. */
export async function endSession(session: Session): Promise<void> {
  if (session.lost !== null) return destroySession(session);
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, END_TIMEOUT_MS);
  });
  await Promise.race([session.client.end().catch(() => undefined), deadline]);
  clearTimeout(timer);
  destroySession(session);
}

/** Cuts the connection at once; the server notices at its next write. */
export function destroySession(session: Session): void {
  session.lost ??= new Error('connection closed');
  destroyClient(session.client);
}

/** The text of a column that is never NULL. */
export function textOf(row: TextRow | undefined, column: string): string {
  const text = row?.[column];
  if (text === undefined || text === null) throw new RangeError(`the catalog query answered no ${column}`);
  return text;
}

/** `t` of a boolean column. */
export function isTrue(row: TextRow | undefined, column: string): boolean {
  return row?.[column] === 't';
}

/** The socket below a client; pg exposes it without a type. */
export function connectionOf(client: pg.Client): pg.Connection & { sendCopyFromChunk(chunk: Buffer): void } {
  return (client as unknown as { connection: pg.Connection & { sendCopyFromChunk(chunk: Buffer): void } }).connection;
}

function clientConfig(config: PostgresConfig): pg.ClientConfig {
  return {
    host: config.host,
    port: config.port,
    database: config.database,
    user: config.user,
    password: config.password === undefined || config.password === '' ? passwordMissing : config.password,
    ssl: config.ssl,
    application_name: config.applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
    types: RAW_TEXT as unknown as pg.CustomTypesConfig,
  };
}

/** Keeps pg from reading PGPASSWORD or ~/.pgpass behind our back: only the command line reads the environment. */
function passwordMissing(): string {
  throw new Failure('denied', 'PostgreSQL asks for a password and none is configured', {
    hint: 'Set postgres.passwordFile, PGPASSWORD or a password in the URL.',
  });
}

async function pin(client: pg.Client, { silenceMs = SILENCE_MS }: PostgresConfig): Promise<Omit<Session, 'lost'>> {
  const line = lineOf(client, Math.min(silenceMs, CONNECT_TIMEOUT_MS), () => destroyClient(client));
  const { rows } = await unlessSilent(line, client.query<TextRow>(pinStatement()));
  const announcedPid = (client as unknown as { processID: number | null }).processID;
  return { client, pid: Number(textOf(rows[0], 'pid')), version: Number(textOf(rows[0], 'version')), announcedPid, silenceMs };
}

function lineOf(client: pg.Client, silenceMs: number, cut: () => void): Line {
  const { stream } = connectionOf(client) as unknown as { readonly stream: { readonly bytesRead?: number } };
  return { bytesRead: () => stream.bytesRead ?? 0, silenceMs, cut };
}

function destroyClient(client: pg.Client): void {
  connectionOf(client).stream.destroy();
}
