/** The parts of a `postgres://` URL; null where it says nothing. */
export interface PostgresUrl {
  readonly present: boolean;
  readonly host: string | null;
  readonly port: number | null;
  readonly database: string | null;
  readonly user: string | null;
  readonly password: string | null;
  readonly tls: { readonly [parameter: string]: string | undefined };
}

const NOTHING: PostgresUrl = { present: false, host: null, port: null, database: null, user: null, password: null, tls: {} };
/** Other parameters are refused: in node-postgres `options` in a URL silently beats the session settings that the texts depend on. */
const PARAMETERS = ['host', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'application_name', 'connect_timeout'];

/** Takes a URL apart. The problem never repeats the URL: it may hold a password. */
export function parsePostgresUrl(text: string | null): { readonly url: PostgresUrl; readonly problem: string | null } {
  if (text === null) return { url: NOTHING, problem: null };
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:')) {
    return refuse('expected postgres://user@host:5432/database (one host; percent-encode special characters in the password)');
  }
  const unknown = [...url.searchParams.keys()].filter((name) => !PARAMETERS.includes(name));
  if (unknown.length > 0) return refuse(`the parameter ${unknown.join(', ')} is not known here; known: ${PARAMETERS.join(', ')}`);
  try {
    return { url: takeApart(url), problem: null };
  } catch {
    return refuse('a % in it is not followed by two hex digits; percent-encode special characters');
  }
}

function takeApart(url: URL): PostgresUrl {
  const host = url.searchParams.get('host') ?? decodeURIComponent(url.hostname).replace(/^\[|\]$/g, '');
  return {
    present: true,
    host: orNull(host),
    port: url.port === '' ? null : Number(url.port),
    database: orNull(decodeURIComponent(url.pathname.slice(1))),
    user: orNull(decodeURIComponent(url.username)),
    password: orNull(decodeURIComponent(url.password)),
    tls: Object.fromEntries([...url.searchParams].filter(([name]) => name.startsWith('ssl'))),
  };
}

function refuse(problem: string): { readonly url: PostgresUrl; readonly problem: string } {
  return { url: { ...NOTHING, present: true }, problem };
}

function orNull(text: string): string | null {
  return text === '' ? null : text;
}
