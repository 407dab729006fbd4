import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { writeAtomically } from '../atomic-file.ts';
import { errorCode } from '../config/environment.ts';
import type { Report } from '../report/report-schema.ts';
import { mergeFamilies } from './exposition.ts';
import { lastSuccessName, metricFamilies } from './metric-families.ts';

const LOCK_WAIT_MS = 5_000;
const LOCK_STALE_MS = 60_000;
const LOCK_POLL_MS = 25;

/**
 * Writes the file of node_exporter's textfile collector by an atomic rename. Several commands may share one file: series of other aliases stay, and the last success outlives
 * a failure. Throws the system's error.
 */
export async function writeTextfile(path: string, report: Report, nowSeconds: number): Promise<void> {
  const lasting = lastSuccessName(report.command);
  const ownPrefix = lasting.replace(/last_success_timestamp_seconds$/, 'last_');
  await withLock(`${path}.lock`, async () => {
    const merged = mergeFamilies(await readIfThere(path), metricFamilies(report, nowSeconds), new Set([lasting]), (name) =>
      name.startsWith(ownPrefix),
    );
    await writeAtomically(path, merged);
  });
}

/** A directory is made by one only; one that is left by a killed process is taken over after a minute. */
async function withLock(path: string, work: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + LOCK_WAIT_MS;
  while (!(await tryLock(path))) {
    if (performance.now() > deadline) throw new Error(`${path} is held by another run`);
    await wait(LOCK_POLL_MS);
  }
  try {
    await work();
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}

async function tryLock(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    const age = Date.now() - ((await stat(path).catch(() => null))?.mtimeMs ?? Date.now());
    if (age > LOCK_STALE_MS) await rm(path, { recursive: true, force: true });
    return false;
  }
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
}
