import { Failure } from '../../core/failure.ts';
import { type DocumentHasher, differingPartitions, PartitionSums } from '../../core/verify/checksum.ts';
import { bothAtOnce } from '../flow/both-at-once.ts';
import { type Comparison, storedRouting } from './comparison.ts';
import { scanSink } from './scan-sink.ts';
import { scanSource } from './scan-source.ts';

export interface Checksums {
  readonly rows: number;
  readonly rejected: number;
  readonly documents: number;
  /** Documents per partition on the Elasticsearch side. */
  readonly counts: Float64Array;
  readonly differing: readonly number[];
}

/** One pass over both sides at once; memory does not depend on the number of rows. */
export async function compareChecksums(comparison: Comparison, hasher: DocumentHasher, partitions: number): Promise<Checksums> {
  const source = new PartitionSums(partitions);
  const sink = new PartitionSums(partitions);
  let rejected = 0;
  await bothAtOnce(
    comparison.context.signal,
    (stop) =>
      scanSource(comparison, stop, {
        document: (id, document, _row, routing) => source.add(hasher.partition(id), hasher.documentHash(id, document, routing)),
        rejected: () => rejected++,
      }),
    async (stop) => {
      await scanSink(comparison, stop, (id, document) => {
        comparison.context.audit?.seen(document);
        sink.add(hasher.partition(id), hasher.documentHash(id, document.source, storedRouting(comparison.context, document)));
      });
    },
  );
  await requireWholeScan(comparison, sink.total());
  return { rows: source.total() + rejected, rejected, documents: sink.total(), counts: sink.counts, differing: differingPartitions(source, sink) };
}

// A scan that misses documents on both passes would name rows as missing that are there; the count comes by another way (docs/servers.md E28).
async function requireWholeScan(comparison: Comparison, scanned: number): Promise<void> {
  const counted = await comparison.frozen.count();
  if (counted === scanned) return;
  throw new Failure(
    'verification-failed',
    `the scan of ${comparison.context.index} returned ${scanned} of ${counted} documents; nothing can be said about the rest`,
    {
      hint: 'Look at the shards of the index (GET _cat/shards), then run the same command again.',
    },
  );
}
