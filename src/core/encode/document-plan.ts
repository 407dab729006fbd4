import type { Column } from '../table.ts';

/** What happens to a value Elasticsearch cannot hold: the row is rejected, or the value becomes `null`, or its PostgreSQL text as a string. */
export type ValuePolicy = 'reject' | 'null' | 'string';

/** One field of the document: which column, and under which name. */
export interface DocumentField {
  /** Index into `DocumentPlan.columns`. */
  readonly column: number;
  readonly field: string;
}

/** Everything an encoder needs; the same for COPY, WAL and lookup. Frozen; safe to send to a worker. */
export interface DocumentPlan {
  /** The SELECT list, in order: key columns and document columns. A `Row` has its fields in this order. */
  readonly columns: readonly Column[];
  readonly fields: readonly DocumentField[];
  /** Indices into `columns`, in the order of the primary key (or of the config's `id`). */
  readonly key: readonly number[];
  /** Index into `columns`, and one of `key`: the column whose text routes the document. Absent: Elasticsearch routes it by its id. */
  readonly routing?: number;
  /** An SQL condition over the row, as the config has it: other rows have no document. Absent: every row has one. */
  readonly where?: string;
  readonly onNonFinite: ValuePolicy;
  readonly onUnrepresentable: ValuePolicy;
  /** `sha256`: ids longer than 512 bytes become a hash; otherwise such rows are rejected. */
  readonly idHash: 'none' | 'sha256';
}

/** Why a row cannot become a document: the column (its source name) and a reason without values. */
export interface Rejection {
  readonly column: string;
  readonly reason: string;
}
