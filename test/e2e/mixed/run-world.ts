import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Failure } from '../../../src/core/failure.ts';
import type { IndexConfig } from '../../../src/core/plan/index-config.ts';
import { assertNoLeaks } from '../../support/leak-check.ts';
import { assertIndexEqualsTable } from '../../support/oracle.ts';
import { connect, deleteIndicesLike, elasticsearch, type FreshDatabase } from '../../support/servers.ts';
import { waitFor } from '../../support/wait-for.ts';
import { buildInProcess, type InProcessRun, uniqueAlias } from '../in-process.ts';
import { randomOf, type Writer } from '../writers.ts';
import { poisoned } from './change-sql.ts';
import { isDdl } from './ddl-sql.ts';
import type { World } from './draw-world.ts';
import { type Misfortune, misfortuneOf } from './misfortune.ts';
import { finish, startMixedWriter, transact } from './mixed-writer.ts';
import { tableSql } from './table-sql.ts';

/** Each crash and each stop that is right takes one. */
const MOST_RUNS = 6;

/** Makes the world's table, builds it while the writers write and things go wrong, and compares the index with the table. */
export async function runWorld(database: FreshDatabase, world: World): Promise<void> {
  const alias = uniqueAlias();
  await database.client.query(tableSql(world));
  const misfortune = misfortuneOf(database, world);
  const slow = world.longTransaction ? longTransaction(database) : Promise.resolve();
  slow.catch(() => {});
  const writers = Array.from({ length: world.writers }, (_, n) => startMixedWriter(database.url, world, randomOf(world.seed * 8 + n)));
  const quiet = async (): Promise<void> => {
    await Promise.all([slow, misfortune.quiet(), ...writers.map((writer) => writer.stop())]);
  };
  try {
    const run = await build({ database, world, alias, misfortune, quiet });
    await checkIndex(database, world, run);
    const allowedIndices = [run.result.index, run.result.previous ?? ''];
    // A build that could not be finished leaves its index for inspection.
    const abandoned = [...misfortune.happened].some((what) => what === 'truncate' || isDdl(what));
    await assertNoLeaks({ database, indices: abandoned ? [] : [`${alias}*`], allowedIndices });
    assert.ok((await commits(writers)) > 10, 'hardly anything was written');
  } finally {
    await Promise.allSettled([quiet()]);
    await deleteIndicesLike(`${alias}*`);
  }
}

interface Plan {
  readonly database: FreshDatabase;
  readonly world: World;
  readonly alias: string;
  readonly misfortune: Misfortune;
  /** Ends everything that writes. */
  readonly quiet: () => Promise<void>;
}

/** The same command again, as an operator would, until it is through; with --fresh where the failure says so. */
async function build({ database, world, alias, misfortune, quiet }: Plan): Promise<InProcessRun> {
  let fresh = false;
  for (let runs = 1; ; runs++) {
    try {
      return await buildInProcess({
        database,
        alias,
        table: 'public.t',
        config: configOf(world),
        options: { ...world.options, fresh },
        failpoint: misfortune.failpoint,
        wrapSource: misfortune.wrapSource,
        // They write up to the swap; the drain behind it must bring the rest.
        wrapSink: (sink) => ({
          ...misfortune.wrapSink(sink),
          swap: async (request) => {
            const outcome = await sink.swap(request);
            await quiet();
            return outcome;
          },
        }),
      });
    } catch (error) {
      if (runs === MOST_RUNS || !mayRunAgain(error, world, misfortune)) throw error;
      fresh = error instanceof Failure && (error.hint ?? '').includes('--fresh');
    }
  }
}

/** What the exit code tells an operator to type: the same command again. */
function mayRunAgain(error: unknown, world: World, misfortune: Misfortune): boolean {
  const crashed = misfortune.takeCrash();
  if (!(error instanceof Failure)) return false;
  // With a crash in one run: it ends for whichever it meets first.
  if (error.kind === 'source-changed' && [...misfortune.happened].some(isDdl)) return true;
  if (crashed || !misfortune.happened.has('truncate')) return crashed && error.kind === 'interrupted';
  // Its snapshot cannot be read any more (75); or the files of a partitioned table have changed before the stream says why (24).
  return error.kind === 'stalled' || (error.kind === 'source-changed' && world.shape !== 'plain');
}

function configOf({ where, computed, rename, exclude, idHash }: World): Partial<IndexConfig> {
  return { where, computed, rename, idHash, columns: { include: '*', exclude }, onNonFinite: 'null', fields: { code: { type: 'date' } } };
}

async function checkIndex(database: FreshDatabase, world: World, { result }: InProcessRun): Promise<void> {
  const { client } = database;
  const where = world.where ?? 'true';
  const { exclude, rename, computed } = world;
  assert.equal(result.verify?.differenceCount ?? 0, 0);
  const expected = { where: `(${where}) and not ${poisoned(world)}`, exclude, rename, computed, idOf, onNonFinite: 'null' } as const;
  await assertIndexEqualsTable({ client, table: 't', index: result.index, ...expected });
  const { rows } = await client.query<{ count: number }>(`select count(*)::int as count from t where (${where}) and ${poisoned(world)}`);
  const { json } = await elasticsearch('GET', `/${result.index}/_mapping`);
  assert.equal(json[result.index].mappings._meta.realign.rejectedIds.length, rows[0]?.count, 'rejected rows');
}

/** Longer ones are among the poisoned rows, or hashed. */
function idOf(key: readonly string[]): string {
  const id = key.length === 1 ? (key[0] ?? '') : key.map((part) => part.replace(/[\\:]/g, String.raw`\$&`)).join(':');
  return Buffer.byteLength(id) > 512 ? `sha256:${createHash('sha256').update(id).digest('hex')}` : id;
}

async function commits(writers: readonly Writer[]): Promise<number> {
  return (await Promise.all(writers.map((writer) => writer.stop()))).reduce((sum, count) => sum + count, 0);
}

const SLOT_WAITS = 'select from pg_replication_slots where database = current_database() and confirmed_flush_lsn is null';

/** Two transactions that the slot's creation waits for; the second one begins while it waits, and commits after changes of its own. */
async function longTransaction(database: FreshDatabase): Promise<void> {
  const [first, second, watcher] = [await connect(database.url), await connect(database.url), await connect(database.url)];
  const waiting = (): Promise<boolean> =>
    waitFor('the slot to be waiting', async () => ((await watcher.query(SLOT_WAITS)).rowCount ?? 0) > 0, 60_000);
  const overlapping = ['update t set n = n + 1 where n % 10 = 7', 'select pg_sleep(0.05)', 'delete from t where n % 100 = 7'];
  try {
    await first.query('begin');
    await first.query('select pg_current_xact_id()');
    await waiting();
    await Promise.all([transact(second, overlapping), finish(first, ['update t set n = n + 1 where n % 10 = 3 and n > 500'])]);
  } finally {
    await Promise.all([first, second, watcher].map((client) => client.end()));
  }
}
