import { isLocalHost } from '../tls.ts';
import { originOfCloudId } from './cloud-id.ts';
import { environmentSecret, type ResolveContext, readNamedFile, readNamedSecret } from './connection-files.ts';
import type { ElasticsearchFile } from './schema.ts';

export type ElasticsearchAuth = { readonly apiKey: string } | { readonly username: string; readonly password: string };

/** An Elasticsearch connection with nothing left to guess; `nodes` carry no credentials. */
export interface ElasticsearchTarget {
  readonly nodes: readonly string[];
  readonly auth: ElasticsearchAuth | null;
  readonly ca: string | null;
  readonly caFingerprint: string | null;
  readonly rejectUnauthorized: boolean;
}

/** The connection from the ELASTICSEARCH_* variables over the file. */
export function resolveElasticsearch(file: ElasticsearchFile, context: ResolveContext): ElasticsearchTarget | null {
  const before = context.problems.count;
  const urls = readUrls(file, context);
  const fromUrls = takeCredentials(urls, context);
  const auth = environmentAuth(context) ?? fileAuth(file, context) ?? fromUrls;
  const ca = file.caFile === undefined ? null : readNamedFile(context, ['elasticsearch', 'caFile'], file.caFile);
  const insecure = file.tlsInsecure === true;
  if (!insecure && auth !== null) refusePlainCredentials(urls, context);
  if (file.caFingerprint !== undefined && !/^([0-9a-f]{2}:?){32}$/i.test(file.caFingerprint)) {
    context.problems.add(['elasticsearch', 'caFingerprint'], 'expected a SHA-256 fingerprint: 64 hex digits, colons allowed');
  }
  if (context.problems.count > before) return null;
  const nodes = urls.map((url) => `${url.protocol}//${url.host}${url.pathname.replace(/\/$/, '')}`);
  return { nodes, auth, ca, caFingerprint: file.caFingerprint ?? null, rejectUnauthorized: !insecure };
}

function readUrls(file: ElasticsearchFile, context: ResolveContext): readonly URL[] {
  const written = context.environment.ELASTICSEARCH_URL ?? file.url ?? readCloudId(file, context);
  if (file.url !== undefined && file.cloudId !== undefined)
    context.problems.add(['elasticsearch', 'cloudId'], 'is written beside url; keep one of the two');
  const texts = (typeof written === 'string' ? written.split(',') : (written ?? [])).map((text) => text.trim()).filter((text) => text !== '');
  const urls = texts.map((text) => (URL.canParse(text) ? new URL(text) : null));
  if (texts.length === 0 && file.cloudId === undefined)
    context.problems.add(['elasticsearch'], 'no connection: write elasticsearch.url or cloudId, or set ELASTICSEARCH_URL');
  const wrong = texts.find((_, at) => !isPlainUrl(urls[at] ?? null));
  if (wrong !== undefined) {
    // What may hold a password or a token is not repeated.
    const problem = `expected URLs such as https://es.internal:9200${/[@?]/.test(wrong) ? '' : `, not ${JSON.stringify(wrong)}`}`;
    if (context.environment.ELASTICSEARCH_URL === undefined) context.problems.add(['elasticsearch', 'url'], problem);
    else context.problems.addElsewhere(`environment: ELASTICSEARCH_URL: ${problem}`);
  }
  return urls.filter((url) => url !== null);
}

function isPlainUrl(url: URL | null): boolean {
  return url !== null && /^https?:$/.test(url.protocol) && url.search === '';
}

function readCloudId({ cloudId }: ElasticsearchFile, context: ResolveContext): string | undefined {
  const origin = cloudId === undefined ? undefined : originOfCloudId(cloudId);
  if (origin !== null) return origin;
  context.problems.add(['elasticsearch', 'cloudId'], 'expected a cloud id as the console of Elastic Cloud shows it: NAME:BASE64');
  return undefined;
}

function takeCredentials(urls: readonly URL[], context: ResolveContext): ElasticsearchAuth | null {
  const url = urls.find((candidate) => candidate.username !== '');
  if (url === undefined) return null;
  try {
    return passwordAuth(decodeURIComponent(url.username), decodeURIComponent(url.password), context);
  } catch {
    context.problems.add(['elasticsearch', 'url'], 'a % in it is not followed by two hex digits; percent-encode special characters');
    return null;
  }
}

function environmentAuth(context: ResolveContext): ElasticsearchAuth | null {
  const apiKey = environmentSecret(context, 'ELASTICSEARCH_API_KEY');
  const username = context.environment.ELASTICSEARCH_USERNAME;
  if (apiKey !== null && username !== undefined) {
    context.problems.addElsewhere('environment: ELASTICSEARCH_API_KEY and ELASTICSEARCH_USERNAME are both set; unset one');
  }
  if (apiKey !== null) return keyAuth(apiKey, context);
  if (username === undefined) return null;
  const password = environmentSecret(context, 'ELASTICSEARCH_PASSWORD');
  if (password !== null) return passwordAuth(username, password, context);
  context.problems.addElsewhere('environment: ELASTICSEARCH_USERNAME is set without ELASTICSEARCH_PASSWORD or ELASTICSEARCH_PASSWORD_FILE');
  return null;
}

function fileAuth(file: ElasticsearchFile, context: ResolveContext): ElasticsearchAuth | null {
  if (file.apiKeyFile !== undefined && file.username !== undefined) {
    context.problems.add(['elasticsearch', 'apiKeyFile'], 'is written beside username; keep one of the two ways');
  }
  if (file.apiKeyFile !== undefined) {
    const key = readNamedSecret(context, ['elasticsearch', 'apiKeyFile'], file.apiKeyFile);
    return key === null ? null : keyAuth(key, context);
  }
  if (file.username === undefined) return null;
  const path = ['elasticsearch', 'passwordFile'];
  const password =
    file.passwordFile === undefined ? environmentSecret(context, 'ELASTICSEARCH_PASSWORD') : readNamedSecret(context, path, file.passwordFile);
  if (password !== null) return passwordAuth(file.username, password, context);
  if (file.passwordFile === undefined) context.problems.add(['elasticsearch', 'username'], 'needs passwordFile, or ELASTICSEARCH_PASSWORD');
  return null;
}

/** Also the decoded form of an API key (`id:secret`) is a secret. */
function keyAuth(apiKey: string, context: ResolveContext): ElasticsearchAuth {
  context.registerSecret(apiKey, []);
  const decoded = /^([\w-]+):([\w-]+)$/.exec(Buffer.from(apiKey, 'base64').toString('latin1'));
  if (decoded?.[2] !== undefined) context.registerSecret(decoded[2], []);
  return { apiKey };
}

function passwordAuth(username: string, password: string, context: ResolveContext): ElasticsearchAuth {
  context.registerSecret(password, [username]);
  return { username, password };
}

function refusePlainCredentials(urls: readonly URL[], context: ResolveContext): void {
  const exposed = urls.find((url) => url.protocol === 'http:' && !isLocalHost(url.hostname));
  if (exposed === undefined) return;
  context.problems.add(
    ['elasticsearch', 'url'],
    `http://${exposed.host} would carry the credentials in plain text; use https, or write tlsInsecure: true if that network is trusted`,
  );
}
