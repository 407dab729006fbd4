/** `external` accepts only a higher version; `external_gte` also the same one (only for a transaction applied in parts, rule R2). */
export type VersionType = 'external' | 'external_gte';

/** One versioned write: an index operation with the document's bytes, or a delete (`document: null`). */
export interface WriteOperation {
  readonly id: Buffer;
  /** Absent: Elasticsearch routes it by the id. The same for all operations of one id. */
  readonly routing?: Buffer | undefined;
  readonly version: bigint;
  readonly document: Buffer | null;
}

/** What became of one operation of a bulk. */
export type OperationOutcome =
  | { readonly kind: 'done' }
  /** 409: a newer version is there, or this one already is. */
  | { readonly kind: 'superseded' }
  /** The document itself can never be accepted. `reason` is the error type and field, without values. */
  | { readonly kind: 'rejected'; readonly errorType: string; readonly reason: string }
  /** Overload or a missing shard: the same operation again later. */
  | { readonly kind: 'retry'; readonly errorType: string }
  /** A block on the index (disk flood stage, write block): wait loudly. */
  | { readonly kind: 'blocked'; readonly errorType: string };

/** The answer to one bulk request. `whole` answers concern every operation of it. */
export type BulkAnswer =
  | { readonly kind: 'outcomes'; readonly outcomes: readonly OperationOutcome[] }
  /**
   * HTTP 429/502/503/504, or no usable answer at all (the outcome is unknown): send the same bytes again. `unanswered` names a request that may still be running in
   * the server and be applied later (rule R6).
   */
  | { readonly kind: 'retry'; readonly errorType: string; readonly unanswered?: string }
  /** HTTP 400 for the whole request: one bad action spoils it; bisect. */
  | { readonly kind: 'malformed'; readonly errorType: string }
  /** HTTP 413: halve it; a single operation that is too large is rejected. */
  | { readonly kind: 'too-large' };
