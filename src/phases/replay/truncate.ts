import { BulkBody } from '../../core/sink/bulk-body.ts';
import { type Run, throwIfAborted } from '../build/run-state.ts';
import { sendBulk } from '../bulk/send-bulk.ts';
import type { ScannedDocument } from '../sink-ports.ts';

/**
 * The version with which a TRUNCATE committed at `finalLsn` deletes. Just below it: rows that the same transaction inserts behind the TRUNCATE have `finalLsn` itself and
 * would be refused by a tombstone of the same version, or deleted when the transaction comes again. Only in a transaction applied in parts it is `finalLsn`: what an
 * earlier part wrote has to go too, and later parts are taken at the same version.
 */
export function truncateVersion(finalLsn: bigint, inParts: boolean): bigint {
  return inParts ? finalLsn : finalLsn - 1n;
}

/**
 * Applies a TRUNCATE: deletes every document that has `version` (see `truncateVersion`) or a lower one, hence `external_gte`. Call it only while no load chunk and no
 * replay bulk is in flight.
 */
export async function truncateIndex(run: Run, version: bigint): Promise<number> {
  await run.sink.refresh(run.names.index);
  const frozen = await run.sink.freeze(run.names.index);
  const body = new BulkBody('external_gte', 1 << 16);
  let deleted = 0;
  try {
    for await (const page of frozen.scan()) {
      throwIfAborted(run.signal);
      for (const document of page) {
        body.append({ id: Buffer.from(document.id), routing: routingOf(document), version, document: null });
        deleted++;
      }
      if (body.byteLength >= run.bulkTuning.laneBytes) await flush(run, body);
    }
    await flush(run, body);
  } finally {
    await frozen.close();
  }
  return deleted;
}

/** As it is stored: the document is in that shard, wherever it should be. */
function routingOf({ routing }: ScannedDocument): Buffer | undefined {
  return routing === undefined ? undefined : Buffer.from(routing);
}

async function flush(run: Run, body: BulkBody): Promise<void> {
  if (body.count > 0) await sendBulk(run, body);
  body.clear();
}
