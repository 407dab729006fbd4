import type { AuditDifference, AuditKind, PartitionDrift } from '../../core/audit-report.ts';
import type { Difference } from '../../core/events.ts';
import { DocumentHasher, type Hash64 } from '../../core/verify/checksum.ts';
import { isForeignVersion, type VersionSpace } from '../../core/verify/version-owner.ts';
import type { ScannedDocument } from '../sink-ports.ts';

const NO_KINDS: { readonly [kind in AuditKind]: number } = { missing: 0, extra: 0, different: 0, stale: 0 };

/** Gathers what an audit finds; `versions` is null where the versions of the index say nothing. */
export class AuditFindings {
  readonly all: Difference[] = [];
  readonly #versions: VersionSpace | null;
  #foreign = 0;

  constructor(versions: VersionSpace | null) {
    this.#versions = versions;
  }

  /** Documents that somebody else wrote last; null where versions cannot tell. */
  get foreignWrites(): number | null {
    return this.#versions === null ? null : this.#foreign;
  }

  seen({ version }: ScannedDocument): void {
    if (this.#versions !== null && isForeignVersion(version, this.#versions, false)) this.#foreign++;
  }

  add(difference: Difference): void {
    this.all.push(difference);
  }

  /** Every difference, with its cell of `partitions`. */
  described(hash: Hash64, partitions: number): readonly AuditDifference[] {
    const hasher = new DocumentHasher(hash, Math.max(1, partitions));
    return this.all.map((difference) => this.#describe(difference, hasher.partition(Buffer.from(difference.id, 'utf8'))));
  }

  #describe(difference: Difference, partition: number): AuditDifference {
    const { id, fields, kind, values, version = null, copies = 1 } = difference;
    const foreign = version === null || this.#versions === null ? null : isForeignVersion(BigInt(version), this.#versions, true);
    // Written by us and by nobody since, and yet not what the row is: an older state of it.
    const told: AuditKind = kind === 'different' && foreign === false ? 'stale' : kind;
    return { id, fields, kind: told, partition, version, foreign, copies, ...(values === undefined ? {} : { values }) };
  }
}

export function countKinds(differences: readonly AuditDifference[]): { readonly [kind in AuditKind]: number } {
  const kinds = { ...NO_KINDS };
  for (const { kind } of differences) kinds[kind]++;
  return kinds;
}

/** The cells that differ, in their order. */
export function driftByPartition(differences: readonly AuditDifference[]): readonly PartitionDrift[] {
  const cells = new Map<number, AuditDifference[]>();
  for (const difference of differences) cells.set(difference.partition, [...(cells.get(difference.partition) ?? []), difference]);
  return [...cells].sort(([a], [b]) => a - b).map(([partition, found]) => ({ partition, ...countKinds(found) }));
}
