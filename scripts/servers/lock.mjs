import { linkSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { identityOf, isRunning } from './os-process.mjs';

const DEADLINE_MS = 10 * 60_000;

/** `link` fails if the name exists, so a lock file is never seen without its owner written in it. */
function tryTake(file) {
  const own = `${file}.${process.pid}`;
  writeFileSync(own, JSON.stringify(identityOf(process.pid)));
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  } finally {
    unlinkSync(own);
  }
}

function ownerIsGone(file) {
  try {
    return !isRunning(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

/** Runs `action` while `file` is held; waits for another process that holds it, takes over from one that died. */
export async function withLock(file, action) {
  const deadline = Date.now() + DEADLINE_MS;
  while (!tryTake(file)) {
    if (ownerIsGone(file)) rmSync(file, { force: true });
    else if (Date.now() > deadline) throw new Error(`${file} is still held after ten minutes: look who runs scripts/services, or remove it`);
    else await pause(200);
  }
  try {
    return await action();
  } finally {
    rmSync(file, { force: true });
  }
}
