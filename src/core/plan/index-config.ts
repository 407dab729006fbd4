import type { ValuePolicy } from '../encode/document-plan.ts';

export type VerifyMode = 'full' | 'sample' | 'counts';

/** What the config says of one index, defaults filled in, validated, frozen. */
export interface IndexConfig {
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
  readonly idHash: 'none' | 'sha256';
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
  readonly bulkJobs: number;
  readonly bulkBytes: number;
  /** Heap blocks per chunk; null = chosen from the table's size. Tests set it. */
  readonly chunkBlocks: number | null;
  readonly verify: VerifyMode;
  readonly sample: number;
  readonly seed: string;
  readonly maxRejects: number;
  readonly swapWhen: 'green' | 'yellow';
  readonly keep: number;
  readonly maxSlotWalBytes: bigint;
  readonly slotTimeoutMs: number;
  readonly stallTimeoutMs: number;
  /** A transaction larger than this is applied in parts (rule R2). */
  readonly transactionBytes: number;
}
