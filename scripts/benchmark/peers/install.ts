import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const FOLDER = join(import.meta.dirname, '..', '..', '..', '..', '.peers');
const PGSYNC = 'pgsync==7.3.0';
/** What Debian's redis-server needs beside the C library. */
const REDIS_PACKAGES = ['redis-server', 'redis-tools', 'libjemalloc2', 'liblua5.1-0', 'liblzf1'];
const SEARCH_REPLICA = 'https://github.com/pg2es/search-replica';
const SEARCH_REPLICA_COMMIT = '0f75b4d7d5d2476ce0d655469a0c4e3b7af3f764';
/** A repository that cannot be reached must not hold the benchmark up. */
const CLONE_TIMEOUT_MS = 600_000;

/** A program that `--peers` cannot do without is not on this machine. */
export class MissingClient extends Error {}

/** The other tools, ready to run. */
export interface Peers {
  /** Where `pgsync` and `bootstrap` are. */
  readonly pgsyncBin: string;
  readonly redis: { readonly command: string; readonly env: { readonly [name: string]: string } };
  /** The program; null where it could not be had. */
  readonly searchReplica: string | null;
  /** For their files. */
  readonly folder: string;
}

/** Installs what is missing into `.peers/`, by pip, apt-get, git and go; throws `MissingClient`, but not for search-replica, without which pgsync is measured alone. */
export function installPeers(say: (text: string) => void): Peers {
  mkdirSync(FOLDER, { recursive: true });
  return {
    folder: FOLDER,
    pgsyncBin: once('venv', say, installPgsync, 'bin'),
    redis: findRedis(say),
    searchReplica: findSearchReplica(say),
  };
}

/** What `SEARCH_REPLICA` names, the program or its source, or else what is built of its repository. */
function findSearchReplica(say: (text: string) => void): string | null {
  const given = process.env.SEARCH_REPLICA ?? '';
  try {
    return given === '' ? once('search-replica', say, installSearchReplica, 'search-replica') : givenSearchReplica(resolve(given), say);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    say(
      `(p) search-replica is left out: ${reason.trim()}\n  SEARCH_REPLICA=<the program, or a folder of its source> scripts/bench --peers measures it`,
    );
    return null;
  }
}

function givenSearchReplica(path: string, say: (text: string) => void): string {
  if (!statSync(path).isDirectory()) return path;
  say(`building search-replica of ${path} into .peers/`);
  const program = join(FOLDER, 'search-replica-given');
  buildSearchReplica(path, program);
  return program;
}

/** Of a clone: its go.mod replaces modules, which `go install` refuses. */
function installSearchReplica(folder: string): void {
  const source = join(folder, 'source');
  run('git', ['clone', '--quiet', SEARCH_REPLICA, source], { env: { ...process.env, GIT_TERMINAL_PROMPT: '0' }, timeout: CLONE_TIMEOUT_MS });
  run('git', ['checkout', '--quiet', SEARCH_REPLICA_COMMIT], { cwd: source });
  buildSearchReplica(source, join(folder, 'search-replica'));
}

function buildSearchReplica(source: string, program: string): void {
  run('go', ['build', '-buildvcs=false', '-o', program, '.'], { cwd: source });
}

/** Makes a folder once; it has its name only when it is complete. */
function once(name: string, say: (text: string) => void, make: (folder: string) => void, inside: string): string {
  const folder = join(FOLDER, name);
  if (!existsSync(join(folder, 'complete'))) {
    say(`installing ${name} into .peers/`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    make(folder);
    writeFileSync(join(folder, 'complete'), '');
  }
  return join(folder, inside);
}

function installPgsync(folder: string): void {
  run('python3', ['-m', 'venv', folder]);
  run(join(folder, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', PGSYNC]);
}

function findRedis(say: (text: string) => void): Peers['redis'] {
  const installed = (process.env.PATH ?? '').split(':').map((folder) => join(folder, 'redis-server'));
  const found = installed.find((file) => existsSync(file));
  if (found !== undefined) return { command: found, env: {} };
  const root = once('redis', say, unpackRedis, 'root');
  const libraries = readdirSync(join(root, 'usr', 'lib')).map((triplet) => join(root, 'usr', 'lib', triplet));
  return { command: join(root, 'usr', 'bin', 'redis-server'), env: { LD_LIBRARY_PATH: libraries.join(':') } };
}

/** Unpacked only: installed, it would run as a service of the machine. */
function unpackRedis(folder: string): void {
  run('apt-get', ['download', '--quiet', ...REDIS_PACKAGES], { cwd: folder });
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.deb'))) run('dpkg-deb', ['--extract', file, 'root'], { cwd: folder });
}

function run(command: string, args: readonly string[], options: Pick<SpawnSyncOptions, 'cwd' | 'env' | 'timeout'> = {}): void {
  const { status, error, stderr } = spawnSync(command, args, { cwd: FOLDER, ...options, encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] });
  if (error !== undefined && 'code' in error && error.code === 'ENOENT') {
    throw new MissingClient(`--peers needs ${command}, which is not installed here`);
  }
  if (error !== undefined || status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr.slice(-2000)}`);
}
