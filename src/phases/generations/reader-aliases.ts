import { buildAliasOf } from '../../core/plan/names.ts';
import type { Generation } from '../sink-ports.ts';

/** The aliases of a generation by which somebody may read it: all but the hidden one that its own build wrote through, which a failed build keeps. */
export function readerAliases({ aliases, state }: Generation): readonly string[] {
  const own = buildAliasOf(state.alias, state.build);
  return aliases.filter((alias) => alias !== own);
}
