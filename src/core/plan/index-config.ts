import type { ValuePolicy } from '../encode/document-plan.ts';

export type VerifyMode = 'full' | 'sample' | 'counts';

/** SQL of the config over the row's own columns. Only the server can say what it comes to, so every changed row is read again. */
export interface RowExpressions {
  /** Rows for which it is not true have no document; null: every row has one. */
  readonly where: string | null;
  /** Field name → expression. */
  readonly computed: { readonly [field: string]: string };
}

/** What the config says of one index, defaults filled in, validated, frozen. */
export interface IndexConfig extends RowExpressions {
  /** The alias that readers use. */
  readonly alias: string;
  /** As in SQL, quoted where needed: `public.products`, `"Odd Schema"."Table"`. */
  readonly table: string;
  readonly columns: { readonly include: '*' | readonly string[]; readonly exclude: readonly string[] };
  /** Column name → field name. */
  readonly rename: { readonly [column: string]: string };
  /** Field name → mapping that replaces the inferred one of that field. */
  readonly fields: { readonly [field: string]: { readonly [key: string]: unknown } };
  /** A complete mapping instead of the inferred one. */
  readonly mapping: { readonly [key: string]: unknown } | null;
  readonly settings: { readonly [key: string]: unknown };
  /** The columns that make the `_id`, in this order; null: the primary key. */
  readonly id: readonly string[] | null;
  readonly idHash: 'none' | 'sha256';
  /** The column of the id whose text routes the documents; null: Elasticsearch routes them by their ids. */
  readonly routing: string | null;
  readonly onNonFinite: ValuePolicy;
  readonly onUnrepresentable: ValuePolicy;
}

/** How one run of `rebuild` behaves: flags over file over defaults. Sizes in bytes, times in milliseconds. */
export interface RunOptions {
  readonly fresh: boolean;
  readonly adopt: boolean;
  /** Documents per second of the load; null = as fast as the sink takes them. */
  readonly rate: number | null;
  readonly copyJobs: number;
  /** Bulk requests of the load at a time, and the bytes of one; null = found while it runs. */
  readonly bulkJobs: number | null;
  readonly bulkBytes: number | null;
  /** Heap blocks per chunk; null = by the rate at which they are loaded. Tests set it. */
  readonly chunkBlocks: number | null;
  readonly verify: VerifyMode;
  readonly sample: number;
  readonly seed: string;
  readonly maxRejects: number;
  /** Health the new index needs; null = not said: green, or yellow where replicas can have no place. */
  readonly swapWhen: 'green' | 'yellow' | null;
  readonly keep: number;
  /** null = the server's `max_slot_wal_keep_size`, else 20 GiB. */
  readonly maxSlotWalBytes: bigint | null;
  readonly slotTimeoutMs: number;
  readonly stallTimeoutMs: number;
  /** A transaction larger than this is applied in parts (rule R2). */
  readonly transactionBytes: number;
  /** Wait before the swap until somebody says so. */
  readonly hold: boolean;
  /** Wait before the swap as long as this file exists. */
  readonly holdFile: string | null;
  /** null = as long as it takes. */
  readonly holdTimeoutMs: number | null;
  /** Go on applying changes after the swap. */
  readonly follow: boolean;
  /** How long the follower of the generation that leaves the alias goes on feeding it. */
  readonly keepFreshMs: number | null;
  /** Nothing to do if the live generation was made of the same config and table. */
  readonly ifChanged: boolean;
  /** A name for this run: if it was done already there is nothing to do. */
  readonly runKey: string | null;
  readonly ifLocked: 'fail' | 'wait' | 'skip';
  readonly throttles: LoadThrottles;
}

/** What holds the load back, besides its rate; null = not asked for. */
export interface LoadThrottles {
  readonly replicaLagMs: number | null;
  /** A read-only SQL statement: true = hold back. */
  readonly query: string | null;
  /** As long as this file exists. */
  readonly flagFile: string | null;
}
