import type { DocumentPlan } from '../../core/encode/document-plan.ts';
import { fieldText, type Row } from '../../core/row.ts';
import { type DocumentHasher, groupPartitions, type PartitionGroup } from '../../core/verify/checksum.ts';
import { compareDocuments } from '../../core/verify/compare-json.ts';
import { documentDifference } from '../../core/verify/difference-ledger.ts';
import { HashTable } from '../../core/verify/hash-table.ts';
import type { Checksums } from './compare-checksums.ts';
import { BATCH_IDS, type Comparison, type DifferenceSink } from './comparison.ts';
import { scanSink } from './scan-sink.ts';
import { scanSource } from './scan-source.ts';

/** Ids held at once; 17 bytes a slot, at most four slots an id. */
const MAX_IDS = 2_000_000;
/** Documents waiting for their counterpart, in bytes of the source's side. */
const MAX_PENDING_BYTES = 8 * 1024 * 1024;

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
    if (group.partitions.has(hasher.partition(id))) table.put(hasher.idHash(id), hasher.documentHash(id, document.source));
  });
}

/** Goes through the rows of the group: a row without a hash is missing, one with another hash is compared by value. */
async function matchRows({ comparison, hasher, group, table, sink }: Search): Promise<void> {
  const { plan, signal } = comparison.context;
  const pending = new PendingDocuments(comparison, sink);
  await scanSource(comparison, signal, {
    document: (id, document, row) => {
      if (!group.partitions.has(hasher.partition(id))) return;
      const match = table.match(hasher.idHash(id), hasher.documentHash(id, document));
      if (match === 'absent') sink.found(documentDifference(id.toString('utf8'), 'missing'), keyTexts(plan, row));
      if (match === 'different') pending.add(id.toString('utf8'), document, keyTexts(plan, row));
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
    const match = table.match(hasher.idHash(id), hasher.documentHash(id, document.source));
    if (match === 'equal') sink.found(documentDifference(document.id, 'extra'), null);
  });
}

function keyTexts(plan: DocumentPlan, row: Row): readonly string[] {
  return plan.key.map((column) => fieldText(row, column) ?? '');
}

interface PendingDocument {
  readonly id: string;
  readonly document: Buffer;
  readonly key: readonly string[];
}

/** Documents whose bytes differ, compared by value in batches: other bytes may say the same. */
class PendingDocuments {
  readonly #comparison: Comparison;
  readonly #sink: DifferenceSink;
  #documents: PendingDocument[] = [];
  #bytes = 0;

  constructor(comparison: Comparison, sink: DifferenceSink) {
    this.#comparison = comparison;
    this.#sink = sink;
  }

  add(id: string, document: Buffer, key: readonly string[]): void {
    this.#documents.push({ id, document: Buffer.from(document), key });
    this.#bytes += document.length;
  }

  async compareIfMany(): Promise<void> {
    if (this.#documents.length >= BATCH_IDS || this.#bytes >= MAX_PENDING_BYTES) await this.compareAll();
  }

  async compareAll(): Promise<void> {
    while (this.#documents.length > 0) await this.#compare(this.#documents.splice(0, BATCH_IDS));
    this.#bytes = 0;
  }

  async #compare(batch: readonly PendingDocument[]): Promise<void> {
    const stored = new Map((await this.#comparison.frozen.byIds(batch.map(({ id }) => id))).map((document) => [document.id, document.source]));
    for (const { id, document, key } of batch) {
      const source = stored.get(id);
      // Not there although the scan saw it: two ids with one hash. Then this row has no document.
      if (source === undefined) this.#sink.found(documentDifference(id, 'missing'), key);
      else this.#report(id, compareDocuments(document, source), key);
    }
  }

  #report(id: string, fields: ReturnType<typeof compareDocuments>, key: readonly string[]): void {
    if (fields.length > 0) this.#sink.found(documentDifference(id, 'different', fields), key);
  }
}
