import { keyTexts } from '../../core/row.ts';
import { type DocumentHasher, groupPartitions, type PartitionGroup } from '../../core/verify/checksum.ts';
import { documentDifference } from '../../core/verify/difference-ledger.ts';
import { HashTable } from '../../core/verify/hash-table.ts';
import type { Checksums } from './compare-checksums.ts';
import { type Comparison, type DifferenceSink, storedRouting } from './comparison.ts';
import { PendingDocuments } from './pending-documents.ts';
import { scanSink } from './scan-sink.ts';
import { scanSource } from './scan-source.ts';

/** Ids held at once; 17 bytes a slot, at most four slots an id. */
const MAX_IDS = 2_000_000;

/** One group of partitions in work. */
interface Search {
  readonly comparison: Comparison;
  readonly hasher: DocumentHasher;
  readonly group: PartitionGroup;
  /** What the index has in these partitions. */
  readonly table: HashTable;
  readonly sink: DifferenceSink;
}

/** Reads the differing partitions again and names what differs in them by value. */
export async function nameDifferences(comparison: Comparison, hasher: DocumentHasher, checksums: Checksums, sink: DifferenceSink): Promise<void> {
  for (const group of groupPartitions(checksums.differing, checksums.counts, MAX_IDS)) {
    const search: Search = { comparison, hasher, group, table: new HashTable(group.ids), sink };
    await hashIndex(search);
    await matchRows(search);
    if (search.table.waiting > 0) await nameExtras(search);
  }
}

async function hashIndex({ comparison, hasher, group, table }: Search): Promise<void> {
  await scanSink(comparison, comparison.context.signal, (id, document) => {
    if (!group.partitions.has(hasher.partition(id))) return;
    table.put(hasher.idHash(id), hasher.documentHash(id, document.source, storedRouting(comparison.context, document)));
  });
}

/** Goes through the rows of the group: a row without a hash is missing, one with another hash is compared by value. */
async function matchRows({ comparison, hasher, group, table, sink }: Search): Promise<void> {
  const { plan, signal } = comparison.context;
  const pending = new PendingDocuments(comparison.context, comparison.frozen, sink);
  await scanSource(comparison, signal, {
    document: (id, document, row, routing) => {
      if (!group.partitions.has(hasher.partition(id))) return;
      const match = table.match(hasher.idHash(id), hasher.documentHash(id, document, routing));
      if (match === 'absent') sink.found(documentDifference(id.toString('utf8'), 'missing'), keyTexts(row, plan.key));
      if (match === 'different') pending.add(id.toString('utf8'), document, keyTexts(row, plan.key));
    },
    rejected: () => undefined,
    pause: () => pending.compareIfMany(),
  });
  await pending.compareAll();
}

/** What no row matched is extra; only now are its ids needed, so the index is read once more. */
async function nameExtras({ comparison, hasher, group, table, sink }: Search): Promise<void> {
  await scanSink(comparison, comparison.context.signal, (id, document) => {
    if (!group.partitions.has(hasher.partition(id))) return;
    const match = table.match(hasher.idHash(id), hasher.documentHash(id, document.source, storedRouting(comparison.context, document)));
    if (match === 'equal') sink.found(documentDifference(document.id, 'extra'), null);
  });
}
