import { counted } from '../../core/counted.ts';
import { Failure } from '../../core/failure.ts';
import { startLoop } from '../build/loop.ts';
import { persist } from '../build/persist.ts';
import type { Run } from '../build/run-state.ts';

const EVERY_MS = 1000;

/** Holds the load back between two chunks while production is in trouble: standbys behind, the operator's query or file says so, somebody waits for an exclusive lock. */
export async function watchPressure(run: Run): Promise<{ stop(): Promise<void> }> {
  const seen = { warnedOfHidden: false, queryFails: false };
  const look = async (): Promise<void> => {
    await lookAtLocks(run);
    await lookAtStandbys(run, seen);
    await lookAtQuery(run, seen);
    await lookAtFile(run);
  };
  // What holds the load back is known before anything is read.
  await persist(run, 'pressure', look);
  return startLoop(run, EVERY_MS, look);
}

/**
 * New readers would queue behind a waiting ACCESS EXCLUSIVE for their lock timeout and then fail; whoever waits would wait longer. So no chunk begins until he had
 * his turn, and the rate limit lets the running ones end.
 */
async function lookAtLocks(run: Run): Promise<void> {
  const who = await run.source.exclusiveLock([run.table.oid, ...run.table.leaves.map((leaf) => leaf.oid)]);
  run.throttle.set('lock', who === null ? null : `postgres: ${who}`);
}

async function lookAtStandbys(run: Run, seen: { warnedOfHidden: boolean }): Promise<void> {
  const limitMs = run.options.throttles.replicaLagMs;
  if (limitMs === null) return;
  const { lagMs, hidden } = await run.source.replicaLag();
  run.throttle.set('replica-lag', lagMs > limitMs ? `postgres: a standby is ${(lagMs / 1000).toFixed(1)} s behind (limits.replicaLag)` : null);
  if (hidden === 0 || seen.warnedOfHidden) return;
  seen.warnedOfHidden = true;
  run.reporter.report({
    type: 'warning',
    code: 'replica-lag-hidden',
    message: `limits.replicaLag cannot be judged for ${counted(hidden, 'standby')}: this role does not see their lag`,
    hint: 'grant pg_read_all_stats to the role of realign',
  });
}

/**
 * The preflight has tried the query; one that fails later (a view dropped, a right taken away) is no reason to end a build of hours. Nobody can say that production is well,
 * so the load holds back, loudly, until the query works again; the replay goes on, and with it the slot.
 */
async function lookAtQuery(run: Run, seen: { queryFails: boolean }): Promise<void> {
  const { query } = run.options.throttles;
  if (query === null) return;
  const answer = await run.source.throttleQuery(query);
  if (answer.kind !== 'unusable') {
    seen.queryFails = false;
    run.throttle.set('query', answer.kind === 'hold' ? 'limits.query says so' : null);
    return;
  }
  run.throttle.set('query', `limits.query cannot be used: ${answer.why}`);
  if (seen.queryFails) return;
  seen.queryFails = true;
  run.reporter.report({
    type: 'warning',
    code: 'limits-query',
    message: `limits.query cannot be used: ${answer.why}; the load holds back until it can, and changes go on being applied`,
    hint: `Mend what it reads; or end this run (realign ctl ${run.config.alias} stop), correct defaults.limits.query, and run the same command again: it resumes.`,
  });
}

async function lookAtFile(run: Run): Promise<void> {
  const { flagFile } = run.options.throttles;
  if (flagFile === null) return;
  if (run.fileExists === undefined)
    throw new Failure('config', 'limits.flagFile needs a file system', { hint: 'Remove limits.flagFile from the config.' });
  run.throttle.set('flag-file', (await run.fileExists(flagFile)) ? `file ${flagFile} exists (limits.flagFile)` : null);
}
