/** What the pipeline needs from Elasticsearch; `src/elasticsearch` implements it. The rules are those of ports.ts. */

import type { IgnoredField } from '../core/audit-report.ts';
import type { Finding } from '../core/finding.ts';
import type { BuildState } from '../core/plan/build-state.ts';
import type { BulkBody } from '../core/sink/bulk-body.ts';
import type { BulkAnswer } from '../core/sink/operation.ts';
import type { AuditSink, SequencedIds } from './audit-ports.ts';

export interface SinkIdentity {
  readonly version: string;
  readonly clusterUuid: string;
  readonly dataNodes: number;
}

/** The properties an alias has on an index; carried over in the swap. */
export interface AliasProperties {
  readonly filter?: unknown;
  readonly index_routing?: string;
  readonly search_routing?: string;
  readonly is_write_index?: boolean;
  readonly is_hidden?: boolean;
}

/** What a name means today. */
export type AliasTarget =
  | { readonly kind: 'none' }
  | { readonly kind: 'alias'; readonly indices: ReadonlyMap<string, AliasProperties> }
  | { readonly kind: 'index' };

/** An index of ours: it carries `_meta.realign`, and has the name that this was written for. */
export interface Generation {
  readonly index: string;
  readonly uuid: string;
  readonly state: BuildState;
  readonly aliases: readonly string[];
}

export interface IndexSettings {
  readonly [name: string]: unknown;
}

export interface CreateIndexRequest {
  readonly index: string;
  readonly buildAlias: string;
  /** Complete mapping, without `_meta`. */
  readonly mapping: { readonly [key: string]: unknown };
  /** The settings wanted at the end; the adapter creates with load-time ones instead (replicas 0, refresh −1, gc_deletes 12h) where they differ. */
  readonly settings: IndexSettings;
  readonly state: BuildState;
}

/** A hit of a frozen scan: the id and the `_source` bytes exactly as stored. */
export interface ScannedDocument {
  readonly id: string;
  /** Absent unless it was written with a routing. */
  readonly routing?: string;
  readonly version: bigint;
  readonly source: Buffer;
}

/** A point in time: the index as it was after the last refresh. */
export interface FrozenIndex {
  /** Exact number of documents; fails on partial answers. */
  count(): Promise<number>;
  /** All documents, in slices read side by side, page by page. */
  scan(): AsyncIterable<readonly ScannedDocument[]>;
  /** The documents among `ids` that exist in the frozen index. */
  byIds(ids: readonly string[]): Promise<readonly ScannedDocument[]>;
  /** Which fields are in `_source` only (`_ignored`), in how many documents. */
  ignored(): Promise<readonly IgnoredField[]>;
  /** Ids from this sequence number on, in the order of the numbers: a place that is found again in a later point in time. */
  fromSequence(seqNo: bigint): AsyncIterable<SequencedIds>;
  /** The ids of about `count` documents (at most 10,000), chosen by the seed. */
  randomIds(count: number, seed: number): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** An index that another version of realign made; what could be made out of its state. */
export interface UnreadableState {
  readonly index: string;
  readonly alias: string | null;
  readonly slot: string | null;
  /** As JSON. */
  readonly format: string;
}

/** An index that carries the state of another one, because it was made of it (a clone, a restored snapshot). Whoever made it decides about it. */
export interface GenerationCopy {
  readonly index: string;
  readonly alias: string;
  readonly build: string;
}

/** Everything that carries a state of ours. An index is in one of the lists: one that cannot be read must not take the others down. */
export interface OurIndices {
  /** Newest first. */
  readonly generations: readonly Generation[];
  readonly unreadable: readonly UnreadableState[];
  /** In no other list, so nothing is ever done to them. */
  readonly copies: readonly GenerationCopy[];
}

/** The outcome of a swap call that was understood; anything else throws. */
export type SwapOutcome = 'swapped' | 'alias-changed';

export interface SwapRequest {
  readonly alias: string;
  readonly to: string;
  /** Exactly the generation seen at the start; null on a first build. */
  readonly from: string | null;
  readonly properties: AliasProperties;
  /** The alias name is a concrete index today: remove it in the same call (`--adopt`). */
  readonly adopt: boolean;
}

/** What a build would ask of the sink. */
export interface SinkPreflightRequest {
  readonly alias: string;
  readonly index: string;
  readonly settings: IndexSettings;
  readonly adopt: boolean;
  readonly sourceBytes: number;
  /** Tried on the server without making anything; absent: there is no plan. */
  readonly mapping?: { readonly [key: string]: unknown };
  /** Health that was asked for in so many words. */
  readonly swapWhen?: 'green' | 'yellow' | null;
}

export interface Sink extends AuditSink {
  identity(): Promise<SinkIdentity>;
  preflight(request: SinkPreflightRequest): Promise<readonly Finding[]>;
  readAlias(alias: string): Promise<AliasTarget>;
  /** All indices of ours for this alias, hidden ones too, newest first; throws `state-unknown` if one of them cannot be read. */
  generations(alias: string): Promise<readonly Generation[]>;
  /** Those of every alias, as one look sees them. */
  ourIndices(): Promise<OurIndices>;
  createIndex(request: CreateIndexRequest): Promise<{ readonly uuid: string }>;
  /** The UUID of a concrete index, or null if it is gone. */
  indexUuid(index: string): Promise<string | null>;
  /** Writes `_meta.realign` whole. */
  writeState(index: string, state: BuildState): Promise<void>;
  /** One `_bulk` request through the build alias with `require_alias`; never retried here. Throws `denied`, `target-vanished`, `sink-refused`. */
  bulk(buildAlias: string, body: BulkBody): Promise<BulkAnswer>;
  /** Number of bulk tasks still running on the index (of a process that died). */
  runningBulkTasks(index: string): Promise<number>;
  /** Number of tasks still running of bulk requests that had no answer (`BulkAnswer.unanswered`). */
  runningRequests(requests: readonly string[]): Promise<number>;
  /** Restores the wanted settings explicitly, flushes; `gc_deletes` stays until `finishSettings`. */
  restoreSettings(index: string, wanted: IndexSettings): Promise<void>;
  /** Waits until the index has at least this health with no shard moving; false at the deadline. */
  waitForHealth(index: string, level: 'green' | 'yellow', timeoutMs: number): Promise<boolean>;
  finishSettings(index: string, wanted: IndexSettings): Promise<void>;
  refresh(index: string): Promise<void>;
  freeze(index: string): Promise<FrozenIndex>;
  swap(request: SwapRequest): Promise<SwapOutcome>;
  /** Takes a hidden alias of ours off one index; absent already is fine. */
  removeBuildAlias(index: string, buildAlias: string): Promise<void>;
  /** Deletes one concrete index by exact name after checking that its UUID is the one given and that it carries our `_meta`. */
  deleteIndex(index: string, uuid: string): Promise<void>;
  /** The live index's settings that a rebuild should keep when the config names none (replicas, refresh_interval, shards). */
  readSettings(index: string): Promise<IndexSettings>;
  /** Bytes of its primary shards; null if it is gone or may not be seen. */
  indexBytes(index: string): Promise<number | null>;
}
