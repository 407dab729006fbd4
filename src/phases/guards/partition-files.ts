import { Failure } from '../../core/failure.ts';
import type { LeafProgress } from '../../core/plan/build-state.ts';
import type { Leaf } from '../../core/table.ts';
import type { Run } from '../build/run-state.ts';

/** OID of each partition → the file that holds its rows. */
export type PartitionFiles = ReadonlyMap<number, number>;

/**
 * TRUNCATE of a partition sends no message (docs/servers.md P16), and nothing but its file tells. A file that changed otherwise (VACUUM FULL of a partition) cannot be told
 * from it. Takes no lock; empty for a table without partitions, whose TRUNCATE is in the stream.
 */
export async function readPartitionFiles(run: Run): Promise<PartitionFiles> {
  if (!run.table.partitioned) return new Map();
  const table = await run.source.describeTable(run.config.table, { sizes: false });
  return new Map((table?.leaves ?? []).map(({ oid, relfilenode }) => [oid, relfilenode]));
}

/** The files that the load read. */
export function loadedFiles(load: readonly LeafProgress[]): PartitionFiles {
  return new Map(load.map(({ oid, relfilenode }) => [oid, relfilenode]));
}

/** Throws `source-changed` naming a partition whose file is not the one it was. */
export function requireSameFiles(leaves: readonly Leaf[], before: PartitionFiles, now: PartitionFiles): void {
  const changed = [...now].find(([oid, file]) => before.get(oid) !== file);
  if (changed === undefined) return;
  const leaf = leaves.find(({ oid }) => oid === changed[0]);
  throw new Failure('source-changed', `partition ${leaf?.schema}.${leaf?.name} was truncated or rewritten during the build`, {
    hint: 'A truncated partition sends no changes, so the build cannot go on. Run the same command again: a new build reads the table as it is now.',
  });
}
