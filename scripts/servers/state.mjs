/**
 * Where things are: `.services/instances/NAME/` (state.json, logs, the servers' own files) and `.services/downloads/` (the servers
 * themselves, shared by all instances).
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './lock.mjs';
import { mayEnter, serverUser } from './server-user.mjs';

const PROJECT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const HOME = join(PROJECT, '.services');

/**
 * PostgreSQL refuses to run as root, so as root it runs as somebody else, who must be able to walk to its files. A checkout below a
 * private home folder is closed to that user: then the servers live under the system's temporary folder.
 */
function chooseServerHome() {
  mkdirSync(HOME, { recursive: true });
  const user = serverUser();
  if (user === null || mayEnter(user, HOME)) return HOME;
  return join(tmpdir(), `realign-services-${createHash('sha256').update(PROJECT).digest('hex').slice(0, 12)}`);
}

const SERVER_HOME = chooseServerHome();
const instanceFolder = (instance) => join(HOME, 'instances', instance);
const stateFile = (instance) => join(instanceFolder(instance), 'state.json');

export const downloadFolder = (name) => join(SERVER_HOME, 'downloads', name);

/** The folder of one server of one instance; made if it is missing. */
export function serverFolder(instance, name) {
  const folder = join(SERVER_HOME, 'instances', instance, name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

export const instanceExists = (instance) => existsSync(instanceFolder(instance));

export function readState(instance) {
  if (!existsSync(stateFile(instance))) return null;
  return JSON.parse(readFileSync(stateFile(instance), 'utf8'));
}

/** Written beside and renamed, so that a reader never sees half of it. */
export function writeState(instance, state) {
  mkdirSync(instanceFolder(instance), { recursive: true });
  writeFileSync(`${stateFile(instance)}.new`, `${JSON.stringify(state, null, 2)}\n`);
  renameSync(`${stateFile(instance)}.new`, stateFile(instance));
}

export function removeInstance(instance) {
  for (const home of new Set([HOME, SERVER_HOME])) rmSync(join(home, 'instances', instance), { recursive: true, force: true });
}

export function removeDownloads() {
  rmSync(join(SERVER_HOME, 'downloads'), { recursive: true, force: true });
  for (const folder of [join(SERVER_HOME, 'instances'), SERVER_HOME]) {
    // Other instances may still be there; an empty folder need not stay.
    if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
  }
}

/** One "up" or "down" of an instance at a time; a second one waits. */
export const lockInstance = (instance, action) => withLock(join(HOME, `instance-${instance}.lock`), action);

/** Builds `downloads/NAME` once, by whoever comes first; it appears under its name only when complete. */
export async function downloadOnce(name, build) {
  const folder = downloadFolder(name);
  mkdirSync(dirname(folder), { recursive: true });
  await withLock(`${folder}.lock`, async () => {
    if (existsSync(folder)) return;
    const unfinished = `${folder}.unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { recursive: true });
    await build(unfinished);
    renameSync(unfinished, folder);
  });
  return folder;
}
