import { BulkBody } from '../core/sink/bulk-body.ts';
import { type Run, throwIfAborted } from './run-state.ts';
import { sendBulk } from './send-bulk.ts';

/**
 * Applies a TRUNCATE committed at `version`: deletes every document there is, with that version. `external_gte`, because documents of an earlier part of the same
 * transaction have the same one. Call it only while no load chunk and no replay bulk is in flight.
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
        body.append({ id: Buffer.from(document.id), version, document: null });
        deleted++;
      }
      if (body.byteLength >= run.options.bulkBytes) await flush(run, body);
    }
    await flush(run, body);
  } finally {
    await frozen.close();
  }
  return deleted;
}

async function flush(run: Run, body: BulkBody): Promise<void> {
  if (body.count > 0) await sendBulk(run, body);
  body.clear();
}
