import type { Finding } from '../../core/finding.ts';
import type { SinkPreflightRequest } from '../../phases/sink-ports.ts';
import type { Http } from '../connect.ts';
import type { FlatSettings } from '../settings.ts';
import { wantedShards } from './cluster.ts';
import { fail, ok, warn } from './findings.ts';

const GIB = 2 ** 30;
/** Merges need room for a second copy of the segments they work on; an estimate, so it only ever warns. */
const INDEX_PER_SOURCE_BYTE = 1.5;

export interface DataDisk {
  readonly totalBytes: number;
  readonly availableBytes: number;
}

/** Whether the data nodes have room below their watermarks: above the high one a new index gets no primary (docs/servers.md E20). */
export async function checkDisk(http: Http, request: SinkPreflightRequest, cluster: FlatSettings): Promise<readonly Finding[]> {
  if (String(cluster['cluster.routing.allocation.disk.threshold_enabled']) === 'false') return [];
  return [judgeDisks(await readDisks(http), cluster, request.sourceBytes * INDEX_PER_SOURCE_BYTE * (1 + wantedShards(request).replicas))];
}

/** Pure, for tests: `neededBytes` over all nodes against what is free below the low watermark. */
export function judgeDisks(disks: readonly DataDisk[], cluster: FlatSettings, neededBytes: number): Finding {
  const rooms = disks.map((disk) => disk.availableBytes - reserve(disk, cluster, 'high'));
  const room = disks.reduce((sum, disk) => sum + Math.max(0, disk.availableBytes - reserve(disk, cluster, 'low')), 0);
  if (rooms.length > 0 && rooms.every((bytes) => bytes <= 0)) {
    return fail(
      'disk',
      'every data node is above its high disk watermark: the new index would have no primary shard',
      'free space, or see GET _cat/allocation',
    );
  }
  const seen = `about ${gib(neededBytes)} GiB needed, ${gib(room)} GiB free below the low disk watermark`;
  return neededBytes <= room
    ? ok('disk', seen)
    : warn('disk', seen, 'free space or add a node; at the flood stage every write to the node is blocked, the live index included');
}

/** Bytes that must stay free: a share of the disk (capped by `max_headroom`), or an amount. */
function reserve(disk: DataDisk, cluster: FlatSettings, level: 'low' | 'high'): number {
  const name = `cluster.routing.allocation.disk.watermark.${level}`;
  const text = String(cluster[name] ?? (level === 'low' ? '85%' : '90%'));
  const share = shareOf(text);
  if (share === null) return bytesOf(text) ?? 0;
  const headroom = bytesOf(String(cluster[`${name}.max_headroom`] ?? (level === 'low' ? '200gb' : '150gb')));
  return Math.min(disk.totalBytes * (1 - share), headroom ?? Number.POSITIVE_INFINITY);
}

/** `85%` or `0.85`. */
function shareOf(text: string): number | null {
  if (/^[\d.]+%$/.test(text)) return Number.parseFloat(text) / 100;
  return /^[01]?\.?\d+$/.test(text) && Number(text) <= 1 ? Number(text) : null;
}

const UNITS: { readonly [unit: string]: number } = { b: 1, kb: 2 ** 10, mb: 2 ** 20, gb: GIB, tb: 2 ** 40, pb: 2 ** 50 };

/** `500gb`; null for `-1` and anything else. */
function bytesOf(text: string): number | null {
  const match = /^([\d.]+)([kmgtp]?b)$/i.exec(text.trim());
  const unit = UNITS[match?.[2]?.toLowerCase() ?? ''];
  return match?.[1] === undefined || unit === undefined ? null : Number(match[1]) * unit;
}

interface NodeStats {
  readonly nodes: {
    readonly [id: string]: {
      readonly roles: readonly string[];
      readonly fs: { readonly total: { readonly total_in_bytes: number; readonly available_in_bytes: number } };
    };
  };
}

async function readDisks(http: Http): Promise<readonly DataDisk[]> {
  const query = { filter_path: 'nodes.*.roles,nodes.*.fs.total' };
  const answer = (await http.json({ what: 'reading the free disk space', method: 'GET', path: '/_nodes/stats/fs', query })) as NodeStats;
  return Object.values(answer.nodes)
    .filter((node) => node.roles.some((role) => role === 'data' || role === 'data_content' || role === 'data_hot'))
    .map(({ fs }) => ({ totalBytes: fs.total.total_in_bytes, availableBytes: fs.total.available_in_bytes }));
}

function gib(bytes: number): string {
  return (bytes / GIB).toFixed(1);
}
