import type { Build } from '../core/build.ts';
import { Failure, type FailureKind } from '../core/failure.ts';
import type { Checkpoint } from './checkpoint.ts';
import { retire } from './retire.ts';
import type { Run } from './run-state.ts';

/** After these the build can never be finished: production comes first, so slot and publication go; the index stays for inspection. */
const FINAL: ReadonlySet<FailureKind> = new Set<FailureKind>([
  'verification-failed',
  'alias-changed',
  'slot-lost',
  'source-changed',
  'too-many-rejects',
  'slot-wal-limit',
  'target-vanished',
]);

/** Before the index exists nothing can be resumed, so nothing is left behind whatever happened. */
export async function giveUp(run: Run, build: Build, checkpoint: Checkpoint | null, error: unknown): Promise<void> {
  const nothingToResume = build.at === 'slot' || (build.at === 'index' && checkpoint === null);
  const hopeless = error instanceof Failure && FINAL.has(error.kind);
  if (build.at === 'follow') return await giveUpFollowing(run, checkpoint, hopeless && error.kind !== 'too-many-rejects');
  // Behind the swap only the clean-up is left, and the same command finishes it.
  if (build.at === 'cleanup' || !(nothingToResume || hopeless)) return;
  try {
    await run.source.dropSlot(run.names.slot);
    await run.failpoint?.('failed.slot-dropped');
    await run.source.dropPublication(run.names.publication);
    if (checkpoint !== null && (await run.sink.indexUuid(run.names.index)) === checkpoint.uuid) await checkpoint.enter('failed');
  } catch (cause) {
    tellLeftBehind(run, cause);
  }
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
    message: `slot ${run.names.slot} or publication ${run.names.publication} could not be removed: ${cause instanceof Failure ? cause.message : 'unexpected error'}`,
    hint: `Remove them with: realign abort ${run.config.alias}`,
  });
}
