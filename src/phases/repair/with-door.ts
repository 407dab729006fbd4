import { Failure } from '../../core/failure.ts';
import { repairAliasOf } from '../../core/plan/names.ts';
import type { RepairDoor } from '../audit-ports.ts';
import { closingAfter } from '../flow/closing-after.ts';
import { findLeftRepairs, removeLeftRepairs } from '../generations/left-repairs.ts';
import type { Source } from '../ports.ts';
import type { Sink } from '../sink-ports.ts';

export interface DoorRequest {
  readonly source: Source;
  readonly sink: Sink;
  readonly index: string;
  readonly uuid: string;
  /** Of this repair alone. */
  readonly run: string;
}

/**
 * Opens the index for the repair and closes it again. Under a lock with the name of the alias, by which what a killed repair left is told from a running one's; what was
 * left on this index goes first. Throws `target-vanished` if the index is another one.
 */
export async function withRepairDoor(request: DoorRequest, work: (door: RepairDoor) => Promise<void>): Promise<void> {
  const { source, sink, index, uuid, run } = request;
  await removeLeftRepairs(sink, await findLeftRepairs(source, [{ index, aliases: await sink.repairAliases(index) }]));
  const alias = repairAliasOf(index, run);
  const lock = await source.tryLock(alias);
  if (lock === null) throw new Failure('locked', `a repair of ${index} has the name ${run} already`, { hint: 'Run the same command again.' });
  try {
    const door = await sink.openRepair({ index, uuid, alias });
    await closingAfter(
      () => door.close(),
      () => work(door),
    );
  } finally {
    await lock.release();
  }
}
