import { spawn } from 'node:child_process';
import { chownSync, cpSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { connect, uniqueName } from './servers.ts';
import { waitFor } from './wait-for.ts';

const PROJECT = join(import.meta.dirname, '..', '..', '..');

/** Settings as `scripts/services` takes them: `PG_SETTINGS`, `ES_SETTINGS`, `ES_NODES`, `PG_VERSION`, … */
export type ServerSettings = { readonly [name: string]: string };

interface State {
  readonly postgres: { readonly pid: number; readonly url: string };
  readonly elasticsearch: { readonly pids: readonly number[]; readonly url: string; readonly urls: readonly string[] };
  readonly processes: readonly ServerProcess[];
}

interface ServerProcess {
  readonly kind: string;
  readonly pid: number;
  readonly launch: {
    readonly command: string;
    readonly args: readonly string[];
    readonly place: { readonly cwd: string; readonly user: { readonly uid: number; readonly gid: number } | null };
  };
}

type CopyKind = 'standby' | 'recovering' | 'image';

/** A second PostgreSQL on a copy of the first one's files. */
export interface CopiedPostgres {
  /** The same database on it. */
  through(url: string): string;
  stop(): Promise<void>;
}

/** A PostgreSQL and an Elasticsearch of a test's own, to be killed, stopped and started again. While they are open they are the test's servers. */
export interface OwnServers {
  readonly databaseUrl: string;
  /** Of each node. */
  readonly nodes: readonly string[];
  readonly state: () => State;
  /** SIGQUIT, PostgreSQL's "immediate" shutdown: no checkpoint, recovery at the next start. */
  stopPostgresNow(): Promise<void>;
  killElasticsearch(node?: number): Promise<void>;
  /** Stops (SIGSTOP) or continues (SIGCONT) one process. */
  signal(pid: number, signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void;
  /** Starts what is down and waits until both answer. */
  revive(): Promise<void>;
  /**
   * Stops PostgreSQL for a moment and starts another one on a copy of its files. `standby`: without slots, as a base backup has none, and promoted: a failover; `recovering`
   * is the same, not yet promoted. `image`: with them, on the same timeline: a restored disk image.
   */
  copyPostgres(kind: CopyKind): Promise<CopiedPostgres>;
  down(): Promise<void>;
}

function services(command: string, env: ServerSettings): Promise<void> {
  const child = spawn(join(PROJECT, 'scripts', 'services'), [command], { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (chunk) => (stderr += chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`scripts/services ${command}: ${stderr.slice(-2000)}`))));
  });
}

function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

function giveTo(user: { readonly uid: number; readonly gid: number } | null, path: string): void {
  if (user === null) return;
  chownSync(path, user.uid, user.gid);
  if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) giveTo(user, join(path, name));
}

/** Copies the files of a stopped server beside them. */
function copyFiles({ launch }: ServerProcess, kind: CopyKind): { readonly folder: string; readonly cluster: string } {
  const folder = mkdtempSync(join(launch.place.cwd, 'copy-'));
  const cluster = join(folder, 'cluster');
  cpSync(join(launch.place.cwd, 'cluster'), cluster, { recursive: true });
  rmSync(join(cluster, 'postmaster.pid'), { force: true });
  if (kind !== 'image') {
    for (const slot of readdirSync(join(cluster, 'pg_replslot'))) rmSync(join(cluster, 'pg_replslot', slot), { recursive: true });
    writeFileSync(join(cluster, 'standby.signal'), '');
  }
  giveTo(launch.place.user, folder);
  return { folder, cluster };
}

async function startCopy(original: ServerProcess, kind: CopyKind): Promise<CopiedPostgres> {
  const { folder, cluster } = copyFiles(original, kind);
  const { command, args, place } = original.launch;
  const port = await freePort();
  const changed = args.map((word, at) => (args[at - 1] === '-D' ? cluster : /^port=/.test(word) ? `port=${port}` : word));
  const owner = place.user === null ? {} : { uid: place.user.uid, gid: place.user.gid };
  const child = spawn(command, changed, { cwd: folder, stdio: 'ignore', ...owner });
  return {
    through: (url) => {
      const other = new URL(url);
      other.port = String(port);
      return other.href;
    },
    stop: async () => {
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGQUIT');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

async function answers(url: string): Promise<boolean> {
  try {
    const { status } = await fetch(`${url}/_cluster/health?wait_for_status=yellow&timeout=1s`);
    return status === 200;
  } catch {
    return false;
  }
}

/** Why a shard is not placed, if one is not. */
async function explain(url: string): Promise<string> {
  try {
    return (await (await fetch(`${url}/_cluster/allocation/explain`)).text()).slice(0, 2000);
  } catch (error) {
    return String(error);
  }
}

async function postgresAnswers(url: string): Promise<boolean> {
  try {
    const client = await connect(url);
    await client.end();
    return true;
  } catch {
    return false;
  }
}

async function promote(url: string): Promise<void> {
  const client = await connect(url);
  await client.query('select pg_promote(true, 60)');
  await client.end();
}

/** Starts them; `DATABASE_URL` and `ELASTICSEARCH_URL` name them until `down`, so that all of `test/support` works on them. */
export async function ownServers(settings: ServerSettings = {}): Promise<OwnServers> {
  const instance = { INSTANCE: uniqueName('own').replace('_', '-'), PG_PORT: '0', ES_PORT: '0', ES_HEAP: '512m', SERVICES: 'local', ...settings };
  const before = { DATABASE_URL: process.env.DATABASE_URL, ELASTICSEARCH_URL: process.env.ELASTICSEARCH_URL };
  await services('up', instance);
  const state = (): State => JSON.parse(readFileSync(join(PROJECT, '.services', 'instances', instance.INSTANCE, 'state.json'), 'utf8')) as State;
  const { postgres, elasticsearch } = state();
  Object.assign(process.env, { DATABASE_URL: postgres.url, ELASTICSEARCH_URL: elasticsearch.url });
  const gone = (pid: number): Promise<boolean> => waitFor(`process ${pid} to end`, () => !isAlive(pid));
  const end = async (pid: number, signal: NodeJS.Signals): Promise<void> => {
    process.kill(pid, signal);
    await gone(pid);
  };
  const stopPostgresNow = (): Promise<void> => end(state().postgres.pid, 'SIGQUIT');
  const revive = async (): Promise<void> => {
    await services('revive', instance);
    await waitFor('PostgreSQL to answer again', () => postgresAnswers(postgres.url), 120_000);
    await waitFor('Elasticsearch to answer again', () => answers(elasticsearch.url), 300_000).catch(async (error: Error) => {
      throw new Error(`${error.message}: ${await explain(elasticsearch.url)}`);
    });
  };
  const copyPostgres = async (kind: CopyKind): Promise<CopiedPostgres> => {
    const original = state().processes.find((one) => one.kind === 'postgres');
    if (original === undefined) throw new Error('no PostgreSQL runs');
    await stopPostgresNow();
    const copy = await startCopy(original, kind);
    await revive();
    const url = copy.through(postgres.url);
    await waitFor('the copy to answer', () => postgresAnswers(url), 60_000);
    if (kind === 'standby') await promote(url);
    return copy;
  };
  return {
    databaseUrl: postgres.url,
    nodes: elasticsearch.urls,
    state,
    stopPostgresNow,
    copyPostgres,
    killElasticsearch: (node = 0) => end(state().elasticsearch.pids[node] ?? 0, 'SIGKILL'),
    signal: (pid, signal) => void process.kill(pid, signal),
    revive,
    down: async () => {
      Object.assign(process.env, before);
      await services('down', instance);
    },
  };
}
