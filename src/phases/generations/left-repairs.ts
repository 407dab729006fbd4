import { isRepairAlias } from '../../core/plan/names.ts';
import type { Source } from '../ports.ts';
import type { Generation, Sink } from '../sink-ports.ts';

/** An alias that a repair which did not end well left on its index. */
export interface LeftRepair {
  readonly index: string;
  readonly alias: string;
}

/** A running repair holds a lock with the name of its alias, and takes it before it adds the alias (`withRepairDoor`). */
export async function findLeftRepairs(source: Source, indices: readonly Pick<Generation, 'index' | 'aliases'>[]): Promise<readonly LeftRepair[]> {
  const left: LeftRepair[] = [];
  for (const { index, aliases } of indices) {
    for (const alias of aliases) {
      if (isRepairAlias(index, alias) && !(await source.isLocked(alias))) left.push({ index, alias });
    }
  }
  return left;
}

/** May run twice, and beside another that does the same. Returns what was removed, in words. */
export async function removeLeftRepairs(sink: Sink, left: readonly LeftRepair[]): Promise<readonly string[]> {
  for (const { index, alias } of left) await sink.removeBuildAlias(index, alias);
  return left.map(({ alias }) => `alias ${alias}`);
}
