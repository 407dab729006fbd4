import { createHash } from 'node:crypto';
import type { BuildState } from './build-state.ts';

/** The names a build gives to what it makes; every one contains the build id, so nothing of ours is ever mistaken for another's. */
export interface BuildNames {
  /** The generation: `products-20261129t154012-k3f9`. */
  readonly index: string;
  /** Hidden write alias. It has an upper-case letter, which no index name may have: a stray write can never auto-create an index by that name. */
  readonly buildAlias: string;
  readonly slot: string;
  readonly publication: string;
}

export const SLOT_PREFIX = 'realign_';

/** `date` is wall time (UTC in the name); `build` is four characters of `[a-z0-9]`. */
// biome-ignore lint/style/noRestrictedGlobals: Date as a type; the clock is the caller's
export function buildNames(alias: string, build: string, date: Date): BuildNames {
  const stamp = date.toISOString().slice(0, 19).replace(/[-:]/g, '').toLowerCase();
  const slot = slotName(alias, build);
  return { index: `${indexPrefix(alias)}${stamp}-${build}`, buildAlias: buildAliasOf(alias, build), slot, publication: slot };
}

export function buildAliasOf(alias: string, build: string): string {
  return `${alias.toLowerCase()}-BUILD-${build}`;
}

/**
 * The hidden alias that one repair of an index writes through; `run` is six characters of `[a-z0-9]`, so that the first of two repairs to end does not take the other's away.
 * The upper-case letters keep a delete from creating an index by that name (docs/servers.md E6).
 */
export function repairAliasOf(index: string, run: string): string {
  return `${index}-REPAIR-${run}`;
}

/** Also the form without a run, which earlier versions left behind. */
export function isRepairAlias(index: string, alias: string): boolean {
  return alias.startsWith(`${index}-REPAIR`) && /^(-[a-z0-9]{6})?$/.test(alias.slice(`${index}-REPAIR`.length));
}

/** Index names must be lower case though aliases need not be. */
export function indexPrefix(alias: string): string {
  return `${alias.toLowerCase()}-`;
}

/**
 * Whether the index is the one that the state in it was written for. Whatever copies an index copies its `_meta` too (`_clone`, `_split`, a snapshot restored under another
 * name: docs/servers.md E37): such a copy must not be resumed, or lead anybody to the slot of the true one. A state without its index is judged by the form of the name.
 */
export function isIndexOf(index: string, state: Pick<BuildState, 'alias' | 'build' | 'index'>): boolean {
  if (state.index !== undefined) return state.index === index;
  const prefix = indexPrefix(state.alias);
  return index.startsWith(prefix) && STAMP.test(index.slice(prefix.length, -state.build.length)) && index.endsWith(state.build);
}

const STAMP = /^\d{8}t\d{6}-$/;

/** `realign_<alias>_<build>`: `[a-z0-9_]`, at most 63 bytes; an alias that had to be changed for that carries a short hash. */
export function slotName(alias: string, build: string): string {
  const plain = alias.replace(/[^a-z0-9_]/g, '_').slice(0, 40);
  const distinct = plain === alias ? plain : `${plain.slice(0, 33)}_${createHash('sha256').update(alias).digest('hex').slice(0, 6)}`;
  return `${SLOT_PREFIX}${distinct}_${build}`;
}
