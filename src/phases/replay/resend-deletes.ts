import { BulkBody } from '../../core/sink/bulk-body.ts';
import type { DeleteMemory } from '../../core/wal/delete-memory.ts';
import type { PgSnapshot } from '../../core/wal/snapshot.ts';
import type { Run } from '../build/run-state.ts';
import { sendBulk } from '../bulk/send-bulk.ts';
import { Breather } from './breather.ts';

/** Rule R3: sends the deletes again that `snapshot` did not see, each with its own version. */
export async function resendDeletes(run: Run, deletes: DeleteMemory, snapshot: PgSnapshot): Promise<void> {
  const body = new BulkBody('external', 1 << 12);
  const breather = new Breather(run.clock);
  for (const sent of deletes.unseenBy(snapshot)) {
    body.append({ id: sent.id, routing: sent.routing, version: sent.version, document: null });
    if (breather.due) await breather.breathe();
    if (body.byteLength < run.bulkTuning.laneBytes) continue;
    await sendBulk(run, body);
    body.clear();
  }
  if (body.count > 0) await sendBulk(run, body);
}
