import type { IgnoredField } from '../../core/audit-report.ts';
import type { DocumentPlan } from '../../core/encode/document-plan.ts';
import type { Difference, Reporter } from '../../core/events.ts';
import type { VerifyMode } from '../../core/plan/index-config.ts';
import type { SourceTable } from '../../core/table.ts';
import type { FieldDifference } from '../../core/verify/field-difference.ts';
import { routingDifference } from '../../core/verify/routing-difference.ts';
import type { Failpoint } from '../build/failpoints.ts';
import type { Clock, Source } from '../ports.ts';
import type { ReplayControl } from '../replay/replay-control.ts';
import type { FrozenIndex, ScannedDocument, Sink } from '../sink-ports.ts';

export interface VerifyContext {
  readonly source: Source;
  readonly sink: Sink;
  readonly replay: ReplayControl;
  readonly clock: Clock;
  readonly reporter: Reporter;
  readonly table: SourceTable;
  readonly plan: DocumentPlan;
  /** The concrete index; never an alias, whose filter would hide documents (docs/servers.md E25). */
  readonly index: string;
  readonly mode: VerifyMode;
  /** Rows in the random sample. */
  readonly sample: number;
  readonly seed: string;
  /** Ids of the rows that could not be indexed; may go on changing while the replay runs. */
  readonly rejectedIds: ReadonlySet<string>;
  /** The build's slot; the temporary one of the fence is named after it. */
  readonly slotName: string;
  readonly slotTimeoutMs: number;
  readonly signal: AbortSignal;
  /** Only tests have one. */
  readonly failpoint?: Failpoint;
  /** Fields that Elasticsearch is meant to leave out of its search structures when their values are long: no word about them. */
  readonly mayBeIgnored?: ReadonlySet<string>;
  /** The index is of others, and the config says nothing of routing: they may have routed their documents as they like. */
  readonly anyRouting?: boolean;
  /** Only in an audit. */
  readonly audit?: AuditWishes;
}

/** What an audit wants beyond the verification of a build. */
export interface AuditWishes {
  /** Differing values are kept as they are, not cut to excerpts. */
  readonly wholeValues: boolean;
  /** Differences are looked at again so often, after so long each time. */
  readonly settle: { readonly rounds: number; readonly pauseMs: number };
  /** Told how many rows, or documents, a pass has just read; waits where a rate is to be kept. */
  paceSource(rows: number): Promise<void>;
  paceSink(documents: number): Promise<void>;
  /** Each document of the index once, in a full comparison. */
  seen(document: ScannedDocument): void;
  /** So many documents of the index were sampled. */
  sampledDocuments(count: number): void;
  ignored(fields: readonly IgnoredField[]): void;
  /** The comparison is over, the second looks begin. */
  settling(): void;
}

/** Both sides, each frozen. With `fence` they show the same moment; with `settling` the index may be ahead of the snapshot, never behind it. */
export interface Comparison {
  readonly context: VerifyContext;
  readonly method: 'fence' | 'settling';
  readonly fenceLsn: bigint;
  readonly snapshotName: string;
  readonly frozen: FrozenIndex;
  /** The rejected rows that have no document in the frozen index: they are expected to be missing. */
  readonly rejected: ReadonlySet<string>;
  /** To be called while only the table is read: a point in time that is not used expires. */
  touchFrozen(): Promise<void>;
  close(): Promise<void>;
}

/** Where a difference goes: to the ledger at a fence, to the candidates when settling. `key`: texts of the key columns, null where only the id is known. */
export interface DifferenceSink {
  found(difference: Difference, key: readonly string[] | null): void;
}

/** The routing of a stored document, as far as it is compared. */
export function storedRouting({ anyRouting }: Pick<VerifyContext, 'anyRouting'>, { routing }: ScannedDocument): Buffer | undefined {
  return routing === undefined || anyRouting === true ? undefined : Buffer.from(routing);
}

/** The fields in which a document's place differs from its row's; empty where places are not compared. */
export function misplacement(
  { plan, anyRouting, audit }: Pick<VerifyContext, 'plan' | 'anyRouting' | 'audit'>,
  key: readonly string[],
  { routing }: ScannedDocument,
): readonly FieldDifference[] {
  return anyRouting === true ? [] : routingDifference(plan, key, routing, audit?.wholeValues === true ? 'whole' : 'excerpts');
}
