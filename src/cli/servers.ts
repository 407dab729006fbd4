import type { ElasticsearchConfig } from '../elasticsearch/connect.ts';
import { openSink } from '../elasticsearch/sink.ts';
import type { Source } from '../phases/ports.ts';
import type { Sink } from '../phases/sink-ports.ts';
import type { PostgresConfig } from '../postgres/connect.ts';
import { openSource } from '../postgres/source.ts';
import type { Configuration } from './config/load.ts';
import type { ElasticsearchTarget } from './config/resolve-elasticsearch.ts';
import type { PostgresTarget } from './config/resolve-postgres.ts';
import type { Output } from './output/output-event.ts';

/** No request of the build takes longer on a healthy cluster; without a limit a stopped node hangs the client for ever. */
const REQUEST_TIMEOUT_MS = 60_000;

/** Opens both servers, runs `use`, and closes them whatever happens. */
export async function withServers<Result>(
  { postgres, elasticsearch }: Configuration,
  toolVersion: string,
  use: (servers: { readonly source: Source; readonly sink: Sink }) => Promise<Result>,
): Promise<Result> {
  const source = await openSource(postgresConfig(postgres, toolVersion));
  try {
    const sink = await openSink(elasticsearchConfig(elasticsearch));
    try {
      return await use({ source, sink });
    } finally {
      await sink.close();
    }
  } finally {
    await source.close();
  }
}

/** The same with PostgreSQL only. */
export async function withSource<Result>(postgres: PostgresTarget, toolVersion: string, use: (source: Source) => Promise<Result>): Promise<Result> {
  const source = await openSource(postgresConfig(postgres, toolVersion));
  try {
    return await use(source);
  } finally {
    await source.close();
  }
}

/** Says which servers are meant; never with a secret. */
export function announce({ postgres, elasticsearch }: Configuration, side: 'postgres' | 'elasticsearch', output: Output): void {
  if (side === 'postgres') {
    const { host, port, database, user, tlsLabel } = postgres;
    output.emit(null, { type: 'target', side, address: `${host}:${port}/${database}`, user, tls: tlsLabel });
    return;
  }
  const { nodes, rejectUnauthorized } = elasticsearch;
  const user = elasticsearch.auth === null ? null : 'username' in elasticsearch.auth ? elasticsearch.auth.username : 'API key';
  const tls = nodes.every((node) => node.startsWith('https:')) ? (rejectUnauthorized ? 'verified' : 'not verified (tlsInsecure)') : 'off';
  output.emit(null, { type: 'target', side, address: nodes.join(', '), user, tls });
}

function postgresConfig(target: PostgresTarget, toolVersion: string): PostgresConfig {
  const { host, port, database, user, password, ssl } = target;
  return { host, port, database, user, ...(password === null ? {} : { password }), ssl, applicationName: `realign ${toolVersion}` };
}

function elasticsearchConfig(target: ElasticsearchTarget): ElasticsearchConfig {
  const { nodes, auth, ca, caFingerprint, rejectUnauthorized } = target;
  return {
    nodes,
    auth,
    ...(ca === null ? {} : { ca }),
    ...(caFingerprint === null ? {} : { caFingerprint }),
    rejectUnauthorized,
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
  };
}

/** Tells which versions take part; what cannot be asked is `unknown`, because nothing depends on it. */
export async function announceVersions(servers: { readonly source: Source; readonly sink: Sink }, alias: string, output: Output): Promise<void> {
  const [postgres, elasticsearch] = await Promise.all([
    servers.source.identity().then(
      ({ versionNumber }) => `${Math.floor(versionNumber / 10_000)}.${versionNumber % 10_000}`,
      () => 'unknown',
    ),
    servers.sink.identity().then(
      ({ version }) => version,
      () => 'unknown',
    ),
  ]);
  output.emit(alias, { type: 'versions', postgres, elasticsearch, node: process.versions.node });
}
