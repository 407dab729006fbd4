import type { BulkAnswer } from '../core/sink/operation.ts';
import type { RepairOperation } from '../core/sink/repair-body.ts';

export interface DocumentName {
  readonly id: string;
  /** Null unless the document was written with one. */
  readonly routing: string | null;
}

/** A document as it is this moment. */
export interface CurrentDocument extends DocumentName {
  readonly version: bigint;
  readonly seqNo: bigint;
  readonly primaryTerm: bigint;
  readonly source: Buffer;
}

export interface SequencedIds {
  readonly ids: readonly string[];
  readonly lastSeqNo: bigint;
  /** How many of all so far have that number: whoever begins there sees them again, because each shard has numbers of its own. */
  readonly atLast: number;
}

/** An index opened for conditional writes. */
export interface RepairDoor {
  /** Those that exist, unrefreshed writes included. */
  read(names: readonly DocumentName[]): Promise<readonly CurrentDocument[]>;
  /** One `_bulk` request, never repeated here; `superseded` means that the condition did not hold. */
  write(operations: readonly RepairOperation[]): Promise<BulkAnswer>;
  close(): Promise<void>;
}

export interface RepairDoorRequest {
  readonly index: string;
  readonly uuid: string;
  /** Of this repair alone (`repairAliasOf`). */
  readonly alias: string;
}

/** What an audit needs of the sink beyond the verification of a build. */
export interface AuditSink {
  /** The live mapping of a concrete index. */
  readMapping(index: string): Promise<{ readonly [key: string]: unknown }>;
  /** Opens the index with exactly this UUID through this alias; throws `target-vanished` if it is another one. */
  openRepair(request: RepairDoorRequest): Promise<RepairDoor>;
  /** The aliases of repairs on a concrete index, running or left; none if the index is gone. */
  repairAliases(index: string): Promise<readonly string[]>;
}
