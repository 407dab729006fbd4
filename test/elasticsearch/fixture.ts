import { type BuildState, STATE_FORMAT } from '../../src/core/plan/build-state.ts';
import { buildNames } from '../../src/core/plan/names.ts';
import { BulkBody } from '../../src/core/sink/bulk-body.ts';
import type { VersionType } from '../../src/core/sink/operation.ts';
import type { ElasticsearchConfig } from '../../src/elasticsearch/connect.ts';
import { openSink } from '../../src/elasticsearch/sink.ts';
import type { CreateIndexRequest } from '../../src/phases/sink-ports.ts';
import { deleteIndicesLike, elasticsearchUrl, uniqueName } from '../support/servers.ts';

export type TestSink = Awaited<ReturnType<typeof openSink>>;

export function configOf(node: string): ElasticsearchConfig {
  return { nodes: [node], auth: null, rejectUnauthorized: true, requestTimeoutMs: 30_000 };
}

/** A sink on the real server, and an alias of the test's own; `clean` closes it and deletes every index that begins with the alias. */
export async function testSink(): Promise<{ readonly sink: TestSink; readonly alias: string; clean(): Promise<void> }> {
  const alias = uniqueName('es');
  const sink = await openSink(configOf(elasticsearchUrl()));
  const clean = async (): Promise<void> => {
    await sink.close();
    await deleteIndicesLike(`${alias}*`);
  };
  return { sink, alias, clean };
}

export function stateOf(alias: string, build: string): BuildState {
  return {
    format: STATE_FORMAT,
    tool: '0.0.0',
    build,
    alias,
    phase: 'load',
    slot: `realign_${alias}_${build}`,
    publication: `realign_${alias}_${build}`,
    cp: '0/1000',
    systemIdentifier: '1',
    timeline: 1,
    database: 'test',
    table: { oid: 1, schema: 'public', name: 'rows' },
    catalogFingerprint: 'c',
    planFingerprint: 'p',
    settings: {},
    previous: null,
    startedAt: '2026-11-29T15:40:12.000Z',
    load: [],
    rejectedIds: [],
  };
}

export const MAPPING = { dynamic: 'strict', properties: { n: { type: 'long' }, t: { type: 'keyword' }, j: { type: 'object', enabled: false } } };

export function requestOf(alias: string, build: string): CreateIndexRequest {
  const { index, buildAlias } = buildNames(alias, build, new Date('2026-11-29T15:40:12Z'));
  return { index, buildAlias, mapping: MAPPING, settings: { number_of_replicas: 0 }, state: stateOf(alias, build) };
}

/** `[id, version, document]`, a null document deletes. */
export type Write = readonly [string, bigint, string | null];

export function bulkOf(writes: readonly Write[], versionType: VersionType = 'external'): BulkBody {
  const body = new BulkBody(versionType);
  for (const [id, version, document] of writes) {
    body.append({ id: Buffer.from(id), version, document: document === null ? null : Buffer.from(document) });
  }
  return body;
}
