/**
 * What the pipeline needs from the two servers and from the machine. Declared here, by their user; `src/postgres` implements the source;
 * the sink is in sink-ports.ts. Every method throws `Failure` for what can happen; anything else is a bug. Which of them may be made twice without harm is said in build/persist.ts.
 */

import type { Finding } from '../core/finding.ts';
import type { RowExpressions } from '../core/plan/index-config.ts';
import type { Row } from '../core/row.ts';
import type { Column, Leaf, SourceTable } from '../core/table.ts';
import type { WalBytes } from '../core/wal/pgoutput.ts';
import type { PgSnapshot } from '../core/wal/snapshot.ts';
import type { ControlSource, PressureSource } from './control-ports.ts';

// ── the source ────────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface SourceIdentity {
  readonly systemIdentifier: string;
  readonly timeline: number;
  readonly database: string;
  /** e.g. 170010 */
  readonly versionNumber: number;
}

/** A slot that was just made. Its exported snapshot lives until `release`. */
export interface CreatedSlot {
  readonly name: string;
  readonly consistentPoint: bigint;
  readonly snapshotName: string;
  /** Ends the exporting connection: a temporary slot and the exported snapshot go with it, a persistent slot stays. */
  release(): Promise<void>;
}

export interface SlotState {
  readonly name: string;
  readonly confirmedFlushLsn: bigint | null;
  readonly restartLsn: bigint | null;
  readonly active: boolean;
  readonly activePid: number | null;
  /** reserved, extended, unreserved, lost */
  readonly walStatus: string | null;
  readonly safeWalSize: bigint | null;
  /** Bytes of WAL the slot retains: current insert position − restart_lsn. */
  readonly retainedBytes: bigint;
  readonly database: string;
}

export interface PublicationState {
  readonly tables: readonly number[];
  readonly insert: boolean;
  readonly update: boolean;
  readonly delete: boolean;
  readonly truncate: boolean;
  readonly viaRoot: boolean;
}

/** One chunk of the load: the heap blocks `[from, to)` of one leaf; `to: null` means to the end. */
export interface ChunkRequest {
  readonly leaf: Leaf;
  readonly from: number;
  readonly to: number | null;
  readonly columns: readonly Column[];
  /** Only the rows for which this SQL condition is true (`DocumentPlan.where`). */
  readonly where?: string | undefined;
}

/** All rows of a table (of all its leaves). */
export interface TableRequest {
  readonly table: SourceTable;
  readonly columns: readonly Column[];
  readonly where?: string | undefined;
  readonly snapshotName: string | null;
}

/**
 * One chunk's rows in one short READ ONLY REPEATABLE READ transaction: ACCESS SHARE lock on the leaf first, then the snapshot, then the
 * guard (the leaf's current relfilenode; the caller compares), then COPY.
 */
export interface ChunkReader {
  readonly snapshot: PgSnapshot;
  readonly relfilenode: number;
  /**
   * Batches of raw COPY text as they arrive, not row-aligned; back-pressure by not asking for more. Throws `connection-lost` when cut in
   * the middle, or if the row count of the command tag differs from the messages seen, or one of them does not end a row.
   */
  chunks(): AsyncIterable<Buffer>;
  /** Ends the transaction and gives the connection back; safe in mid-COPY (cancels it). */
  close(): Promise<void>;
}

/** A message of the replication stream, in the order received. The bytes of one pgoutput message stay valid. */
export type StreamMessage = ({ readonly kind: 'data' } & WalBytes) | { readonly kind: 'keepalive'; readonly walEnd: bigint };

export interface ChangeStream {
  /** Waits for the next messages (all that have arrived, at least one; an empty list after `timeoutMs`). Throws `connection-lost`, `slot-lost`. */
  read(timeoutMs: number): Promise<readonly StreamMessage[]>;
  /** Confirms that everything up to `lsn` (a Commit's end LSN or a handled keepalive's position) is durable: exactly that value is sent, by now and by the status timer. */
  acknowledge(lsn: bigint): void;
  /** Asks the server for a keepalive at once. */
  ping(): void;
  close(): Promise<void>;
}

export interface LookupRequest {
  readonly table: SourceTable;
  readonly columns: readonly Column[];
  /** The key columns, in key order. */
  readonly key: readonly Column[];
  /** Texts of the key columns of each wanted row. */
  readonly keys: readonly (readonly string[])[];
  readonly where?: string | undefined;
  /** Read under this exported snapshot instead of a fresh one. */
  readonly snapshotName?: string;
}

export interface LookupResult {
  readonly snapshot: PgSnapshot;
  /** The rows that exist, in no particular order; each owns its bytes. */
  readonly rows: readonly Row[];
}

/** A row of the second verification path: built by PostgreSQL itself, shares no code with the encoder. */
export interface ReferenceRow {
  /** Texts of the key columns. */
  readonly key: readonly string[];
  /** `{"field": value}` as PostgreSQL renders it (to_jsonb per field, with SQL for bytea, ranges and times), as JSON text. */
  readonly json: string;
}

export interface ReferenceRequest {
  readonly table: SourceTable;
  /** Field name and column, in the document's order. */
  readonly fields: readonly { readonly field: string; readonly column: Column }[];
  readonly key: readonly Column[];
  readonly where?: string | undefined;
  readonly snapshotName: string | null;
  /** Either named rows, or about `random` rows chosen by `seed`. */
  readonly rows: { readonly keys: readonly (readonly string[])[] } | { readonly random: number; readonly seed: string };
}

/** What the config says of the rows, as far as the source must be able to give it. */
export interface SourcePreflightOptions extends Partial<RowExpressions> {
  readonly excludedColumns: readonly string[];
  /** The columns of the `_id`; null: the primary key. */
  readonly id?: readonly string[] | null;
  /** `limits.query` of the config; null: there is none. */
  readonly throttleQuery?: string | null;
}

/** An advisory lock held by its own session. */
export interface SourceLock {
  release(): Promise<void>;
}

export interface Source extends ControlSource, PressureSource {
  identity(): Promise<SourceIdentity>;
  /** The table as the catalog has it now, or null if there is no such relation. `sizes: false`: no blocks and bytes, and no lock on any relation. */
  describeTable(qualifiedName: string, options?: { readonly sizes: boolean }): Promise<SourceTable | null>;
  /** A table that may be meant by a name that none has, as written in SQL; null if none is like it. */
  nearestTable(qualifiedName: string): Promise<string | null>;
  /** Every check of the source that needs no write; all findings at once. `table` is as written in the config. */
  preflight(qualifiedName: string, options: SourcePreflightOptions): Promise<readonly Finding[]>;
  /** The computed fields as columns, typed by the server, in the order of the config; throws `preflight-refused` for SQL that the server refuses, a filter included. */
  describeComputed(table: SourceTable, expressions: RowExpressions): Promise<readonly Column[]>;
  /** Tries `pg_try_advisory_lock` for this alias on a direct session; null if somebody else holds it. */
  tryLock(alias: string): Promise<SourceLock | null>;

  /** Throws `preflight-refused` unless the stream would carry the old values of `key`, the columns that make the `_id` (null: the primary key). */
  createPublication(name: string, table: SourceTable, key?: readonly string[] | null): Promise<void>;
  readPublication(name: string): Promise<PublicationState | null>;
  dropPublication(name: string): Promise<void>;
  /** Publications whose name starts with `prefix`. */
  listPublications(prefix: string): Promise<readonly string[]>;

  /** Waits for older writing transactions at most `timeoutMs`; then names the blocker (pid, user, age), cancels, leaves no slot, throws `slot-timeout`; `no-free-slot` if none is to be had. */
  createSlot(request: {
    readonly name: string;
    readonly temporary: boolean;
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
  }): Promise<CreatedSlot>;
  readSlot(name: string): Promise<SlotState | null>;
  /** Slots whose name starts with `prefix`. */
  listSlots(prefix: string): Promise<readonly SlotState[]>;
  /** Drops it if it exists; ends our own walsender on it first if it is still active. */
  dropSlot(name: string): Promise<void>;
  openStream(request: { readonly slot: string; readonly publication: string; readonly from: bigint }): Promise<ChangeStream>;

  /** Rule R0: the xids that the exported snapshot sees and a fresh one does not yet see. Empty = the load may start. */
  notYetVisible(snapshotName: string): Promise<readonly bigint[]>;
  currentSnapshot(): Promise<PgSnapshot>;
  insertLsn(): Promise<bigint>;

  openChunk(request: ChunkRequest): Promise<ChunkReader>;
  /** The whole table (all leaves) as COPY text under an exported snapshot (or a fresh REPEATABLE READ one if null). */
  openTable(request: TableRequest): Promise<ChunkReader>;
  lookup(request: LookupRequest): Promise<LookupResult>;
  /**
   * Throws `value-refused` for a key that is no value of its column's type, and for an expression that cannot be computed; `source-changed` for a text that cannot be
   * converted between the database's encoding and ours, of a key or of the table. `canBeKeys` tells the two apart.
   */
  readReference(request: ReferenceRequest): Promise<readonly ReferenceRow[]>;
  /** Whether all of these are values of the key columns' types, in the database's encoding; nothing of a table or of the config is read. */
  canBeKeys(key: readonly Column[], keys: readonly (readonly string[])[]): Promise<boolean>;
  /** Keeps an exported snapshot alive by importing it in a session of its own; re-exports it under a new name. */
  keepSnapshot(snapshotName: string | null): Promise<{ readonly snapshotName: string; release(): Promise<void> }>;
}

// ── the machine ───────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface Clock {
  /** Monotonic milliseconds: durations only. */
  now(): number;
  /** Wall time, only for names and reports. */
  date(): Date;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export interface RejectRecord {
  readonly id: string;
  /** Absent where Elasticsearch refused the row: it tells the field in a sentence only, of which the reason keeps the name. */
  readonly column?: string;
  readonly reason: string;
}

/** The rejects file; a write that fails stops the run before a record is lost. */
export interface RejectFile {
  write(record: RejectRecord): Promise<void>;
}
