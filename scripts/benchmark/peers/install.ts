import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '..', '..', '..', '..', '.peers');
const PGSYNC = 'pgsync==7.3.0';
/** What Debian's redis-server needs beside the C library. */
const REDIS_PACKAGES = ['redis-server', 'redis-tools', 'libjemalloc2', 'liblua5.1-0', 'liblzf1'];
/** A program that `--peers` cannot do without is not on this machine. */
export class MissingClient extends Error {}

/** The other tool, ready to run. */
export interface Peers {
  /** Where `pgsync` and `bootstrap` are. */
  readonly pgsyncBin: string;
  readonly redis: { readonly command: string; readonly env: { readonly [name: string]: string } };
  /** For their files. */
  readonly folder: string;
}

/** Installs what is missing into `.peers/`, by pip and apt-get; throws `MissingClient`. */
export function installPeers(say: (text: string) => void): Peers {
  mkdirSync(FOLDER, { recursive: true });
  return {
    folder: FOLDER,
    pgsyncBin: once('venv', say, installPgsync, 'bin'),
    redis: findRedis(say),
  };
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
  run('apt-get', ['download', '--quiet', ...REDIS_PACKAGES], folder);
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.deb'))) run('dpkg-deb', ['--extract', file, 'root'], folder);
}

function run(command: string, args: readonly string[], cwd: string = FOLDER): void {
  const { status, error, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] });
  if (error !== undefined && 'code' in error && error.code === 'ENOENT') {
    throw new MissingClient(`--peers needs ${command}, which is not installed here`);
  }
  if (error !== undefined || status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr.slice(-2000)}`);
}
