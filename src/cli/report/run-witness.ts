import type { IndexResult, OutputEvent, RunResult } from '../output/output-event.ts';
import type { KeyMask } from './key-mask.ts';
import type { IndexReport, Report, ReportFailure } from './report-schema.ts';
import { failureOf, RunRecorder } from './run-recorder.ts';
import type { PartitionOf } from './verification-part.ts';

export interface WitnessRequest {
  readonly command: string;
  /** Name and version. */
  readonly tool: string;
  readonly mask: KeyMask;
  readonly partitionOf: PartitionOf;
  /** The command that does the same again for one index. */
  readonly again: (index: string, seed: string | null) => string;
  readonly clock: { now(): number; date(): Date };
}

interface Watched {
  readonly recorder: RunRecorder;
  lastMs: number;
}

/** Sees every event of a command and can tell at any time what happened: the one source of reports, metrics and notices. */
export class RunWitness {
  readonly #request: WitnessRequest;
  readonly #startedAt: Date;
  readonly #startedMs: number;
  readonly #watched = new Map<string, Watched>();
  #failure: ReportFailure | null = null;

  constructor(request: WitnessRequest) {
    this.#request = request;
    this.#startedAt = request.clock.date();
    this.#startedMs = request.clock.now();
  }

  observe(index: string | null, event: OutputEvent): void {
    if (index === null) {
      if (event.type === 'error') this.#failure = failureOf(event);
      return;
    }
    const watched = this.#watch(index);
    watched.lastMs = this.#request.clock.now();
    watched.recorder.observe(event, watched.lastMs);
  }

  /** The report of one index as far as it got. */
  indexReport(index: string, outcome: Pick<IndexResult, 'result' | 'exit_code' | 'build' | 'generation'>): IndexReport {
    const { recorder, lastMs } = this.#watch(index);
    const report = recorder.report(outcome, '', lastMs);
    const seed = report.verification === null || report.verification.mode === 'counts' ? null : report.verification.seed;
    return { ...report, again: this.#request.again(index, seed) };
  }

  /** `indices`: those the command gave a result for; for the others that were seen, the result of the whole. */
  report(summary: { readonly result: RunResult; readonly exit_code: number; readonly indices: readonly IndexResult[] }): Report {
    const { command, tool, mask, clock } = this.#request;
    const told = new Set(summary.indices.map(({ index }) => index));
    const others = [...this.#watched.keys()].filter((index) => !told.has(index));
    const whole = { result: summary.result, exit_code: summary.exit_code, build: null, generation: null };
    return {
      format: '1.0',
      tool,
      command,
      startedAt: this.#startedAt.toISOString(),
      durationMs: Math.round(clock.now() - this.#startedMs),
      result: summary.result,
      exitCode: summary.exit_code,
      keys: { hashed: mask.hashed, salt: mask.salt },
      failure: this.#failure,
      runs: [...summary.indices.map((one) => this.indexReport(one.index, one)), ...others.map((index) => this.indexReport(index, whole))],
    };
  }

  #watch(index: string): Watched {
    const known = this.#watched.get(index);
    if (known !== undefined) return known;
    const { mask, partitionOf, clock } = this.#request;
    const startedMs = clock.now();
    const made = { recorder: new RunRecorder({ index, mask, partitionOf, startedAt: clock.date(), startedMs }), lastMs: startedMs };
    this.#watched.set(index, made);
    return made;
  }
}
