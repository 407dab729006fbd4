import type { BuildPace, BuildPhase, BuildState } from '../../core/plan/build-state.ts';
import type { Run } from './run-state.ts';

/**
 * Takes the times of the load and of the verification, for the estimates of the next build. Only those of a build that goes through both in one go: the time a
 * resumed one needed is not known.
 */
export class PaceWatch {
  readonly #run: Pick<Run, 'clock' | 'counters' | 'options'>;
  readonly #startedAt: number;
  readonly #whole: boolean;
  #loadMs = 0;
  #verifyingAt = 0;

  constructor(run: Pick<Run, 'clock' | 'counters' | 'options'>, state: BuildState) {
    this.#run = run;
    this.#startedAt = run.clock.now();
    this.#whole = state.phase === 'load' && state.load.every(({ done }) => done.length === 0);
  }

  /** Told of each phase that begins; the pace behind a verification, else nothing. */
  entered(phase: BuildPhase): { readonly pace?: BuildPace } {
    const now = this.#run.clock.now();
    if (phase === 'catchup') this.#loadMs = Math.round(now - this.#startedAt);
    if (phase === 'verify') this.#verifyingAt = now;
    if (!this.#whole || this.#loadMs === 0 || this.#verifyingAt === 0 || (phase !== 'swap' && phase !== 'hold')) return {};
    const verifyMs = Math.round(now - this.#verifyingAt);
    this.#verifyingAt = 0;
    const { verify, rate } = this.#run.options;
    return { pace: { rows: this.#run.counters.rows, loadMs: this.#loadMs, verify, verifyMs, ...(rate === null ? {} : { rate }) } };
  }
}
