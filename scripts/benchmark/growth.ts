import { connect } from '../../test/support/servers.ts';
import type { BenchWorld } from './bench-world.ts';
import { startLoadWriter } from './load-writer.ts';
import { dropBenchIndices, measuredRebuild, type WalPoint } from './measured-rebuild.ts';
import { createProducts } from './products.ts';

/** One size of the table. */
export interface Growth {
  readonly rows: number;
  readonly loadUsPerRow: number;
  readonly verifyUsPerRow: number;
  readonly loadNodeUs: number;
  readonly loadJavaUs: number;
  readonly loadPeakRssMb: number;
  readonly verifyPeakRssMb: number;
  readonly maxSlotWalMb: number;
  readonly slotWal: readonly WalPoint[];
}

/** What the source writes meanwhile, so that there is WAL to retain. */
const WRITES_PER_SECOND = 200;

/** (j) a rebuild of a table of this size under a small constant stream of writes. */
export async function growth(world: BenchWorld, rows: number, seed: number): Promise<Growth> {
  const client = await connect(world.databaseUrl);
  await createProducts(client, rows, seed);
  await client.query('checkpoint');
  await client.end();
  return measureSize(world, rows);
}

async function measureSize(world: BenchWorld, rows: number): Promise<Growth> {
  const writer = await startLoadWriter({ url: world.databaseUrl, clients: 1, keys: rows, transactionsPerSecond: WRITES_PER_SECOND });
  const { load, verify, slotWal, exitCode } = await measuredRebuild({ world, flags: ['--verify', 'full'] });
  await writer.stop();
  await dropBenchIndices(world);
  if (exitCode !== 0 || verify === null) throw new Error(`the rebuild of ${rows} rows ended with ${exitCode}`);
  return {
    rows,
    loadUsPerRow: (load.seconds * 1e6) / rows,
    verifyUsPerRow: (verify.seconds * 1e6) / rows,
    loadNodeUs: load.nodeUs / rows,
    loadJavaUs: load.javaUs / rows,
    loadPeakRssMb: load.peakRssMb,
    verifyPeakRssMb: verify.peakRssMb,
    maxSlotWalMb: Math.max(0, ...slotWal.map(({ bytes }) => bytes)) / 1e6,
    slotWal,
  };
}
