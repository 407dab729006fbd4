import type { BenchWorld } from './bench-world.ts';
import { type BulkProxy, type ProxyMode, startBulkProxy } from './bulk-proxy.ts';
import { discardBuilds, dropBenchIndices, measuredRebuild, type RebuildFigures } from './measured-rebuild.ts';

/** One load before so many throttled nodes. */
export interface ScalingPoint {
  /** `null`: servers that answer at once what they have read, so that only their rate and realign limit the load. */
  readonly sink: 'elasticsearch' | 'null';
  readonly nodes: number;
  /** Of all nodes together. */
  readonly allowedMbPerSecond: number;
  readonly mbPerSecond: number;
  readonly rowsPerSecond: number;
  readonly nodeUs: number;
  readonly peakRssMb: number;
}

interface ScalingRequest {
  readonly world: BenchWorld;
  readonly rows: number;
  readonly nodeCounts: readonly number[];
  readonly told: (point: ScalingPoint) => void;
}

/** (k) the load before 1, 2, 3 nodes, each behind a proxy that lets so many bytes a second pass: what the nodes take together should be what is loaded. */
export async function scaling(request: ScalingRequest, sink: ScalingPoint['sink'], mbPerNode: number): Promise<readonly ScalingPoint[]> {
  const points: ScalingPoint[] = [];
  for (const nodes of request.nodeCounts) {
    const point = await loadBefore(request, { sink, nodes, mbPerNode });
    request.told(point);
    points.push(point);
  }
  return points;
}

interface ThrottledNodes {
  readonly sink: ScalingPoint['sink'];
  readonly nodes: number;
  readonly mbPerNode: number;
}

async function loadBefore({ world, rows }: ScalingRequest, { sink, nodes, mbPerNode }: ThrottledNodes): Promise<ScalingPoint> {
  const mode: ProxyMode = sink === 'null' ? 'null' : 'pass';
  const targets = Array.from({ length: nodes }, (_, at) => world.nodeUrls[at % world.nodeUrls.length] ?? world.elasticsearchUrl);
  const proxies = await Promise.all(targets.map((target) => startBulkProxy({ target, mode, bytesPerSecond: mbPerNode * 1e6 })));
  try {
    const { load, exitCode } = await throttledLoad(world, proxies);
    if (sink === 'elasticsearch' && exitCode !== 0) throw new Error(`the rebuild before ${nodes} nodes ended with ${exitCode}`);
    const bytes = (await Promise.all(proxies.map((proxy) => proxy.bytes()))).reduce((sum, one) => sum + one, 0);
    return {
      ...{ sink, nodes, allowedMbPerSecond: nodes * mbPerNode, mbPerSecond: bytes / load.seconds / 1e6 },
      ...{ rowsPerSecond: rows / load.seconds, nodeUs: load.nodeUs / rows, peakRssMb: load.peakRssMb },
    };
  } finally {
    for (const proxy of proxies) proxy.close();
    await discardBuilds(world);
    await dropBenchIndices(world);
  }
}

/** A node that has taken one bulk must find the next one there: two for each of them, and one more; small ones, so that all nodes end at about the same time. */
function throttledLoad(world: BenchWorld, proxies: readonly BulkProxy[]): Promise<RebuildFigures> {
  const flags = ['--verify', 'counts', '--bulk-jobs', String(bulkJobsFor(proxies.length)), '--bulk-bytes', BULK_BYTES];
  return measuredRebuild({ world, flags, elasticsearchUrl: proxies.map(({ url }) => url) });
}

export const BULK_BYTES = '1MiB';

export function bulkJobsFor(nodes: number): number {
  return 2 * nodes + 1;
}
