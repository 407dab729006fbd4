import type { AuditDifference, AuditKind, PartitionDrift } from '../../core/audit-report.ts';
import type { Difference } from '../../core/events.ts';
import { DocumentHasher, type Hash64 } from '../../core/verify/checksum.ts';
import { isForeignVersion, type VersionSpace } from '../../core/verify/version-owner.ts';
import type { ScannedDocument } from '../sink-ports.ts';

const NO_KINDS: { readonly [kind in AuditKind]: number } = { missing: 0, extra: 0, different: 0, stale: 0 };

/** Beyond so many documents that may be newer than anything the source has written, the rest counts as ours. */
const MAX_AHEAD = 10_000;

/** Gathers what an audit finds; `versions` is null where the versions of the index say nothing, its `newestLsn` is that of the beginning. */
export class AuditFindings {
  readonly all: Difference[] = [];
  readonly #versions: VersionSpace | null;
  #foreign = 0;
  /** Versions beyond the newest LSN of the beginning: a replay that goes on during the audit writes such, too, so only its end tells. */
  readonly #ahead: bigint[] = [];

  constructor(versions: VersionSpace | null) {
    this.#versions = versions;
  }

  seen({ version }: ScannedDocument): void {
    if (this.#versions === null || !isForeignVersion(version, this.#versions, false)) return;
    if (isForeignVersion(version, { ...this.#versions, newestLsn: version }, false)) this.#foreign++;
    else if (this.#ahead.length < MAX_AHEAD) this.#ahead.push(version);
  }

  add(difference: Difference): void {
    this.all.push(difference);
  }

  /** Every difference, with its cell of `partitions`; `newestLsn` was read after the last look. */
  described(hash: Hash64, partitions: number, newestLsn: bigint): readonly AuditDifference[] {
    const hasher = new DocumentHasher(hash, Math.max(1, partitions));
    const versions = this.#versions === null ? null : { ...this.#versions, newestLsn };
    return this.all.map((difference) => describe(difference, hasher.partition(Buffer.from(difference.id, 'utf8')), versions));
  }

  /**
   * How many documents somebody else wrote last: those seen, and among `differences` those that only their content gives away (a loaded row written
   * once). Null where versions cannot tell.
   */
  foreignWrites(differences: readonly AuditDifference[], newestLsn: bigint): number | null {
    if (this.#versions === null) return null;
    const { cp } = this.#versions;
    const flagged = differences.filter(({ foreign }) => foreign === true);
    const onlyByContent = flagged.filter(({ version }) => version === String(cp)).length;
    const seen = this.#foreign + this.#ahead.filter((version) => version > newestLsn).length;
    // Written between the pass that counts and the last look: never fewer than are named.
    return Math.max(seen + onlyByContent, flagged.length);
  }
}

function describe(difference: Difference, partition: number, versions: VersionSpace | null): AuditDifference {
  const { id, fields, kind, values, version = null, copies = 1 } = difference;
  const foreign = version === null || versions === null ? null : isForeignVersion(BigInt(version), versions, true);
  // Written by us and by nobody since, and yet not what the row is: an older state of it.
  const told: AuditKind = kind === 'different' && foreign === false ? 'stale' : kind;
  return { id, fields, kind: told, partition, version, foreign, copies, ...(values === undefined ? {} : { values }) };
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
