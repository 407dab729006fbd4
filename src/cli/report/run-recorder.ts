import type { PhaseName, RunEvent } from '../../core/events.ts';
import { buildOf } from '../output/json-output.ts';
import type { IndexResult, OutputEvent } from '../output/output-event.ts';
import type { KeyMask } from './key-mask.ts';
import { RejectTally } from './reject-tally.ts';
import type { IndexReport, ReportFailure, Verification } from './report-schema.ts';
import { Timeline } from './timeline.ts';
import { type PartitionOf, verificationOf, verificationOfAudit } from './verification-part.ts';

export interface RecorderRequest {
  readonly index: string;
  readonly mask: KeyMask;
  readonly startedAt: Date;
  /** Monotonic milliseconds. */
  readonly startedMs: number;
  readonly partitionOf: PartitionOf;
}

interface Phase {
  readonly phase: PhaseName;
  readonly startedMs: number;
  durationMs: number | null;
  detail: string;
}

const MAX_WARNINGS = 200;

/** Collects what one index's report tells from its events; bounded in memory whatever the run does. Keys are masked as they come in. */
export class RunRecorder {
  readonly #request: RecorderRequest;
  readonly #timeline = new Timeline();
  readonly #rejects: RejectTally;
  readonly #phases: Phase[] = [];
  readonly #warnings: { readonly code: string; readonly message: string; readonly hint: string }[] = [];
  #bulks: IndexReport['totals']['bulks'] = null;
  #started: Extract<RunEvent, { type: 'build.started' }> | null = null;
  #audited: { readonly table: string; readonly generation: string } | null = null;
  #swap: IndexReport['swap'] = null;
  #verification: Verification | null = null;
  #versions: IndexReport['versions'] = null;
  #failure: ReportFailure | null = null;

  constructor(request: RecorderRequest) {
    this.#request = request;
    this.#rejects = new RejectTally(request.mask);
  }

  get failure(): ReportFailure | null {
    return this.#failure;
  }

  /** `nowMs` on the same clock as `startedMs`. */
  observe(event: OutputEvent, nowMs: number): void {
    const atMs = Math.max(0, Math.round(nowMs - this.#request.startedMs));
    if (event.type === 'progress') this.#timeline.add(atMs, event.phase, event);
    else if (event.type === 'phase.started') this.#phases.push({ phase: event.phase, startedMs: atMs, durationMs: null, detail: '' });
    else if (event.type === 'phase.finished') this.#finishPhase(event.phase, event.durationMs, event.detail);
    else this.#observeFact(event);
  }

  #observeFact(event: OutputEvent): void {
    if (event.type === 'build.started') this.#started = event;
    if (event.type === 'tuned') {
      this.#bulks = { jobs: event.bulkJobs, bytes: event.bulkBytes, bytesPerSecond: event.bytesPerSecond, limit: event.limit };
    }
    if (event.type === 'rejected') this.#rejects.add(event);
    if (event.type === 'swap') this.#swap = { from: event.from, to: event.to };
    if (event.type === 'verify.result') this.#verification = verificationOf(event, this.#request);
    if (event.type === 'audit.result') {
      this.#audited = { table: event.table, generation: event.generation };
      this.#verification = verificationOfAudit(event, this.#request.mask);
    }
    if (event.type === 'error') this.#failure = failureOf(event);
    if (event.type === 'versions') this.#versions = { postgres: event.postgres, elasticsearch: event.elasticsearch, node: event.node };
    if (event.type === 'warning' && this.#warnings.length < MAX_WARNINGS) {
      this.#warnings.push({ code: event.code, message: event.message, hint: event.hint });
    }
  }

  report(outcome: Pick<IndexResult, 'result' | 'exit_code' | 'build' | 'generation'>, again: string, nowMs: number): IndexReport {
    const { index, startedAt, startedMs } = this.#request;
    const { last, peakLagBytes, peakSlotWalBytes } = this.#timeline;
    const generation = this.#started?.generation ?? this.#audited?.generation ?? outcome.generation;
    return {
      index,
      // An audited index need not be one of ours, with a build in its name.
      build: this.#started === null ? outcome.build : buildOf(this.#started.generation),
      table: this.#started?.table ?? this.#audited?.table ?? null,
      generation,
      slot: this.#started?.slot ?? null,
      resumed: this.#started?.resumed ?? false,
      result: outcome.result,
      exitCode: outcome.exit_code,
      startedAt: startedAt.toISOString(),
      durationMs: Math.max(0, Math.round(nowMs - startedMs)),
      swap: this.#swap,
      failure: this.#failure,
      phases: this.#phases.map((phase) => ({ ...phase })),
      timeline: this.#timeline.samples(),
      totals: {
        rows: last?.rows ?? 0,
        changes: last?.changes ?? 0,
        retries: last?.retries ?? 0,
        peakLagBytes: String(peakLagBytes),
        peakSlotWalBytes: String(peakSlotWalBytes),
        bulks: this.#bulks,
      },
      verification: this.#verification,
      rejects: this.#rejects.summary(this.#verification?.rejected ?? null, last?.rejected ?? 0),
      warnings: this.#warnings,
      versions: this.#versions,
      again,
    };
  }

  #finishPhase(name: PhaseName, durationMs: number, detail: string): void {
    const phase = this.#phases.findLast((candidate) => candidate.phase === name);
    if (phase === undefined) return;
    phase.durationMs = Math.round(durationMs);
    phase.detail = detail;
  }
}

/** What the report says of an `error` event. */
export function failureOf(event: Extract<OutputEvent, { type: 'error' }>): ReportFailure {
  const { kind, message, hint, unchanged, next, exit_code: exitCode } = event;
  return { kind, message, hint, unchanged, next, exitCode };
}
