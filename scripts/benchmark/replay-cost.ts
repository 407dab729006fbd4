import { withSides } from '../../test/e2e/in-process.ts';
import { listenForFailpoints, never } from '../../test/support/failpoints.ts';
import type { RealignRun } from '../../test/support/run-realign.ts';
import { connect } from '../../test/support/servers.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { BenchWorld } from './bench-world.ts';
import { startBulkProxy } from './bulk-proxy.ts';
import { type NamedFigures, perRow } from './cases.ts';
import { changesMade, makeChanges } from './changes.ts';
import { type Cpu, cpuBetween, peakRssMb, readCpu } from './cpu.ts';
import { drainDecoded, drainRaw } from './drain.ts';
import type { Figures } from './figures.ts';
import { ALIAS, discardBuilds, type PhaseFigures, phaseEvent, type RebuildRequest, startRebuild } from './measured-rebuild.ts';

export const TRANSACTION_SIZES: readonly number[] = [1, 10, 1000];
const CONNECTIONS = 3;
const DEADLINE_MS = 600_000;

interface ReplayBench {
  readonly world: BenchWorld;
  /** Of the table: as `makeChanges` needs them. */
  readonly rows: number;
  readonly changes: number;
  /** Rows changed in one transaction. */
  readonly sizes: readonly number[];
  readonly rounds: number;
  readonly take: (named: NamedFigures) => void;
}

/**
 * (g) a build that was killed behind its load, then for each size of transactions: changes while nobody reads, the slot's stream drained twice without acknowledging, and
 * the resumed build's catch-up over the same changes, killed again when it has applied them; then as many changes more, of which the bulks are recorded and sent alone.
 */
export async function replayCost(bench: ReplayBench): Promise<void> {
  const { world, take } = bench;
  const slot = await beginBuild(world);
  let turn = 0;
  try {
    for (const perTransaction of inRounds(bench)) {
      const changed = await change(bench, perTransaction, turn++);
      take(await drains(bench, slot, changed.title));
      take([[`(g) apply, ${changed.title}`, perRow(changed.changes, await measuredApply({ world, flags: [] }), changed.bytes)]]);
      take(await sinkLimitOfChanges(bench, perTransaction, turn++));
    }
  } finally {
    await discardBuilds(world);
  }
}

/** The sizes in turns. */
function inRounds({ sizes, rounds }: ReplayBench): readonly number[] {
  return Array.from({ length: rounds }, () => sizes).flat();
}

interface Changed {
  readonly title: string;
  readonly changes: number;
  /** Of WAL. */
  readonly bytes: number;
}

async function change({ world, rows, changes }: ReplayBench, perTransaction: number, turn: number): Promise<Changed> {
  const client = await connect(world.databaseUrl);
  const position = async (): Promise<string> =>
    (await client.query<{ lsn: string }>('select pg_current_wal_insert_lsn()::text as lsn')).rows[0]?.lsn ?? '';
  const before = await position();
  await makeChanges(client, { rows, changes, perTransaction, turn });
  const { rows: sizes } = await client.query<{ bytes: string }>('select pg_wal_lsn_diff($1, $2)::text as bytes', [await position(), before]);
  await client.end();
  return { title: `transactions of ${perTransaction}`, changes: changesMade(changes), bytes: Number(sizes[0]?.bytes) };
}

async function drains({ world, changes: asked }: ReplayBench, slot: string, title: string): Promise<NamedFigures> {
  const changes = changesMade(asked);
  const timed = async (name: string, drain: typeof drainRaw): Promise<readonly [string, Figures]> =>
    withSides({ url: world.databaseUrl }, async ({ source }) => {
      const before = readCpu(world.pids, { tool: [process.pid] });
      const startedAt = performance.now();
      await drain({ source, slot, changes });
      const seconds = (performance.now() - startedAt) / 1000;
      return [
        `(g) ${name}, ${title}`,
        perRow(changes, { ...cpuBetween(before, readCpu(world.pids, { tool: [process.pid] })), seconds, peakRssMb: 0 }, 0),
      ];
    });
  return [await timed('raw drain', drainRaw), await timed('decoding', drainDecoded)];
}

/** The first run, killed when it has caught up; the name of its slot. */
async function beginBuild(world: BenchWorld): Promise<string> {
  let slot = '';
  await killedWhenApplied({ world, flags: [] }, undefined, (run) => {
    slot = String(run.events.find((event) => event.type === 'build.started')?.slot ?? '');
  });
  return slot;
}

async function measuredApply(request: RebuildRequest): Promise<PhaseFigures> {
  const { sink, world } = request;
  const cpuOf = ({ pid }: RealignRun): Cpu => readCpu(world.pids, { tool: [pid], ...(sink === undefined ? {} : { sink }) });
  let began = { at: 0, cpu: readCpu(world.pids, {}) };
  let figures: PhaseFigures | null = null;
  const atStart = (run: RealignRun): void => {
    began = { at: performance.now(), cpu: cpuOf(run) };
  };
  await killedWhenApplied(request, atStart, (run) => {
    figures = { ...cpuBetween(began.cpu, cpuOf(run)), seconds: (performance.now() - began.at) / 1000, peakRssMb: peakRssMb(run.pid) };
  });
  if (figures === null) throw new Error('the build ended before it had caught up');
  return figures;
}

/** Runs the build up to the moment at which it has caught up, and kills it there once the slot has confirmed that. */
async function killedWhenApplied(
  request: RebuildRequest,
  atStart: (run: RealignRun) => void = () => {},
  atEnd: (run: RealignRun) => void = () => {},
): Promise<void> {
  const failpoints = await listenForFailpoints();
  const reached = new Promise<void>((resolve) => {
    failpoints.at('catchup.applied', () => {
      atEnd(run);
      resolve();
      return never;
    });
  });
  const run = startRebuild({ ...request, env: failpoints.env });
  const started = phaseEvent(run, 'phase.started', 'catchup').then(() => atStart(run));
  const early = run.ended.then(({ code, stderr }) => {
    throw new Error(`the rebuild ended with ${code}: ${stderr.slice(-500)}`);
  });
  await Promise.race([reached, early]);
  early.catch(() => undefined);
  await started;
  await confirmed(request.world);
  run.kill('SIGKILL');
  await run.ended;
  await failpoints.close();
}

/** Waits until the build's slot has confirmed everything there is: the next run must not get it again. */
async function confirmed(world: BenchWorld): Promise<void> {
  const client = await connect(world.databaseUrl);
  const { rows } = await client.query<{ lsn: string }>('select pg_current_wal_insert_lsn()::text as lsn');
  const isConfirmed = async (): Promise<boolean> => {
    const slots = await client.query("select from pg_replication_slots where slot_name like 'realign\\_%' and confirmed_flush_lsn >= $1::pg_lsn", [
      rows[0]?.lsn,
    ]);
    return slots.rowCount === 1;
  };
  await waitFor('the slot confirms what is applied', isConfirmed, DEADLINE_MS);
  await client.end();
}

/** What the sink can do with such operations: those of one more set of changes, recorded, then sent to the build's index. */
async function sinkLimitOfChanges(bench: ReplayBench, perTransaction: number, turn: number): Promise<NamedFigures> {
  const { world } = bench;
  const { changes, title } = await change(bench, perTransaction, turn);
  const proxy = await startBulkProxy({ target: world.elasticsearchUrl, mode: 'record', bytesPerSecond: 0 });
  const nullSink = await measuredApply({ world, flags: [], elasticsearchUrl: proxy.url, sink: proxy.pid });
  const before = readCpu(world.pids, {});
  const { bytes, seconds } = await proxy.replay(`/${await buildAlias(world)}/_bulk?filter_path=errors,items.*.status,items.*.error`, CONNECTIONS);
  const limit = { ...cpuBetween(before, readCpu(world.pids, {})), seconds, peakRssMb: 0 };
  proxy.close();
  return [
    [`(g) apply into a null sink, ${title}`, perRow(changes, nullSink, bytes)],
    [`(g) sink limit, recorded bodies, ${title}`, perRow(changes, limit, bytes)],
  ];
}

async function buildAlias(world: BenchWorld): Promise<string> {
  const answer = await fetch(`${world.elasticsearchUrl}/_cat/aliases/${ALIAS}-BUILD-*?h=alias&format=json&expand_wildcards=all`);
  const [first] = (await answer.json()) as readonly { readonly alias: string }[];
  if (first === undefined) throw new Error('the build has no alias');
  return first.alias;
}
