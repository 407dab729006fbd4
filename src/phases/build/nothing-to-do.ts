import type { BuildState } from '../../core/plan/build-state.ts';
import { followerLock } from '../generations/retire.ts';
import { planWith } from '../preflight.ts';
import type { Generation } from '../sink-ports.ts';
import type { BuildContext } from './run-state.ts';

/** Why a run ends before it begins. */
export interface NothingToDo {
  readonly why: 'already-done' | 'unchanged';
  readonly generation: Generation;
}

/**
 * A run with a key that is done already, or (`--if-changed`) a live generation that was made of the same config from the same table. With `--follow` it must be followed
 * too. Null: there is work. `generations`: all of this alias.
 */
export async function findNothingToDo(context: BuildContext, generations: readonly Generation[]): Promise<NothingToDo | null> {
  const { runKey, ifChanged } = context.options;
  const keyed = runKey === null ? undefined : generations.find(({ state }) => state.runKey === runKey && isServed(state));
  if (keyed !== undefined && !(await needsFollower(context, keyed))) return { why: 'already-done', generation: keyed };
  const live = generations.find(({ state, aliases }) => aliases.includes(state.alias) && isServed(state));
  // An unfinished build holds back WAL: there is work, and the run goes on with it.
  const unfinished = generations.some(({ state }) => !isServed(state) && state.phase !== 'failed');
  if (!ifChanged || unfinished || live === undefined || (await needsFollower(context, live))) return null;
  return (await isMadeOfTheSame(context, live.state)) ? { why: 'unchanged', generation: live } : null;
}

/** The followed generation that readers are on, if this run is to follow and nobody does: it goes on where the last follower ended. */
export async function findUnfollowed(context: BuildContext, generations: readonly Generation[]): Promise<Generation | null> {
  const live = generations.find(({ state, aliases }) => state.phase === 'follow' && aliases.includes(state.alias));
  if (live === undefined || !context.options.follow || (await context.source.isLocked(followerLock(live.index)))) return null;
  const slot = await context.source.readSlot(live.state.slot);
  if (slot === null || slot.walStatus === 'lost') return null;
  return (await isMadeOfTheSame(context, live.state)) ? live : null;
}

/**
 * Why a build begins though `--if-changed` finds nothing changed: with `--follow` the served generation would have to be followed, and without its
 * slot what was committed since is missing for good. Empty if that is not why.
 */
export async function whyBuiltAnyway(context: BuildContext, generations: readonly Generation[]): Promise<string> {
  const { ifChanged, follow } = context.options;
  const live = generations.find(({ state, aliases }) => aliases.includes(state.alias) && isServed(state));
  if (!ifChanged || !follow || live === undefined || !(await isMadeOfTheSame(context, live.state))) return '';
  return `nothing has changed, but nobody follows ${live.index} and it has no slot any more: only a new build can be followed`;
}

/** The same server, table and plan: a new build would make the same documents of the same rows. */
async function isMadeOfTheSame({ source, config }: BuildContext, state: BuildState): Promise<boolean> {
  const table = await source.describeTable(config.table);
  const now = await source.identity();
  const sameServer = now.systemIdentifier === state.systemIdentifier && now.timeline === state.timeline && now.database === state.database;
  if (table === null || !sameServer || table.oid !== state.table.oid || table.fingerprint !== state.catalogFingerprint) return false;
  return (await planWith(source, table, config, state.settings)).fingerprint === state.planFingerprint;
}

async function needsFollower({ source, options }: BuildContext, { index, state, aliases }: Generation): Promise<boolean> {
  if (!options.follow || !aliases.includes(state.alias)) return false;
  return !(state.phase === 'follow' && (await source.isLocked(followerLock(index))));
}

function isServed({ phase }: BuildState): boolean {
  return phase === 'finished' || phase === 'follow';
}
