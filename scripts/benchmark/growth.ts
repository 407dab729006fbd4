import { connect } from '../../test/support/servers.ts';
import type { BenchWorld } from './bench-world.ts';
import { median } from './figures.ts';
import { startLoadWriter } from './load-writer.ts';
import { dropBenchIndices, measuredRebuild, type WalPoint } from './measured-rebuild.ts';
import { createProducts } from './products.ts';

/** One rebuild of a table of this size. */
export interface GrowthRound {
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

/** One size of the table, over its rounds. */
export interface Growth extends GrowthRound {
  readonly rounds: number;
  /** Lowest and highest of the rounds. */
  readonly loadSpread: readonly [number, number];
}

/** What the source writes meanwhile, so that there is WAL to retain. */
const WRITES_PER_SECOND = 200;

/** (j) a rebuild of a table of this size under a small constant stream of writes. */
export async function growth(world: BenchWorld, rows: number, seed: number): Promise<GrowthRound> {
  const client = await connect(world.databaseUrl);
  await createProducts(client, rows, seed);
  await client.query('checkpoint');
  await client.end();
  return measureSize(world, rows);
}

async function measureSize(world: BenchWorld, rows: number): Promise<GrowthRound> {
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

/** The median of the times and costs over the rounds of one size, the most of memory and WAL, and the curve of the round with the most WAL. Throws `RangeError` for none. */
export function summarizeGrowth(rounds: readonly GrowthRound[]): Growth {
  const [worst] = [...rounds].sort((a, b) => b.maxSlotWalMb - a.maxSlotWalMb);
  if (worst === undefined) throw new RangeError('no round of a size of (j)');
  const times = rounds.map(({ loadUsPerRow }) => loadUsPerRow);
  const of = (figure: (grown: GrowthRound) => number): number => median(rounds.map(figure));
  return {
    rows: worst.rows,
    rounds: rounds.length,
    loadUsPerRow: of(({ loadUsPerRow }) => loadUsPerRow),
    loadSpread: [Math.min(...times), Math.max(...times)],
    verifyUsPerRow: of(({ verifyUsPerRow }) => verifyUsPerRow),
    loadNodeUs: of(({ loadNodeUs }) => loadNodeUs),
    loadJavaUs: of(({ loadJavaUs }) => loadJavaUs),
    // What a machine needs is the most that any run took.
    loadPeakRssMb: Math.max(...rounds.map(({ loadPeakRssMb }) => loadPeakRssMb)),
    verifyPeakRssMb: Math.max(...rounds.map(({ verifyPeakRssMb }) => verifyPeakRssMb)),
    maxSlotWalMb: worst.maxSlotWalMb,
    slotWal: worst.slotWal,
  };
}
