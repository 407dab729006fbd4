import { counted } from '../../core/counted.ts';
import type { Finding } from '../../core/finding.ts';
import type { SinkPreflightRequest } from '../../phases/sink-ports.ts';
import type { Http } from '../connect.ts';
import { type FlatSettings, flattenSettings } from '../settings.ts';
import { fail, ok, warn } from './findings.ts';

interface Root {
  readonly version: { readonly number: string; readonly build_flavor?: string };
}

export interface ClusterHealth {
  readonly status: 'green' | 'yellow' | 'red';
  readonly number_of_data_nodes: number;
  readonly active_shards: number;
}

/** Version, health, and whether the shards of the new index will find a place. */
export async function checkCluster(http: Http, request: SinkPreflightRequest, cluster: FlatSettings): Promise<readonly Finding[]> {
  const root = (await http.json({ what: 'reading the version', method: 'GET', path: '/' })) as Root;
  const health = await readHealth(http);
  const wanted = wantedShards(request);
  return [
    versionFinding(root, health),
    allocationFinding(cluster, wanted.replicas),
    replicasFinding(health, wanted.replicas, request),
    shardsFinding(health, cluster, wanted.shards * (1 + wanted.replicas)),
  ].filter((finding) => finding !== null);
}

export async function readHealth(http: Http): Promise<ClusterHealth> {
  return (await http.json({ what: 'reading the health of the cluster', method: 'GET', path: '/_cluster/health' })) as ClusterHealth;
}

/** The cluster's settings as they are in force: transient over persistent over default. */
export async function readClusterSettings(http: Http): Promise<FlatSettings> {
  const query = { include_defaults: 'true', flat_settings: 'true' };
  const answer = await http.json({ what: 'reading the settings of the cluster', method: 'GET', path: '/_cluster/settings', query });
  const { transient, persistent, defaults } = answer as { readonly [level: string]: FlatSettings };
  return { ...defaults, ...persistent, ...transient };
}

export function wantedShards(request: SinkPreflightRequest): { readonly shards: number; readonly replicas: number } {
  const flat = flattenSettings(request.settings);
  return { shards: Number(flat['index.number_of_shards'] ?? 1), replicas: Number(flat['index.number_of_replicas'] ?? 1) };
}

function versionFinding({ version }: Root, health: ClusterHealth): Finding {
  const seen = `server ${version.number}, ${counted(health.number_of_data_nodes, 'data node')}, ${health.status}`;
  if (version.build_flavor === 'serverless') {
    return fail(
      'version',
      'the server is Elasticsearch Serverless, which does not allow the settings a build needs (replicas, translog)',
      'use a hosted or self-managed cluster',
    );
  }
  if (Number.parseInt(version.number, 10) < 8) return fail('version', seen, 'upgrade to Elasticsearch 8 or later');
  if (health.status === 'red') return warn('version', `${seen}: some index has lost a primary shard`, 'see GET _cluster/health?level=indices');
  return ok('version', seen);
}

function allocationFinding(cluster: FlatSettings, replicas: number): Finding | null {
  const enable = String(cluster['cluster.routing.allocation.enable'] ?? 'all');
  if (enable === 'all') return null;
  const fix =
    'PUT _cluster/settings {"persistent":{"cluster.routing.allocation.enable":null},"transient":{"cluster.routing.allocation.enable":null}}';
  const message = `cluster.routing.allocation.enable is ${enable}`;
  if (enable === 'none') return fail('allocation', `${message}: the new index would have no primary shard`, fix);
  return replicas > 0 ? warn('allocation', `${message}: the new index would have no replicas`, fix) : null;
}

function replicasFinding(health: ClusterHealth, replicas: number, { swapWhen }: SinkPreflightRequest): Finding | null {
  const reachable = Math.max(0, health.number_of_data_nodes - 1);
  if (replicas <= reachable) return null;
  const seen = `${counted(replicas, 'replica')} wanted, but ${counted(health.number_of_data_nodes, 'data node')} can hold ${reachable}: the new index never becomes green`;
  // An explicit wish is refused at once: obeyed, it would wait at the end of the load for what cannot come.
  if (swapWhen === 'green')
    return fail('reachable-replicas', `--swap-when green: ${seen}`, `swap with --swap-when yellow, or set settings.number_of_replicas: ${reachable}`);
  if (swapWhen === 'yellow') return null;
  return warn(
    'reachable-replicas',
    seen,
    health.number_of_data_nodes === 1
      ? 'fine on a cluster of one node, where yellow is enough for the swap; settings.number_of_replicas: 0 says so'
      : `set settings.number_of_replicas: ${reachable}, or swap with --swap-when yellow`,
  );
}

function shardsFinding(health: ClusterHealth, cluster: FlatSettings, wanted: number): Finding | null {
  const limit = Number(cluster['cluster.max_shards_per_node'] ?? 1000) * health.number_of_data_nodes;
  if (health.active_shards + wanted <= limit) return null;
  return fail(
    'shards-limit',
    `${counted(health.active_shards, 'shard is', 'shards are')} open and ${wanted} more are needed; the limit is ${limit}`,
    'remove old indices (realign cleanup), or raise cluster.max_shards_per_node',
  );
}
