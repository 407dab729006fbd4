import type { Sink, SinkIdentity } from '../phases/sink-ports.ts';
import { compareAndSwapAlias, readAlias, removeAlias } from './alias.ts';
import { requestBulk } from './bulk.ts';
import { runningBulkTasks, runningRequests } from './bulk-tasks.ts';
import { connect, type ElasticsearchConfig, type Http } from './connect.ts';
import { freeze } from './frozen-index.ts';
import { waitForHealth } from './health.ts';
import { createIndex, deleteIndex, indexBytes, indexUuid, readMapping, refresh } from './index-admin.ts';
import { readHealth } from './preflight/cluster.ts';
import { preflight } from './preflight/preflight.ts';
import { openRepair, repairAliases } from './repair.ts';
import { finishSettings, readSettings, restoreSettings } from './settings.ts';
import { listGenerations, listOurIndices, writeState } from './state.ts';

/** Connects to Elasticsearch and gives the whole `Sink`; throws `unreachable`, `denied`, `config`, or `preflight-refused` if it is another product. */
export async function openSink(config: ElasticsearchConfig): Promise<Sink & { close(): Promise<void> }> {
  const http = await connect(config);
  return {
    identity: () => identity(http),
    preflight: (request) => preflight(http, request),
    readAlias: (alias) => readAlias(http, alias),
    generations: (alias) => listGenerations(http, alias),
    ourIndices: () => listOurIndices(http),
    createIndex: (request) => createIndex(http, request),
    indexUuid: (index) => indexUuid(http, index),
    writeState: (index, state) => writeState(http, index, state),
    bulk: (buildAlias, body) => requestBulk(http, buildAlias, body),
    runningBulkTasks: (index) => runningBulkTasks(http, index),
    runningRequests: (requests) => runningRequests(http, requests),
    restoreSettings: (index, wanted) => restoreSettings(http, index, wanted),
    waitForHealth: (index, level, timeoutMs) => waitForHealth(http, index, level, timeoutMs),
    finishSettings: (index, wanted) => finishSettings(http, index, wanted),
    refresh: (index) => refresh(http, index),
    freeze: (index) => freeze(http, index),
    swap: (request) => compareAndSwapAlias(http, request),
    removeBuildAlias: (index, buildAlias) => removeAlias(http, index, buildAlias),
    deleteIndex: (index, uuid) => deleteIndex(http, index, uuid),
    readMapping: (index) => readMapping(http, index),
    openRepair: (request) => openRepair(http, request),
    repairAliases: (index) => repairAliases(http, index),
    readSettings: (index) => readSettings(http, index),
    indexBytes: (index) => indexBytes(http, index),
    close: () => http.close(),
  };
}

async function identity(http: Http): Promise<SinkIdentity> {
  const root = await http.json({ what: 'reading the version', method: 'GET', path: '/' });
  const { version, cluster_uuid: clusterUuid } = root as { readonly version: { readonly number: string }; readonly cluster_uuid: string };
  return { version: version.number, clusterUuid, dataNodes: (await readHealth(http)).number_of_data_nodes };
}
