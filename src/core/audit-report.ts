import type { Difference, VerifyReport } from './events.ts';

/** How an audit came out. `unsettled` and `unfinished` are not judged, so they are never success. */
export type AuditVerdict = 'equal' | 'drift' | 'unsettled' | 'unfinished';

/**
 * `stale` is told from `different` by the document's version: it is one that realign wrote and nobody has written since, so the document is an older
 * state of its row. Only generations of realign have such versions.
 */
export type AuditKind = 'missing' | 'extra' | 'different' | 'stale';

export interface AuditDifference extends Omit<Difference, 'kind' | 'version' | 'copies'> {
  readonly kind: AuditKind;
  /** 0 … `partitions` − 1. */
  readonly partition: number;
  /** `_version` as decimal text; null for a missing document. */
  readonly version: string | null;
  /** The version shows that somebody else, or an earlier `--repair`, wrote the document; null where versions cannot show it (an index of others, a missing document). */
  readonly foreign: boolean | null;
  /** How many documents have this id, on account of routing; 1 unless it is more. */
  readonly copies: number;
}

/** One cell of the heat map; only partitions that differ are listed. */
export interface PartitionDrift {
  readonly partition: number;
  readonly missing: number;
  readonly extra: number;
  readonly different: number;
  readonly stale: number;
}

/** A field whose mapping in the index is of another type than the config asks for; `(none)` where there is none. */
export interface MappingDifference {
  readonly field: string;
  readonly expected: string;
  readonly actual: string;
}

/** A field that Elasticsearch keeps in `_source` but left out of its search structures. */
export interface IgnoredField {
  readonly field: string;
  readonly documents: number;
  /** Some of them, at most 10. */
  readonly ids: readonly string[];
}

/** What became of the named keys under `--repair`. */
export interface RepairReport {
  /** True for `--dry-run`: `written` and `deleted` are then what would be done. */
  readonly dryRun: boolean;
  readonly written: number;
  readonly deleted: number;
  /** Looked at again and equal without a write. */
  readonly settled: number;
  /** Read again after the write and found equal. */
  readonly proved: number;
  /** Why the rest is not repaired, one entry a key, without values. */
  readonly refused: readonly { readonly id: string; readonly reason: string }[];
}

export interface AuditDurations {
  readonly compareMs: number;
  readonly settleMs: number;
  readonly repairMs: number;
}

/** The result of one audit of one index. LSNs and versions are text; durations in milliseconds. */
export interface AuditReport extends Omit<VerifyReport, 'mode' | 'differences'> {
  /** `keys`: only the keys of `--keys-file`. */
  readonly mode: VerifyReport['mode'] | 'keys';
  readonly verdict: AuditVerdict;
  /** The concrete index that was compared. */
  readonly generation: string;
  /** `schema.table`. */
  readonly table: string;
  /** It carries realign's metadata, so its versions tell who wrote what. */
  readonly ours: boolean;
  /** `realign`: a slot of this generation exists, and each look waited until it had applied what the look's rows show. */
  readonly fedBy: 'realign' | 'others';
  /** At most the first 1,000; `differenceCount` and `kinds` count all. */
  readonly differences: readonly AuditDifference[];
  readonly kinds: { readonly [kind in AuditKind]: number };
  readonly unsettledCount: number;
  /** Documents of the whole index, equal ones too, that somebody else, or an earlier `--repair`, wrote last, as far as versions show; null where they cannot, or were not all seen. */
  readonly foreignWrites: number | null;
  /** For a heat map of `partitions` cells; filled in every mode. */
  readonly partitionDrift: readonly PartitionDrift[];
  readonly mapping: readonly MappingDifference[];
  readonly ignored: readonly IgnoredField[];
  /** `--sample` as asked. */
  readonly sampleSize: number;
  /** Documents of the index sampled at random, beside the rows in `sampled.random`. */
  readonly sampledDocuments: number;
  readonly settle: { readonly rounds: number; readonly pauseMs: number };
  /** 0 … 1 of both sides looked at, earlier runs of the same rotation included; 1 = complete. */
  readonly covered: number;
  /** Compared section by section (`--max-duration`), so that `rows` and `documents` were counted at many moments and need not be equal. */
  readonly sectioned: boolean;
  readonly durations: AuditDurations;
  readonly repair: RepairReport | null;
}
