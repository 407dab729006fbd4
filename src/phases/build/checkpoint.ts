import { Failure } from '../../core/failure.ts';
import { formatLsn } from '../../core/lsn.ts';
import type { BuildPhase, BuildState, LeafProgress } from '../../core/plan/build-state.ts';
import { checkCatalog } from '../guards/catalog-guard.ts';
import { loadedFiles, type PartitionFiles, readPartitionFiles, requireSameFiles } from '../guards/partition-files.ts';
import { PaceWatch } from './pace.ts';
import type { Run } from './run-state.ts';

const MOST_IDS_OF_A_FAILED_BUILD = 1000;
const EVERY_MS = 3000;

/**
 * Keeps the build's state in the index's `_meta`: at phase changes and at most every few seconds in the load, so that another host can go on. Effects come first, then this, then the
 * acknowledgement. Before each write the index must still be the one that was created, and the catalog what it was.
 */
export class Checkpoint {
  readonly #run: Run;
  readonly uuid: string;
  #state: BuildState;
  #writtenAt: number;
  #writing: Promise<void> = Promise.resolve();
  #provenFiles: PartitionFiles = new Map();
  readonly #pace: PaceWatch;

  constructor(run: Run, state: BuildState, uuid: string) {
    this.#run = run;
    this.#state = state;
    this.uuid = uuid;
    this.#writtenAt = run.clock.now();
    this.#pace = new PaceWatch(run, state);
  }

  get state(): BuildState {
    return this.#state;
  }

  /** The state was written by somebody else (`retire`). */
  replace(state: BuildState): void {
    this.#state = state;
  }

  /** Writes the phase at once; before readers are sent to the index also only if the source is what it was. */
  async enter(phase: BuildPhase): Promise<void> {
    if (phase === 'catchup') await checkCatalog(this.#run);
    if (phase === 'verify' || phase === 'swap') await this.#checkSource(phase);
    this.#state = { ...this.#state, phase, rejectedIds: this.#rejectedIds(phase), ...this.#pace.entered(phase) };
    await this.#write();
  }

  /** Nobody goes on with a failed build: all its rejected rows, which may be millions, would only fill the cluster's state. */
  #rejectedIds(phase: BuildPhase): readonly string[] {
    const ids = [...this.#run.rejected.ids];
    return phase === 'failed' ? ids.slice(0, MOST_IDS_OF_A_FAILED_BUILD) : ids;
  }

  /** The slot may go only when this is on the server. */
  async drained(lsn: bigint): Promise<void> {
    const applied = { lsn: formatLsn(lsn), at: this.#run.clock.date().toISOString() };
    this.#state = { ...this.#state, drained: true, applied };
    await this.#write();
  }

  async loaded(leaves: readonly LeafProgress[]): Promise<void> {
    this.#state = { ...this.#state, load: leaves, rejectedIds: [...this.#run.rejected.ids] };
    if (this.#run.clock.now() - this.#writtenAt < EVERY_MS) return;
    await checkCatalog(this.#run);
    await this.#write();
  }

  async rejected(): Promise<void> {
    this.#state = { ...this.#state, rejectedIds: [...this.#run.rejected.ids] };
    await this.#write();
  }

  async checkTarget(): Promise<void> {
    const { index } = this.#run.names;
    const uuid = await this.#run.sink.indexUuid(index);
    if (uuid === this.uuid) return;
    throw new Failure('target-vanished', `index ${index} ${uuid === null ? 'is gone' : 'was replaced by another one of the same name'}`, {
      hint: 'Somebody deleted it during the build. Run the same command again for a new build.',
    });
  }

  /**
   * The files of the partitions are those that were loaded, unless the stream told of a TRUNCATE; then it is the verification that finds the rows of a partition truncated
   * beside it. Nothing would after that, so from the verification to the swap no file may change.
   */
  async #checkSource(phase: 'verify' | 'swap'): Promise<void> {
    const run = this.#run;
    await checkCatalog(run);
    if (!run.table.partitioned) return;
    const files = await readPartitionFiles(run);
    if (phase === 'swap') requireSameFiles(run.table.leaves, this.#provenFiles, files);
    else if (run.counters.truncates === 0) requireSameFiles(run.table.leaves, loadedFiles(this.#state.load), files);
    this.#provenFiles = files;
  }

  /** One write at a time, each with the newest state; one that failed was told to its caller, and stands in nobody's way. */
  async #write(): Promise<void> {
    this.#writtenAt = this.#run.clock.now();
    this.#writing = this.#writing
      .catch(() => {})
      .then(async () => {
        await this.checkTarget();
        await this.#run.sink.writeState(this.#run.names.index, this.#state);
        await this.#run.failpoint?.('checkpoint.written');
      });
    await this.#writing;
  }
}
