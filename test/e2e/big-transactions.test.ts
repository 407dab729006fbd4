import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Source } from '../../src/phases/ports.ts';
import { assertNoLeaks } from '../support/leak-check.ts';
import { assertIndexEqualsTable } from '../support/oracle.ts';
import { type RealignExit, startRealign } from '../support/run-realign.ts';
import { deleteIndicesLike, elasticsearch, type FreshDatabase, freshDatabase } from '../support/servers.ts';
import { waitFor } from '../support/wait-for.ts';
import { interceptBulks, type SentOperation } from './bulk-inspection.ts';
import { buildInProcess, uniqueAlias } from './in-process.ts';
import { wrapChunk } from './wrapped.ts';

/** `BIG_ROWS=1000000` is the size of the promise; the default keeps the suite short. */
const ROWS = Number(process.env.BIG_ROWS ?? 60_000);
/** The load lasts long enough for the transaction to commit and to be applied beside it. */
const LOAD_SECONDS = ROWS > 500_000 ? 150 : 10;
const HEAP_MB = 256;
/** Heap, and what lies outside of it: node itself, the bodies of the bulks, socket buffers. The same for every size. */
const RSS_LIMIT_MB = 512;
/** The oracle holds both sides in memory. */
const ORACLE_ROWS = 100_000;

let database: FreshDatabase;
let folder: string;

before(async () => {
  database = await freshDatabase();
  folder = mkdtempSync(join(tmpdir(), 'realign-big-'));
  await database.client.query(`alter database ${database.name} set wal_sender_timeout = '3s'`);
});

after(async () => {
  rmSync(folder, { recursive: true });
  await database.drop();
});

const SCHEMA = 'drop table if exists big; create table big (id int primary key, n int, h int, body text)';
const SEED = `insert into big select g, 0, 0, repeat(md5(g::text), 4) from generate_series(1, $1) g`;

/** Every row updated, then every second one deleted, in one transaction: most keys come in several parts of it. */
async function writeBigTransaction(): Promise<void> {
  const { client } = database;
  await client.query('begin');
  await client.query(`update big set n = n + 1, h = hashtext(id || ' ' || n) & 2147483647`);
  await client.query('delete from big where id % 2 = 0');
  await client.query('commit');
}

interface Sums {
  readonly count: string;
  readonly id: string;
  readonly n: string;
  readonly h: string;
}

async function tableSums(): Promise<Sums> {
  const { rows } = await database.client.query<Sums>(
    'select count(*)::text as count, sum(id)::text as id, sum(n)::text as n, sum(h)::text as h from big',
  );
  return rows[0] as Sums;
}

/** Sums of doubles, exact here: they stay below 2^53. */
async function indexSums(index: string): Promise<Sums> {
  await elasticsearch('POST', `/${index}/_refresh`);
  const aggs = Object.fromEntries(['id', 'n', 'h'].map((field) => [field, { sum: { field } }]));
  const { json } = await elasticsearch('POST', `/${index}/_search?allow_partial_search_results=false`, { size: 0, track_total_hits: true, aggs });
  const { id, n, h } = json.aggregations;
  return { count: String(json.hits.total.value), id: String(id.value), n: String(n.value), h: String(h.value) };
}

async function rebuildUnderBigTransaction(alias: string, peakFile: string): Promise<RealignExit> {
  const run = startRealign({
    args: ['rebuild', alias, '--rate', String(Math.ceil(ROWS / LOAD_SECONDS)), '--swap-when', 'yellow'],
    config: { indices: { [alias]: { table: 'public.big' } } },
    databaseUrl: database.url,
    env: {
      NODE_OPTIONS: `--max-old-space-size=${HEAP_MB} --import=${pathToFileURL(join(import.meta.dirname, '..', 'support', 'peak-rss.js')).href}`,
      PEAK_RSS_FILE: peakFile,
    },
  });
  const isLoad = (type: string) => (event: { readonly type: string; readonly phase?: unknown }) => event.type === type && event.phase === 'load';
  await run.event('the load', isLoad('phase.started'));
  await writeBigTransaction();
  assert.equal(run.events.some(isLoad('phase.finished')), false, 'the transaction committed during the load');
  return run.ended;
}

test(`one transaction of ${ROWS} updates and ${ROWS / 2} deletes during the load, with ${HEAP_MB} MB of heap and wal_sender_timeout=3s`, async (t) => {
  await database.client.query(SCHEMA);
  await database.client.query(SEED, [ROWS]);
  const alias = uniqueAlias();
  const peakFile = join(folder, 'peak');
  try {
    const exit = await rebuildUnderBigTransaction(alias, peakFile);
    assert.equal(exit.code, 0, exit.stderr.slice(-2000));
    assert.deepEqual(
      exit.events.filter(({ type, operation }) => type === 'retry' && operation === 'stream'),
      [],
      'the connection was never lost',
    );
    const peakMb = Math.round(Number(readFileSync(peakFile, 'utf8')) / 1024);
    t.diagnostic(`peak RSS ${peakMb} MB`);
    assert.ok(peakMb < RSS_LIMIT_MB, `peak RSS ${peakMb} MB`);
    const index = String(exit.events.findLast(({ type }) => type === 'swap')?.to);
    assert.deepEqual(await indexSums(alias), await tableSums());
    if (ROWS <= ORACLE_ROWS) await assertIndexEqualsTable({ client: database.client, table: 'public.big', index });
    await assertNoLeaks({ database, indices: [`${alias}*`], allowedIndices: [index] });
  } finally {
    await deleteIndicesLike(`${alias}*`);
  }
});

/** Holds the first chunk, read before the transaction, until the replay has stopped applying deletes. */
function holdFirstChunk(source: Source, deletes: () => number): Source {
  let first: Promise<void> | null = null;
  const settled = async (): Promise<void> => {
    let before = -1;
    const stopped = (): boolean => {
      const same = deletes() === before;
      before = deletes();
      return same && before > 1200;
    };
    await waitFor('the replay to stop', stopped, 120_000, 300);
  };
  return {
    ...source,
    openChunk: async (request) => {
      const reader = await source.openChunk(request);
      if (first !== null) return reader;
      first = writeBigTransaction();
      await first;
      const held = async function* (): AsyncGenerator<Buffer> {
        await settled();
        yield* reader.chunks();
      };
      return wrapChunk(reader, { chunks: held });
    },
  };
}

test('more deletes than may be remembered wait for the chunks in flight; then all can be forgotten, and the index equals the table', async () => {
  await database.client.query(SCHEMA);
  await database.client.query(SEED, [6000]);
  const alias = uniqueAlias();
  let deletes = 0;
  let atRelease = 0;
  const count = async (operations: readonly SentOperation[]): Promise<void> => {
    deletes += operations.filter(({ kind }) => kind === 'delete').length;
  };
  try {
    const run = await buildInProcess({
      database,
      alias,
      table: 'public.big',
      options: { transactionBytes: 1 << 15, chunkBlocks: 16 },
      wrapSink: (sink) => interceptBulks(sink, { after: count }),
      wrapSource: (source) => holdFirstChunk(source, () => (atRelease = deletes)),
    });
    assert.ok(atRelease < 2400, `${atRelease} deletes were applied while a chunk that did not see them was in flight`);
    assert.ok(deletes >= 3000);
    await assertIndexEqualsTable({ client: database.client, table: 'public.big', index: run.result.index });
    await assertNoLeaks({ database, indices: [`${alias}*`], allowedIndices: [run.result.index] });
  } finally {
    await deleteIndicesLike(`${alias}*`);
  }
});
