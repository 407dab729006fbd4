import { Failure, type FailureKind } from '../core/failure.ts';

interface Classification {
  readonly kind: FailureKind;
  readonly hint: string;
}

const CONNECTION_LOST: Classification = {
  kind: 'connection-lost',
  hint: 'The connection to PostgreSQL was cut; run the same command again to resume.',
};
const DENIED: Classification = { kind: 'denied', hint: 'Check the user, the password and pg_hba.conf, or grant what is missing.' };
const UNREACHABLE: Classification = { kind: 'unreachable', hint: 'Check host, port, network and whether PostgreSQL is running.' };
const BAD_BYTES: Classification = {
  kind: 'source-changed',
  hint: 'Text in the table is not valid in the database encoding; find and correct it (SQL_ASCII databases check nothing on input).',
};
const TRANSIENT: Classification = { kind: 'connection-lost', hint: 'A passing condition of the server; run the same command again.' };
const TLS: Classification = {
  kind: 'unreachable',
  hint: 'The certificate was not accepted: set sslrootcert to the CA of the server, or a weaker sslmode (require does not check it).',
};

/** What each SQLSTATE means here (https://www.postgresql.org/docs/current/errcodes-appendix.html); a class of two letters is looked up last. */
const BY_SQLSTATE: Readonly<Record<string, Classification>> = {
  '08': CONNECTION_LOST,
  '28': DENIED,
  '40': TRANSIENT,
  '53': TRANSIENT,
  '58': TRANSIENT,
  '22021': BAD_BYTES,
  '22P05': BAD_BYTES,
  // No default of the role can cause it (session-pins.ts). The preflight refuses a standby; in a build it is one that a failover may promote in a moment.
  '25006': {
    kind: 'connection-lost',
    hint: 'The server is in recovery: connect to the primary, or wait until it is promoted; then run the same command again.',
  },
  '25P03': CONNECTION_LOST,
  '25P04': CONNECTION_LOST,
  '3D000': { kind: 'config', hint: 'Correct the database name in the configuration.' },
  '3F000': { kind: 'source-changed', hint: 'The schema is gone; start a new build if the table moved.' },
  '42501': DENIED,
  '42703': { kind: 'source-changed', hint: 'A column is gone or was renamed; start a new build.' },
  '42P01': { kind: 'source-changed', hint: 'The table is gone or was renamed; start a new build.' },
  '53400': {
    kind: 'no-free-slot',
    hint: 'Raise max_replication_slots (restart needed), or drop slots nobody uses: select * from pg_replication_slots.',
  },
  '55006': { kind: 'locked', hint: 'Another build uses it; see realign status.' },
  '55P03': TRANSIENT,
  '57014': { kind: 'connection-lost', hint: 'Somebody cancelled our query; run the same command again.' },
  '57P01': CONNECTION_LOST,
  '57P02': CONNECTION_LOST,
  '57P03': UNREACHABLE,
  '57P04': { kind: 'source-changed', hint: 'The database was dropped.' },
  '57P05': CONNECTION_LOST,
};

/** Of a server in recovery; in a read-only transaction of ours it is an attempt to write of what the config says. */
export const READ_ONLY = '25006';
export const TOO_MANY_CONNECTIONS = '53300';
/** Of a replication command on a standby before PostgreSQL 16: logical decoding is not to be had there (docs/servers.md P33). */
export const NO_DECODING_IN_RECOVERY = '0A000';

const CERTIFICATE_CODES: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** The SQLSTATE of an error the server sent, else null. */
export function sqlstateOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || !('severity' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

export interface FailureContext {
  /** What was being done, as the beginning of the message. */
  readonly doing: string;
  /** Where one SQLSTATE, or a class of them, means something else than in general. */
  readonly overrides?: Readonly<Record<string, FailureKind>>;
  /** The statement computes SQL expressions of the config: an error in the values is theirs, and no bug. */
  readonly expressions?: boolean;
}

/** Errors that an expression can raise for one row: data exceptions, limits, RAISE and errors in functions, checks of domains, and casts. */
const EXPRESSION_ERROR = /^(22|21|23|38|39|54|P0|0A|42)/;

/** Rows are read in read-only transactions, so 25006 is a function that writes. */
const isOfExpression = (sqlstate: string): boolean =>
  sqlstate === READ_ONLY || (EXPRESSION_ERROR.test(sqlstate) && BY_SQLSTATE[sqlstate] === undefined);

/**
 * The `Failure` for an error of a session that was connected; an error with an unknown SQLSTATE comes back as it is (a bug).
 * The server's message stays in `cause` only: it may quote row values.
 */
export function toFailure(error: unknown, context: FailureContext): unknown {
  if (error instanceof Failure) return error;
  const sqlstate = sqlstateOf(error);
  if (sqlstate === null) return isConnectionError(error) ? lost(error, context) : error;
  if (context.expressions === true && isOfExpression(sqlstate)) return uncomputable(sqlstate, error, context);
  const known = BY_SQLSTATE[sqlstate] ?? BY_SQLSTATE[classOf(sqlstate)];
  const kind = context.overrides?.[sqlstate] ?? BY_SQLSTATE[sqlstate]?.kind ?? context.overrides?.[classOf(sqlstate)] ?? known?.kind;
  if (kind === undefined) return error;
  const hint = known?.hint;
  return new Failure(kind, `${context.doing} failed (SQLSTATE ${sqlstate})`, hint === undefined ? { cause: error } : { cause: error, hint });
}

const classOf = (sqlstate: string): string => sqlstate.slice(0, 2);

function uncomputable(sqlstate: string, error: unknown, { doing, overrides }: FailureContext): Failure {
  return new Failure(
    overrides?.[classOf(sqlstate)] ?? 'source-changed',
    `${doing} failed: an SQL expression of the config cannot be computed for some row (SQLSTATE ${sqlstate})`,
    {
      hint: 'Make `where` and `fields.….sql` safe for every row the table can hold (nullif, case, coalesce), then start over with --fresh.',
      cause: error,
    },
  );
}

/** The `Failure` for an error while connecting to `where` (`host:port/database as user`); `encrypted`: TLS was asked for. */
export function connectFailure(error: unknown, where: string, encrypted: boolean): Failure {
  if (error instanceof Failure) return error;
  const sqlstate = sqlstateOf(error);
  const { kind, hint } = connectClassification(error, sqlstate, encrypted);
  return new Failure(kind, `cannot connect to PostgreSQL at ${where}${reasonOf(error, sqlstate)}`, { cause: error, hint });
}

/**
 * Why, in the words of who refused: nothing of a table has been read yet, so they hold names of users and databases at most, never row values or the password.
 * A socket error is told by its code, the host and port being in the message already.
 */
function reasonOf(error: unknown, sqlstate: string | null): string {
  const code = sqlstate === null ? codeOf(error) : `SQLSTATE ${sqlstate}`;
  const words = error instanceof Error && (sqlstate !== null || code === null || CERTIFICATE_CODES.has(code)) ? error.message : '';
  return `${words === '' ? '' : `: ${words}`}${code === null ? '' : ` (${code})`}`;
}

function connectClassification(error: unknown, sqlstate: string | null, encrypted: boolean): Classification {
  if (sqlstate === null) return withoutSqlstate(error, encrypted);
  if (sqlstate === '28P01')
    return { kind: 'denied', hint: 'Check the user and the password: postgres.passwordFile, PGPASSWORD, or the one in the URL.' };
  if (sqlstate === TOO_MANY_CONNECTIONS)
    return { kind: 'unreachable', hint: 'All connections or walsenders are taken: raise max_connections or max_wal_senders, or end some.' };
  if (sqlstate === '42704' || sqlstate === '3D000' || sqlstate === '42501' || sqlstate.startsWith('28')) return BY_SQLSTATE[sqlstate] ?? DENIED;
  return UNREACHABLE;
}

/** pg says nothing but a sentence when the server declines TLS, or is no PostgreSQL at all. */
function withoutSqlstate(error: unknown, encrypted: boolean): Classification {
  const code = codeOf(error);
  if (CERTIFICATE_CODES.has(code ?? '')) return TLS;
  if (code !== null || !encrypted) return UNREACHABLE;
  return { kind: 'unreachable', hint: 'If the server has no TLS, say sslmode: disable (PGSSLMODE=disable); else check host and port.' };
}

function lost(error: unknown, context: FailureContext): Failure {
  return new Failure('connection-lost', `${context.doing} failed: the connection was lost`, { cause: error, hint: CONNECTION_LOST.hint });
}

/** Errors of pg without a SQLSTATE: socket errors carry an errno, a closed connection carries nothing at all. A bug of ours is a subclass. */
function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return codeOf(error) !== null ? 'syscall' in error : error.constructor === Error;
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}
