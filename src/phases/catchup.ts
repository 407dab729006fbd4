import { Failure } from '../core/failure.ts';
import type { Run } from './build/run-state.ts';
import { forgetOutdatedRejects } from './load/outdated-rejects.ts';
import type { Replay } from './replay.ts';

/**
 * Brings the replay to where the source is now, and the index to the settings readers will have: replicas in place and everything flushed before anybody is sent to it
 * (docs/servers.md E19).
 */
export async function catchUp(run: Run, replay: Replay): Promise<void> {
  await replay.waitUntilApplied(await run.source.insertLsn());
  await run.failpoint?.('catchup.applied');
  await forgetOutdatedRejects(run, replay);
  await run.sink.restoreSettings(run.names.index, run.plan.settings);
  await run.failpoint?.('catchup.restored');
  await waitForHealth(run);
  await replay.waitUntilApplied(await run.source.insertLsn());
}

async function waitForHealth(run: Run): Promise<void> {
  const level = run.options.swapWhen ?? (await usualLevel(run));
  run.counters.throttle = `elasticsearch: waiting for ${level} health`;
  if (!(await run.sink.waitForHealth(run.names.index, level, run.options.stallTimeoutMs))) {
    throw new Failure('stalled', `index ${run.names.index} did not become ${level} within ${run.options.stallTimeoutMs / 1000} s`, {
      hint: 'Its replicas cannot be placed: add nodes, lower number_of_replicas, or accept it with --swap-when yellow. The same command again resumes the build.',
    });
  }
  run.counters.throttle = '';
}

/** On a single data node replicas can never be placed: waiting for green would be waiting for ever (docs/servers.md E18). Only what nobody asked for adapts, and says so. */
async function usualLevel({ sink, reporter, plan }: Run): Promise<'green' | 'yellow'> {
  const wantsReplicas = String(plan.settings['index.number_of_replicas'] ?? 1) !== '0';
  if (!wantsReplicas || (await sink.identity()).dataNodes !== 1) return 'green';
  const message = 'there is one data node, where replicas can have no place: yellow health is enough for the swap';
  reporter.report({ type: 'warning', code: 'swap-when', message, hint: 'Nothing, if that is meant; --swap-when green or yellow decides it.' });
  return 'yellow';
}
