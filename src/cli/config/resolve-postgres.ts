import { readFileSync } from 'node:fs';
import { resolveTls, type TlsOptions } from '../tls.ts';
import { environmentSecret, type ResolveContext, readNamedFile, readNamedSecret } from './connection-files.ts';
import { errorCode } from './environment.ts';
import { type PostgresUrl, parsePostgresUrl } from './postgres-url.ts';
import { isSslMode, type PostgresFile, type SslMode } from './schema.ts';

/** A PostgreSQL connection with nothing left to guess. */
export interface PostgresTarget {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string | null;
  readonly ssl: false | TlsOptions;
  /** For people: `verify-full`, `off (local)`. */
  readonly tlsLabel: string;
}

/** The connection from DATABASE_URL, else the file, else the PG* variables, each filling what those before it leave out. */
export function resolvePostgres(file: PostgresFile, context: ResolveContext): PostgresTarget | null {
  const before = context.problems.count;
  const { environment, problems } = context;
  if (file.url !== undefined && (file.host ?? file.port ?? file.database ?? file.user) !== undefined) {
    problems.add(['postgres', 'url'], 'is written beside host, port, database or user; keep one of the two ways');
  }
  const known = problems.count;
  const url = readUrl(file, context);
  const unread = problems.count > known;
  const host = url.host ?? file.host ?? environment.PGHOST ?? (url.present ? 'localhost' : null);
  const user = url.user ?? file.user ?? environment.PGUSER ?? null;
  if (host === null) problems.add(['postgres'], 'no connection: write postgres.url (or host), or set DATABASE_URL or PGHOST');
  // A URL that could not be read has been told of, and may have had one.
  if (user === null && host !== null && !unread) problems.add(['postgres'], 'no user: write it into the URL or as postgres.user, or set PGUSER');
  const database = url.database ?? file.database ?? environment.PGDATABASE ?? user;
  const password = readPassword(file, url, context);
  const port = url.port ?? file.port ?? readPort(context);
  if (host === null || user === null || database === null) return null;
  if (password !== null) context.registerSecret(password, [user, database]);
  const tls = resolveTls({ host, ...readTlsFiles(file, url, context) });
  if (tls.kind === 'refused') problems.add(['postgres', 'sslmode'], tls.reason);
  if (tls.kind === 'refused' || problems.count > before) return null;
  return { host, port, database, user, password, ssl: tls.kind === 'plain' ? false : tls.options, tlsLabel: tls.label };
}

function readUrl(file: PostgresFile, context: ResolveContext): PostgresUrl {
  const fromEnvironment = context.environment.DATABASE_URL;
  const { url, problem } = parsePostgresUrl(fromEnvironment ?? file.url ?? null);
  if (problem !== null && fromEnvironment !== undefined) context.problems.addElsewhere(`environment: DATABASE_URL: ${problem}`);
  else if (problem !== null) context.problems.add(['postgres', 'url'], problem);
  return url;
}

function readPassword(file: PostgresFile, url: PostgresUrl, context: ResolveContext): string | null {
  if (url.password !== null) return url.password;
  if (file.passwordFile !== undefined) return readNamedSecret(context, ['postgres', 'passwordFile'], file.passwordFile);
  return environmentSecret(context, 'PGPASSWORD');
}

function readPort(context: ResolveContext): number {
  const port = context.environment.PGPORT ?? '5432';
  if (!/^\d{1,5}$/.test(port)) context.problems.addElsewhere(`environment: PGPORT: expected a port number, not ${JSON.stringify(port)}`);
  return Number(port);
}

interface TlsFiles {
  readonly mode: SslMode | null;
  readonly ca: string | null;
  readonly cert: string | null;
  readonly key: string | null;
}

function readTlsFiles(file: PostgresFile, url: PostgresUrl, context: ResolveContext): TlsFiles {
  const pem = (key: 'sslrootcert' | 'sslcert' | 'sslkey') => readPem(key, file, url, context);
  return { mode: readMode(file, url, context), ca: pem('sslrootcert'), cert: pem('sslcert'), key: pem('sslkey') };
}

function readMode(file: PostgresFile, url: PostgresUrl, context: ResolveContext): SslMode | null {
  const mode = url.tls.sslmode ?? file.sslmode ?? context.environment.PGSSLMODE;
  if (mode === undefined || isSslMode(mode)) return mode ?? null;
  const place = url.tls.sslmode === undefined ? 'PGSSLMODE' : 'sslmode in the URL';
  context.problems.addElsewhere(`${place}: expected disable, require, verify-ca or verify-full, not ${JSON.stringify(mode)}`);
  return null;
}

function readPem(key: 'sslrootcert' | 'sslcert' | 'sslkey', file: PostgresFile, url: PostgresUrl, context: ResolveContext): string | null {
  const variable = `PG${key.toUpperCase()}`;
  if (url.tls[key] === undefined && file[key] !== undefined) {
    return key === 'sslrootcert' && file[key] === 'system' ? null : readNamedFile(context, ['postgres', key], file[key]);
  }
  const path = url.tls[key] ?? context.environment[variable];
  if (path === undefined || (key === 'sslrootcert' && path === 'system')) return null;
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const place = url.tls[key] === undefined ? `environment: ${variable}` : `${key} in the URL`;
    context.problems.addElsewhere(`${place}: the file cannot be read: ${path} (${errorCode(error)})`);
    return null;
  }
}
