import type { SavedCells } from './section-cells.ts';

/** Where a rotation stands: first the table in its blocks, then the index in the order of its sequence numbers (which catches what has no row). */
export type AuditPosition =
  | { readonly side: 'table'; readonly leaf: number; readonly relfilenode: number; readonly block: number }
  | { readonly side: 'index'; readonly seqNo: string };

/** What one run leaves for the next. Ids of documents that differed are in it, no values. */
export interface SavedAudit {
  readonly format: 2;
  readonly uuid: string;
  /** `IndexPlan.fingerprint`: with another plan the rotation starts over. */
  readonly plan: string;
  readonly position: AuditPosition;
  readonly rows: number;
  readonly rejected: number;
  readonly documents: number;
  /** The map of the rotation so far. */
  readonly cells: SavedCells;
  /** To be looked at again first. */
  readonly differing: readonly string[];
}

/** Where the state is kept; declared here, by its user. */
export interface AuditState {
  read(): Promise<SavedAudit | null>;
  write(saved: SavedAudit): Promise<void>;
  /** The rotation is complete. */
  clear(): Promise<void>;
}
