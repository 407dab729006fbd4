import type { DocumentEncoder } from '../../core/encode/document.ts';
import { standInId } from '../../core/encode/id-text.ts';
import { Failure } from '../../core/failure.ts';
import { emptyRow, keyTexts, type Row } from '../../core/row.ts';
import { readHeld } from '../../core/wal/held-row.ts';
import { isVisible, widenXid } from '../../core/wal/snapshot.ts';
import type { KeyChange } from '../../core/wal/transaction.ts';
import { type Run, throwIfAborted } from '../build/run-state.ts';
import type { LookupSize, Segment } from './lookup-groups.ts';

const RETRY_MS = 20;

/** Rows that were re-read, by id (latin1 text of its bytes); a key that is not in it has no row. */
export type LookedUpRows = ReadonlyMap<string, Row>;

/**
 * Re-reads the rows of all changes that lack a value (unchanged TOAST, generated columns), each key once, in a snapshot that sees every transaction they
 * belong to: with a synchronous standby a commit is streamed before it is visible. `snapshotName` is an exported snapshot that is known to see them. `size` learns from what they come to.
 */
export async function resolveLookups(
  run: Run,
  encoder: DocumentEncoder,
  group: readonly Segment[],
  { snapshotName, size }: { readonly snapshotName: string | null; readonly size: LookupSize },
): Promise<LookedUpRows> {
  const wanted = new Map<string, readonly string[]>();
  const xids = new Set<number>();
  const scratch = emptyRow(run.documents.columns.length);
  for (const { step, from, to } of group) {
    if (step.kind !== 'transaction') continue;
    for (let at = from; at < to; at++) {
      const change = step.transaction.changes[at] as KeyChange;
      if (!change.needsLookup) continue;
      wanted.set(change.id, keyTexts(readHeld(change.keyRow, scratch), run.documents.key));
      xids.add(step.transaction.xid);
    }
  }
  const rows = await rowsOf(run, encoder, [...wanted.values()], { xids, snapshotName });
  size.learn(wanted.size, rows.values());
  return rows;
}

/** The rows that have these keys now, or in the snapshot; all of `xids` are seen. */
export async function rowsOf(
  run: Run,
  encoder: DocumentEncoder,
  keys: readonly (readonly string[])[],
  { xids, snapshotName }: { readonly xids: ReadonlySet<number>; readonly snapshotName: string | null },
): Promise<LookedUpRows> {
  if (keys.length === 0) return new Map();
  const rows = await lookUp(run, keys, xids, snapshotName);
  const found = new Map<string, Row>();
  for (const row of rows) {
    const id = encoder.idText(row);
    found.set(typeof id === 'string' ? id : standInId(row, run.documents.key), row);
  }
  return found;
}

async function lookUp(
  run: Run,
  keys: readonly (readonly string[])[],
  xids: ReadonlySet<number>,
  snapshotName: string | null,
): Promise<readonly Row[]> {
  const key = run.documents.key.map((index) => run.documents.columns[index] as (typeof run.documents.columns)[number]);
  const startedAt = run.clock.now();
  for (;;) {
    throwIfAborted(run.signal);
    const result = await run.source.lookup({
      table: run.table,
      columns: run.documents.columns,
      where: run.documents.where,
      key,
      keys,
      ...(snapshotName === null ? {} : { snapshotName }),
    });
    const { snapshot } = result;
    if (snapshotName !== null || [...xids].every((xid) => isVisible(snapshot, widenXid(xid, snapshot.xmax)))) return result.rows;
    if (run.clock.now() - startedAt > run.options.stallTimeoutMs) throw notVisible(xids.size);
    run.counters.throttle = 'postgres: a streamed commit is not visible yet (synchronous standby)';
    await run.clock.sleep(RETRY_MS, run.signal);
  }
}

function notVisible(count: number): Failure {
  return new Failure('stalled', `${count} streamed transactions are still not visible to new snapshots`, {
    hint: 'A synchronous standby does not answer (synchronous_standby_names). The same command again resumes the build.',
  });
}
