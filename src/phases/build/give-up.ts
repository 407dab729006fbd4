import type { Build } from '../../core/build.ts';
import { Failure, policyOf } from '../../core/failure.ts';
import { retire } from '../generations/retire.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { Run } from './run-state.ts';

/**
 * What happens to a build that stopped: the one table in core/failure.ts says whether it can ever be finished. Before the index exists nothing can be resumed, so
 * nothing is left behind whatever happened.
 */
export async function giveUp(run: Run, build: Build, checkpoint: Checkpoint | null, error: unknown): Promise<void> {
  const hopeless = policyOf(error).action === 'abandon';
  const mendable = error instanceof Failure && error.kind === 'too-many-rejects';
  if (build.at === 'follow') return await giveUpFollowing(run, checkpoint, hopeless && !mendable);
  // Behind the swap only the clean-up is left, and the same command finishes it.
  if (build.at === 'cleanup') return;
  try {
    if (!hopeless && !(await nothingToResume(run, build, checkpoint))) return;
    await run.source.dropSlot(run.names.slot);
    await run.failpoint?.('failed.slot-dropped');
    await run.source.dropPublication(run.names.publication);
    if (checkpoint !== null && (await run.sink.indexUuid(run.names.index)) === checkpoint.uuid) await checkpoint.enter('failed');
  } catch (cause) {
    tellLeftBehind(run, cause);
  }
}

/** The index may have been made though its phase did not end (a primary that was not placed in time): then the next run goes on with it and needs the slot. */
async function nothingToResume(run: Run, build: Build, checkpoint: Checkpoint | null): Promise<boolean> {
  if (build.at === 'slot') return true;
  return build.at === 'index' && checkpoint === null && (await run.sink.indexUuid(run.names.index)) === null;
}

/** Readers are on it: the index stays as it is, a finished generation that is fed no more. A rejected row can be mended, so its slot stays. */
async function giveUpFollowing(run: Run, checkpoint: Checkpoint | null, hopeless: boolean): Promise<void> {
  if (!hopeless || checkpoint === null) return;
  try {
    await retire(run.source, run.sink, { index: run.names.index, state: checkpoint.state });
  } catch (cause) {
    tellLeftBehind(run, cause);
  }
}

/** The first failure is what is reported; what could not be removed is named beside it. */
function tellLeftBehind(run: Run, cause: unknown): void {
  run.reporter.report({
    type: 'warning',
    code: 'left-behind',
    message: `slot ${run.names.slot}, publication ${run.names.publication} or the state of ${run.names.index} may be left as they were: ${cause instanceof Failure ? cause.message : 'unexpected error'}`,
    hint: `Remove them with: realign abort ${run.config.alias}`,
  });
}
