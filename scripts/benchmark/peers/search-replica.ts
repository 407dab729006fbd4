import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connect, elasticsearch } from '../../../test/support/servers.ts';
import type { BenchWorld } from '../bench-world.ts';
import { startBulkProxy } from '../bulk-proxy.ts';
import { type NamedFigures, perRow, type TableSize } from '../cases.ts';
import { type MeasuredChild, startMeasured } from '../measured-child.ts';
import type { PhaseFigures } from '../measured-rebuild.ts';
import { PRODUCT_MAPPING } from '../products.ts';
import { LINES } from '../targets.ts';
import { freePort } from './free-port.ts';
import type { Peers } from './install.ts';
import { UPDATES, updateProducts } from './peer-changes.ts';
import { makePeerIndex, requireDocuments } from './peer-index.ts';

const INDEX = 'realign-bench-search-replica';
/** Its slot, its publication and its role. */
const NAME = 'realign_bench_search_replica';
/** Not that of another peer, which changed the same rows before. */
const CHANGED = 2_000_000;
/** It writes a numeric as an object of digits and exponent, and adds a field of its own, which a strict mapping would refuse. */
const MAPPING = { dynamic: false, properties: { ...PRODUCT_MAPPING.properties, price: { type: 'object', enabled: false } } };
/** Each look costs it a query; what it takes to see the end is at most so much of a run. */
const LOOK_MS = 100;
/** It goes on for ever behind some of its errors. */
const STALLED_MS = 60_000;

interface Tool {
  readonly world: BenchWorld;
  readonly program: string;
  readonly port: number;
  readonly env: { readonly [name: string]: string };
  readonly logFile: string;
}

/**
 * (p) search-replica: its reindexing of the whole table, then a run on the same slot over updates in transactions of ten. Each figure is of the whole command; it is a service,
 * so it is told to end when it has read its last document, and by that writes at once what it has, whereas it would wait for more first.
 */
export async function searchReplica(
  world: BenchWorld,
  { folder, program }: Pick<Peers, 'folder'> & { readonly program: string },
  { rows, bytes }: TableSize,
): Promise<NamedFigures> {
  // At its start it stores two scripts, which documents of one plain table never call.
  const proxy = await startBulkProxy({ target: world.elasticsearchUrl, mode: 'pass', bytesPerSecond: 0, takesScripts: true });
  try {
    // The name of its index is that of the database.
    await makePeerIndex(INDEX, MAPPING, world.shards, databaseOf(world));
    await prepareSource(world);
    const port = await freePort();
    const tool = { world, program, port, env: environment(world, proxy.url, port), logFile: join(folder, 'search-replica.log') };
    const load = await runUntil(tool, ['-reindex'], rows);
    await requireDocuments(INDEX, rows, '*');
    const changed = Math.min(UPDATES, rows);
    await updateProducts(world, changed, CHANGED);
    const changes = await runUntil(tool, [], changed);
    await requireDocuments(INDEX, changed, `category_id:${CHANGED}`);
    return [
      [LINES.searchReplicaLoad, perRow(rows, load, bytes)],
      [LINES.searchReplicaChanges, perRow(changed, changes, 0)],
    ];
  } finally {
    proxy.close();
    await dropFromSource(world);
    await elasticsearch('DELETE', `/${INDEX}`);
  }
}

function databaseOf({ databaseUrl }: BenchWorld): string {
  return new URL(databaseUrl).pathname.slice(1);
}

/** Larger bulks than its own and no pause between them: with its defaults, 4 MB at most twice a second, it is slower. */
function environment(world: BenchWorld, elasticsearchUrl: string, port: number): Tool['env'] {
  const url = new URL(world.databaseUrl);
  return {
    ...{ PGHOST: url.hostname, PGPORT: url.port, PGDATABASE: databaseOf(world), PGUSER: NAME, PGPASSWORD: NAME },
    ...{ PG_SLOT: NAME, PG_PUBLICATION: NAME, SEARCH_HOST: elasticsearchUrl },
    ...{ SEARCH_PUSH_THROTTLE: '1ms', SEARCH_BULK_SIZE: '8', ADDR: `127.0.0.1:${port}` },
  };
}

/** Runs it until it has read and written so many documents. */
async function runUntil(tool: Tool, flags: readonly string[], documents: number): Promise<PhaseFigures> {
  // Beside its errors it prints the whole schema.
  const log = openSync(tool.logFile, 'w');
  const run = startMeasured(tool.world, { command: tool.program, args: flags, env: tool.env, errors: log });
  closeSync(log);
  let forced: NodeJS.Timeout | undefined;
  try {
    await untilRead(tool, run, documents);
    run.child.kill('SIGTERM');
    forced = setTimeout(() => run.child.kill('SIGKILL'), STALLED_MS);
    await run.ended;
    return run.figures();
  } catch (error) {
    const lastLines = readFileSync(tool.logFile, 'utf8').slice(-1000);
    throw new Error(`search-replica: ${error instanceof Error ? error.message : error}; its last lines:\n${lastLines}`, { cause: error });
  } finally {
    clearTimeout(forced);
    run.child.kill('SIGKILL');
  }
}

async function untilRead({ port }: Tool, { child }: MeasuredChild, documents: number): Promise<void> {
  let [read, since] = [0, performance.now()];
  while (read < documents) {
    await pause(LOOK_MS);
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) throw new Error('it ended by itself');
    const now = await documentsRead(port);
    if (now > read) [read, since] = [now, performance.now()];
    if (performance.now() - since > STALLED_MS) throw new Error(`it stopped at ${read} documents of ${documents}`);
  }
}

/** By its own count; none while it does not listen yet. */
async function documentsRead(port: number): Promise<number> {
  const text = await fetch(`http://127.0.0.1:${port}/metrics`).then(
    (answer) => answer.text(),
    () => '',
  );
  return Number(/^search_doc_operations (\S+)$/m.exec(text)?.[1] ?? 0);
}

/**
 * What it replicates is said by a publication and by comments. PostgreSQL 17 exports a slot's snapshot only to a read-only transaction, which it does not ask for: its role has
 * such ones by default.
 */
async function prepareSource(world: BenchWorld): Promise<void> {
  await dropFromSource(world);
  const client = await connect(world.databaseUrl);
  await client.query(`create role ${NAME} superuser login password '${NAME}'`);
  await client.query(`alter role ${NAME} set default_transaction_read_only = on`);
  await client.query(`comment on table products is 'index:"products,all"'`);
  await client.query(`comment on column products.id is 'index:",id"'`);
  await client.query(`create publication ${NAME} for table products`);
  await client.end();
}

async function dropFromSource(world: BenchWorld): Promise<void> {
  const client = await connect(world.databaseUrl);
  const slot = `from pg_replication_slots where slot_name = '${NAME}'`;
  await client.query(`select pg_terminate_backend(active_pid, 5000) ${slot} and active`);
  await client.query(`select pg_drop_replication_slot(slot_name) ${slot}`);
  await client.query(`drop publication if exists ${NAME}`);
  await client.query('comment on table products is null');
  await client.query('comment on column products.id is null');
  await client.query(`drop role if exists ${NAME}`);
  await client.end();
}
