import type { BenchOptions, CaseName } from './bench-options.ts';
import type { BenchWorld } from './bench-world.ts';
import type { BulkProxy } from './bulk-proxy.ts';
import { copyDrain, rebuild, recordBodies, rival, sinkLimit, type TableSize, throttledLimit, throttledRebuild } from './cases.ts';
import { nullSink, nullSinkPair } from './null-sink.ts';
import { PRODUCT_MAPPING } from './products.ts';
import { type Recorder, say } from './recorder.ts';

/** An overloaded machine must not make the smoke test last. */
const LEAST_BYTES_PER_SECOND = 2e6;
const COMPARED: readonly CaseName[] = ['a', 'b', 'c', 'd', 'e', 'f'];

interface InTurns {
  readonly world: BenchWorld;
  readonly options: BenchOptions;
  readonly recorder: Recorder;
}

/** All that is compared with each other, interleaved, so that each meets the same machine. Returns the bulk bytes of the table; null if nothing was asked for. */
export async function inTurns({ world, options, recorder }: InTurns): Promise<number | null> {
  if (!COMPARED.some((name) => options.only.has(name))) return null;
  const bodies = await recordBodies(world);
  try {
    const table = { rows: options.rows, bytes: await bodies.bytes() };
    for (let turn = 1; turn <= options.rounds; turn++) {
      say(`round ${turn} of ${options.rounds}`);
      await recorder.attempt(`round ${turn}`, () => round({ world, options, recorder }, table, bodies));
    }
    return table.bytes;
  } finally {
    bodies.close();
  }
}

async function round({ world, options: { only }, recorder }: InTurns, table: TableSize, bodies: BulkProxy): Promise<void> {
  const take = async (named: ReturnType<typeof rebuild>): Promise<void> => recorder.take(await named);
  const request = { world, rows: table.rows, bodies, mapping: PRODUCT_MAPPING };
  let half = LEAST_BYTES_PER_SECOND;
  if (only.has('a') || only.has('b')) {
    const limit = await sinkLimit(request);
    half = Math.max(half, (limit[0]?.[1].mbPerSecond ?? 0) * 5e5);
    if (only.has('a')) recorder.take(limit);
  }
  if (only.has('a')) await take(throttledLimit(request, half));
  if (only.has('b')) await take(rebuild(world, table));
  if (only.has('b')) await take(throttledRebuild(world, table, half));
  if (only.has('c')) await take(rival(world, 'script', table, PRODUCT_MAPPING));
  if (only.has('d')) await take(rival(world, 'offset', table, PRODUCT_MAPPING));
  if (only.has('e')) for (const readers of [1, 2]) await take(nullSink(world, table, readers));
  if (only.has('e')) await take(nullSinkPair(world, table));
  if (only.has('f')) await take(copyDrain(world, table.rows));
}
