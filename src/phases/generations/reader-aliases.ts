import { buildAliasOf, isRepairAlias } from '../../core/plan/names.ts';
import type { Generation } from '../sink-ports.ts';

/**
 * The aliases of a generation by which somebody may read it: all but the hidden ones that its own build wrote through, which a failed build keeps, and a repair, which a
 * killed one leaves.
 */
export function readerAliases({ index, aliases, state }: Generation): readonly string[] {
  const own = buildAliasOf(state.alias, state.build);
  return aliases.filter((alias) => alias !== own && !isRepairAlias(index, alias));
}
