import { Failure } from '../core/failure.ts';
import { type PassingReport, requirePassing } from '../core/verify/passing-report.ts';
import type { Checkpoint } from './build/checkpoint.ts';
import { startLoop } from './build/loop.ts';
import { persist } from './build/persist.ts';
import type { Run } from './build/run-state.ts';
import { checkCatalog } from './guards/catalog-guard.ts';
import type { Replay } from './replay.ts';
import { proveIndex } from './verify/prove.ts';

const EVERY_MS = 250;
const CATALOG_EVERY_MS = 5000;

/**
 * True while the build must not swap. What was ordered last counts (`ctl hold`, `ctl swap-now`), then the hold file, then `--hold`; with a file, its going away is
 * the release.
 */
export async function isHeld(run: Run): Promise<boolean> {
  const { control } = run.steering;
  if (control.swapNow) return false;
  if (control.hold === true) return true;
  const { hold, holdFile } = run.options;
  if (holdFile === null) return hold;
  if (run.fileExists === undefined)
    throw new Failure('config', '--hold-file needs a file system', { hint: 'Leave --hold-file out; --hold waits for realign swap.' });
  return run.fileExists(holdFile);
}

/**
 * Waits, with the replay going on, until the build may swap, then proves what changed meanwhile: the numbers of rows and documents, and every key changed or deleted since the
 * verification (of more than ten thousand a random sample), and a sample of the others. Returns the report of the whole verification with the position and the numbers of the tail.
 */
export async function holdBack(run: Run, replay: Replay, checkpoint: Checkpoint, report: PassingReport): Promise<PassingReport> {
  await checkpoint.enter('hold');
  run.throttle.set('hold', `held before the swap; release it with: realign swap ${run.config.alias}`);
  const guard = startLoop(run, CATALOG_EVERY_MS, () => checkCatalog(run));
  try {
    await waitForRelease(run);
  } finally {
    await guard.stop();
    run.throttle.set('hold', null);
  }
  replay.touched.judgeTail();
  const mode = run.options.verify === 'counts' ? 'counts' : 'sample';
  const tail = await persist(run, 'verify', () => proveIndex(run, replay, mode));
  // The comparison of everything is the one before the hold; position and numbers are those the swap takes place at.
  const { fenceLsn, rows, documents, rejected } = tail;
  return requirePassing({ ...report, fenceLsn, rows, documents, rejected });
}

async function waitForRelease(run: Run): Promise<void> {
  const startedAt = run.clock.now();
  const { holdTimeoutMs } = run.options;
  while (await isHeld(run)) {
    if (holdTimeoutMs !== null && run.clock.now() - startedAt > holdTimeoutMs) throw heldTooLong(run.config.alias, holdTimeoutMs);
    await run.clock.sleep(EVERY_MS, run.signal);
  }
}

function heldTooLong(alias: string, timeoutMs: number): Failure {
  return new Failure('held-too-long', `held for ${Math.round(timeoutMs / 1000)} s and nobody released it (--hold-timeout)`, {
    hint: `The verified build stays as it is: realign swap ${alias} brings it up to date, verifies it again and swaps.`,
  });
}
