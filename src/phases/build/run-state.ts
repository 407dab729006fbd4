import { counted } from '../../core/counted.ts';
import type { DocumentPlan } from '../../core/encode/document-plan.ts';
import { shownId } from '../../core/encode/shown-id.ts';
import type { Reporter } from '../../core/events.ts';
import { Failure } from '../../core/failure.ts';
import type { IndexConfig, RunOptions } from '../../core/plan/index-config.ts';
import type { BuildNames } from '../../core/plan/names.ts';
import type { IndexPlan } from '../../core/plan/plan-index.ts';
import type { SourceTable } from '../../core/table.ts';
import type { BulkTuning } from '../bulk/bulk-tuning.ts';
import type { BulkWindow } from '../bulk/bulk-window.ts';
import type { Clock, RejectFile, RejectRecord, Source } from '../ports.ts';
import type { Sink } from '../sink-ports.ts';
import type { Steering } from '../steering/steering.ts';
import type { SwapGate } from '../steering/swap-gate.ts';
import type { Throttle } from '../steering/throttle.ts';
import type { Failpoint } from './failpoints.ts';

/** What the command line gives to a build. */
export interface BuildContext {
  readonly source: Source;
  readonly sink: Sink;
  readonly clock: Clock;
  readonly reporter: Reporter;
  readonly rejects: RejectFile;
  readonly config: IndexConfig;
  readonly options: RunOptions;
  readonly signal: AbortSignal;
  /** Name and version, e.g. `realign 0.1.0`. */
  readonly tool: string;
  /** Four characters of `[a-z0-9]`. */
  readonly newBuildId: () => string;
  /** Looks for `--hold-file` and `limits.flagFile`; only needed with one of them. */
  readonly fileExists?: (path: string) => Promise<boolean>;
  /** Asked between the proof and the swap. */
  readonly swapGate?: SwapGate;
  /** Which lane an id belongs to (rule R5); only a test that switches the rule off gives another one. */
  readonly laneOf?: (id: string, laneCount: number) => number;
  /** Only tests have one. */
  readonly failpoint?: Failpoint;
}

/** What every phase of one build shares, fixed once the table is known. */
export interface Run extends BuildContext {
  readonly names: BuildNames;
  readonly table: SourceTable;
  readonly plan: IndexPlan;
  readonly documents: DocumentPlan;
  readonly counters: Counters;
  readonly rejected: RejectList;
  readonly throttle: Throttle;
  readonly steering: Steering;
  readonly bulkTuning: BulkTuning;
  readonly bulkWindow: BulkWindow;
  /** Numbers `0 ≤ n < 1` that spread retries: those who wait for the same thing must not come back together. */
  readonly random: () => number;
  /** Gives the alias's lock back: a follower holds its generation's own lock instead. */
  readonly releaseAlias: () => Promise<void>;
  /** Aborts the whole run with the failure given; `signal` follows it. */
  readonly abort: (failure: unknown) => void;
}

/** Figures that the progress line shows; they only grow, the throttle excepted. */
export interface Counters {
  rows: number;
  written: number;
  superseded: number;
  /** TRUNCATEs that the stream told of. */
  truncates: number;
  changes: number;
  retries: number;
  throttle: string;
}

export function newCounters(): Counters {
  return { rows: 0, written: 0, superseded: 0, truncates: 0, changes: 0, retries: 0, throttle: '' };
}

/**
 * The rows that are not in the index because they cannot be: by id. More than `limit` stops the build (exit 25). A later change that is accepted mends
 * its entry.
 */
export class RejectList {
  readonly #ids: Set<string>;
  readonly #limit: number;
  readonly #file: RejectFile;
  readonly #reporter: Reporter;
  #save: (() => Promise<void>) | null = null;
  #unsaved = false;
  #last: RejectRecord | null = null;

  constructor(known: readonly string[], limit: number, file: RejectFile, reporter: Reporter) {
    this.#ids = new Set(known);
    this.#limit = limit;
    this.#file = file;
    this.#reporter = reporter;
  }

  get ids(): ReadonlySet<string> {
    return this.#ids;
  }

  /** All of them are written down, also those beyond the limit: whoever mends the rows wants to know them all. */
  async add(records: readonly RejectRecord[]): Promise<void> {
    for (const record of records) await this.#note(record);
    if (records.length > 0 && this.#ids.size > this.#limit) throw this.failure();
  }

  async #note(record: RejectRecord): Promise<void> {
    if (this.#ids.has(record.id)) return;
    const shown = { ...record, id: shownId(record.id) };
    // The record first: a checkpoint on the way out must not say that it is written when it is not.
    await this.#file.write(shown);
    this.#ids.add(record.id);
    this.#last = record;
    this.#unsaved = true;
    this.#reporter.report({ type: 'rejected', ...shown });
  }

  /** Too many, as of now: what was in flight when the build was stopped may have added to them. */
  failure(): Failure {
    const rows = counted(this.#ids.size, 'row');
    const { column, reason = '' } = this.#last ?? {};
    const why = `${column === undefined ? '' : `column ${column}: `}${reason}`;
    return new Failure('too-many-rejects', `${rows} cannot be indexed and --max-rejects is ${this.#limit}; the last one: ${why}`, {
      hint: 'Mend the rows or the mapping (the rejects file names them), choose a policy (onNonFinite, onUnrepresentable, idHash), or allow them with --max-rejects N.',
    });
  }

  /** The row with this id was accepted after all. */
  mend(id: string): void {
    if (this.#ids.delete(id)) this.#unsaved = true;
  }

  /** Where the list is kept. */
  savedBy(save: () => Promise<void>): void {
    this.#save = save;
  }

  /** Before a change is acknowledged that the list tells of: it never comes again, and a resume would take the row for a lost one. */
  async save(): Promise<void> {
    if (!this.#unsaved || this.#save === null) return;
    this.#unsaved = false;
    try {
      await this.#save();
    } catch (error) {
      this.#unsaved = true;
      throw error;
    }
  }
}

/** Throws the reason of the abort, which is the failure that stopped the run. */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw signal.reason;
}

/** What the promise comes to, or the reason of the abort if that comes first. */
export async function unlessAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  throwIfAborted(signal);
  let onAbort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
