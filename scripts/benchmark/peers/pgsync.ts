import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, elasticsearch } from '../../../test/support/servers.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import type { BenchWorld } from '../bench-world.ts';
import { type NamedFigures, perRow, type TableSize } from '../cases.ts';
import { startMeasured } from '../measured-child.ts';
import { PRODUCT_MAPPING } from '../products.ts';
import { LINES } from '../targets.ts';
import { freePort } from './free-port.ts';
import type { Peers } from './install.ts';
import { UPDATES, updateProducts } from './peer-changes.ts';
import { makePeerIndex, requireDocuments } from './peer-index.ts';

const INDEX = 'realign-bench-pgsync';
/** A category that no row has before. */
const CHANGED = 1_000_000;
/** It adds a field of its own, which a strict mapping would refuse with the whole document. */
const MAPPING = { ...PRODUCT_MAPPING, dynamic: false };

/**
 * (p) pgsync: its run over the whole table, then one over updates in transactions of ten. Each figure is of the whole command, as it is called, with its start; its redis
 * is in the same account.
 */
export async function pgsync(world: BenchWorld, peers: Peers, { rows, bytes }: TableSize): Promise<NamedFigures> {
  const folder = join(peers.folder, 'pgsync');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const redisPort = await freePort();
  const redis = await startRedis(peers, folder, redisPort);
  const tool = toolOf({ world, peers, folder, redisPort, redis });
  try {
    await makePeerIndex(INDEX, MAPPING, world.shards);
    tool.bootstrap();
    const load = await tool.run();
    await requireDocuments(INDEX, rows, '*');
    const changed = Math.min(UPDATES, rows);
    await updateProducts(world, changed, CHANGED);
    const changes = await tool.run();
    await requireDocuments(INDEX, changed, `category_id:${CHANGED}`);
    return [
      [LINES.pgsyncLoad, perRow(rows, load, bytes)],
      [LINES.pgsyncChanges, perRow(changed, changes, 0)],
    ];
  } finally {
    tool.teardown();
    redis.kill();
    await dropWhatIsLeft(world);
    await elasticsearch('DELETE', `/${INDEX}`);
  }
}

interface Tool {
  readonly world: BenchWorld;
  readonly peers: Peers;
  readonly folder: string;
  readonly redisPort: number;
  readonly redis: ChildProcess;
}

function toolOf({ world, peers, folder, redisPort, redis }: Tool) {
  const schema = join(folder, 'schema.json');
  const url = new URL(world.databaseUrl);
  const database = url.pathname.slice(1);
  writeFileSync(schema, JSON.stringify([{ database, index: INDEX, nodes: { table: 'products', columns: Object.keys(PRODUCT_MAPPING.properties) } }]));
  const elasticsearch = new URL(world.elasticsearchUrl);
  const env = {
    ...{ PG_USER: url.username, PG_PASSWORD: url.password, PG_HOST: url.hostname, PG_PORT: url.port },
    ...{ ELASTICSEARCH_SCHEME: 'http', ELASTICSEARCH_HOST: elasticsearch.hostname, ELASTICSEARCH_PORT: elasticsearch.port },
    // Its own is ten seconds, which a chunk of 5,000 documents may need on a busy machine.
    ELASTICSEARCH_TIMEOUT: '120',
    ...{ REDIS_HOST: '127.0.0.1', REDIS_PORT: String(redisPort) },
  };
  const bootstrap = (...flags: readonly string[]): void => {
    const { status, stderr } = spawnSync(join(peers.pgsyncBin, 'bootstrap'), ['--config', schema, ...flags], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env.PATH ?? '', ...env },
    });
    if (status !== 0) throw new Error(`pgsync's bootstrap ended with ${status}: ${stderr.slice(-2000)}`);
  };
  return {
    bootstrap,
    teardown: () => bootstrap('--teardown'),
    run: async () => {
      const command = { command: join(peers.pgsyncBin, 'pgsync'), args: ['--config', schema], env, cwd: folder };
      const run = startMeasured(world, command, { tool: redis.pid === undefined ? [] : [redis.pid] });
      await run.ended;
      return run.figures();
    },
  };
}

async function startRedis({ redis }: Peers, folder: string, port: number): Promise<ChildProcess> {
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
  const child = spawn(redis.command, args, { stdio: 'ignore', env: { PATH: process.env.PATH ?? '', ...redis.env } });
  let ended = false;
  child.once('exit', () => {
    ended = true;
  });
  child.once('error', () => {
    ended = true;
  });
  await waitFor('redis answers', async () => {
    if (ended) throw new Error(`${redis.command} did not start`);
    return isOpen(port);
  });
  return child;
}

async function isOpen(port: number): Promise<boolean> {
  const { connect: open } = await import('node:net');
  return new Promise((resolve) => {
    const socket = open(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** What its teardown leaves if it was killed. */
async function dropWhatIsLeft(world: BenchWorld): Promise<void> {
  const client = await connect(world.databaseUrl);
  await client.query('select pg_drop_replication_slot(slot_name) from pg_replication_slots where database = current_database() and not active');
  await client.end();
}
