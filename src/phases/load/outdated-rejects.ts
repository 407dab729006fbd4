import { DocumentEncoder } from '../../core/encode/document.ts';
import { keyOfId } from '../../core/verify/key-of-id.ts';
import { persist } from '../build/persist.ts';
import type { Run } from '../build/run-state.ts';
import { batches } from '../flow/batches.ts';
import { closingAfter } from '../flow/closing-after.ts';
import { rowsOf } from '../replay/resolve-lookups.ts';
import type { Replay } from '../replay.ts';
import type { FrozenIndex } from '../sink-ports.ts';

/**
 * Takes off the list of rejects what is none any more: a refusal of the load may become known after the replay has mended or deleted that row, and then nothing of the
 * stream speaks of it again. Left there, it would excuse a document that is lost later. Call it when the load is over and the replay has caught up.
 */
export async function forgetOutdatedRejects(run: Run, replay: Pick<Replay, 'hold' | 'release' | 'acknowledger'>): Promise<void> {
  if (run.rejected.ids.size === 0) return;
  // Between two transactions: a row that is refused again while it is looked at must stay on the list.
  await replay.hold();
  try {
    await persist(run, 'rejects', () => lookAtAll(run, replay.acknowledger.unseenXids));
  } finally {
    replay.release();
  }
}

async function lookAtAll(run: Run, unseen: ReadonlySet<number>): Promise<void> {
  await run.sink.refresh(run.names.index);
  const frozen = await run.sink.freeze(run.names.index);
  await closingAfter(
    () => frozen.close(),
    async () => {
      for (const ids of batches([...run.rejected.ids])) await forget(run, frozen, ids, unseen);
    },
  );
}

/**
 * A row that is gone by now is deleted by the stream at the latest before the fence, and one that comes again is judged then. Behind a synchronous standby a row that was applied
 * may be not there yet: the lookup waits for what is `unseen`.
 */
async function forget(run: Run, frozen: FrozenIndex, ids: readonly string[], unseen: ReadonlySet<number>): Promise<void> {
  const indexed = new Set((await frozen.byIds(ids)).map(({ id }) => id));
  const asked = ids.flatMap((id) => {
    const key = indexed.has(id) ? null : keyOfRejected(run, id);
    return key === null ? [] : [{ id, key }];
  });
  const rows = await rowsOf(
    run,
    new DocumentEncoder(run.documents),
    asked.map(({ key }) => key),
    { xids: unseen, snapshotName: null },
  );
  const gone = asked.filter(({ id }) => !rows.has(Buffer.from(id).toString('latin1')));
  for (const id of [...indexed, ...gone.map((one) => one.id)]) run.rejected.mend(id);
}

/** Null if it cannot be told; then the id stays on the list. An empty part may stand for NULL. */
function keyOfRejected(run: Run, id: string): readonly string[] | null {
  const of = keyOfId(run.documents, id);
  const key = id.includes('\0') ? id.split('\0') : of.kind === 'key' ? of.key : null;
  return key?.length === run.documents.key.length && !key.includes('') ? key : null;
}
