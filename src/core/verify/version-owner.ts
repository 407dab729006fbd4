/** What the versions of a generation of ours are made of. */
export interface VersionSpace {
  /** The slot's consistent point: loaded rows have the version just below it, streamed changes their commit LSN. */
  readonly cp: bigint;
  /** The source's insert position, read after the version: nothing of ours is newer. */
  readonly newestLsn: bigint;
}

/**
 * Who wrote a document whose version is not ours. A repair writes on condition that nobody else has, which Elasticsearch does not do with a version of our choice
 * (docs/servers.md E2): it adds one to the version, as an ordinary write does. So our own repairs are among them, and whoever is told of them is told that, too.
 */
export const NOT_OF_A_BUILD = 'by others, or by an earlier --repair';

/**
 * True if somebody other than realign wrote a document of this version. An ordinary write adds one to the version (docs/servers.md E2), and commit
 * LSNs are multiples of 8. One case stays open: one ordinary write on a loaded row gives exactly the consistent point, which a streamed change
 * may have, too; `suspicious` (the document differs) decides it, because such a change is one transaction at most and its documents are equal.
 */
export function isForeignVersion(version: bigint, { cp, newestLsn }: VersionSpace, suspicious: boolean): boolean {
  if (version === cp - 1n) return false;
  if (version === cp) return suspicious;
  return version < cp || version % 8n !== 0n || version > newestLsn;
}
