import type { AuditReport } from '../../core/audit-report.ts';
import type { RunEvent } from '../../core/events.ts';
import type { FailureKind } from '../../core/failure.ts';
import type { Finding } from '../../core/finding.ts';
import type { Estimate } from '../../phases/estimate/estimates.ts';
import type { Inventory, InventorySlot } from '../../phases/generations/inventory.ts';

/** The version of the event format: the first number changes when a reader of the old one would break. */
export const EVENT_FORMAT = '1.0';

export interface PlanFacts {
  readonly table: string;
  /** The name that the new generation would have, with xxxx for the build id. */
  readonly generation: string;
  readonly previous: string | null;
  readonly resumes: string | null;
  readonly rows: number;
  readonly bytes: number;
  readonly estimates: readonly Estimate[];
  readonly mapping: { readonly [key: string]: unknown };
  readonly settings: { readonly [key: string]: unknown };
  readonly documentFields: readonly string[];
  /** The column that routes the documents; null: their ids do. */
  readonly routing: string | null;
  readonly steps: readonly string[];
  readonly warnings: readonly string[];
}

/** What `status` found. Bytes are decimal text, as everywhere in the events. */
export interface StatusFacts extends Omit<Inventory, 'slots'> {
  readonly slots: readonly (Omit<InventorySlot, 'retainedBytes'> & { readonly retainedBytes: string })[];
}

export type RunResult = 'succeeded' | 'failed' | 'interrupted' | 'has-work' | 'drift' | 'nothing-to-do' | 'skipped';

export interface IndexResult {
  readonly index: string;
  readonly result: RunResult;
  readonly exit_code: number;
  readonly build: string | null;
  readonly generation: string | null;
  readonly previous: string | null;
}

/** What the command line itself has to say, besides the events of a run. */
export type CommandEvent =
  | { readonly type: 'version'; readonly format: string; readonly tool: string; readonly command: string }
  | {
      readonly type: 'target';
      readonly side: 'postgres' | 'elasticsearch';
      readonly address: string;
      readonly user: string | null;
      readonly tls: string;
    }
  | { readonly type: 'versions'; readonly postgres: string; readonly elasticsearch: string; readonly node: string }
  | ({
      readonly type: 'finding';
      /** `FILE:LINE:COLUMN` of what it is about; absent where no config file says it. */
      readonly place?: string;
    } & Omit<Finding, 'path'>)
  | ({ readonly type: 'plan' } & PlanFacts)
  | ({ readonly type: 'status' } & StatusFacts)
  | ({
      readonly type: 'audit.result';
      /** Commands to type next. */
      readonly next: readonly string[];
      /** What the verdict comes to with `--max-diff` and after the repair. */
      readonly exit_code: number;
    } & AuditReport)
  | {
      readonly type: 'removed';
      readonly names: readonly string[];
      /** What was looked at besides, and why it stays. */
      readonly kept: readonly { readonly index: string; readonly reason: string }[];
    }
  | {
      readonly type: 'error';
      readonly kind: FailureKind | 'bug';
      readonly message: string;
      readonly hint: string;
      /** What has not changed, for whoever is on call. */
      readonly unchanged: string;
      /** Commands to type next. */
      readonly next: readonly string[];
      readonly exit_code: number;
    }
  | {
      readonly type: 'summary';
      readonly command: string;
      readonly result: RunResult;
      readonly exit_code: number;
      readonly durationMs: number;
      /** The outcome in a sentence for people. */
      readonly message: string;
      readonly indices: readonly IndexResult[];
    };

export type OutputEvent = RunEvent | CommandEvent;

/** Where a command says everything: one for people, one for programs. Emitting never throws. */
export interface Output {
  /** `index` is the alias concerned, or null for the whole run. */
  emit(index: string | null, event: OutputEvent): void;
  /** Takes away what is on the terminal only for now. */
  close(): void;
}
