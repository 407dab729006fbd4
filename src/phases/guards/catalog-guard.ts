import { Failure } from '../../core/failure.ts';
import type { SourceTable } from '../../core/table.ts';
import { nameInSql } from '../../core/table.ts';
import type { Run } from '../build/run-state.ts';

/**
 * Compares the catalog with what it was at the start. Some changes send no row messages at all (docs/servers.md P23 to P25), so it is asked at each chunk,
 * at each checkpoint and right before the swap. It waits for no lock: a chunk that asks holds one itself, and whoever waits for ACCESS EXCLUSIVE behind it would wait for ever.
 * Throws `source-changed`.
 */
export async function checkCatalog(run: Run): Promise<void> {
  const before = run.table;
  const now = await run.source.describeTable(run.config.table, { sizes: false });
  if (now === null) throw changed(before, 'it was dropped or renamed');
  if (now.oid !== before.oid) throw changed(before, `another table has its name now (OID ${now.oid}, was ${before.oid})`);
  if (now.fingerprint !== before.fingerprint) throw changed(before, 'its columns, key, identity or partitions are not what they were');
  await checkPublication(run);
}

async function checkPublication(run: Run): Promise<void> {
  const publication = await run.source.readPublication(run.names.publication);
  if (publication === null) throw changed(run.table, `publication ${run.names.publication} is gone`);
  const whole = publication.insert && publication.update && publication.delete && publication.truncate && publication.viaRoot;
  if (!whole || publication.tables.length !== 1 || publication.tables[0] !== run.table.oid) {
    throw changed(run.table, `publication ${run.names.publication} was altered`);
  }
}

function changed(table: SourceTable, what: string): Failure {
  return new Failure('source-changed', `${nameInSql(table)} changed during the build: ${what}`, {
    hint: 'Run the same command again: a new build reads the table as it is now.',
  });
}
