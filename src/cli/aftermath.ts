import type { RunEvent } from '../core/events.ts';
import { Failure, type FailureAction, type FailureKind, followingActionOf, policyOf } from '../core/failure.ts';
import { buildOf } from './output/json-output.ts';

/** What is known of a run from its events; it decides what may be promised when the run fails. */
export interface RunFacts {
  readonly build: string | null;
  readonly generation: string | null;
  readonly slot: string | null;
  readonly previous: string | null;
  /** The index exists, so that the build can be resumed or looked at; before that nothing is left behind. */
  readonly indexMade: boolean;
  /** `asked`: the swap phase has begun and no answer is known. */
  readonly swap: 'not-asked' | 'asked' | 'done';
  /** Readers are on it already, and it was being fed. */
  readonly following: boolean;
}

export const NO_FACTS: RunFacts = {
  build: null,
  generation: null,
  slot: null,
  previous: null,
  indexMade: false,
  swap: 'not-asked',
  following: false,
};

/** The facts after one more event. */
export function learn(facts: RunFacts, event: RunEvent): RunFacts {
  if (event.type === 'build.started') {
    return { ...facts, build: buildOf(event.generation), generation: event.generation, slot: event.slot, indexMade: event.resumed };
  }
  if (event.type === 'phase.finished' && event.phase === 'index') return { ...facts, indexMade: true };
  if (event.type === 'warning' && event.code === 'index-kept') return { ...facts, indexMade: true };
  if (event.type === 'phase.started' && event.phase === 'swap' && facts.swap === 'not-asked') return { ...facts, swap: 'asked' };
  if (event.type === 'phase.started' && event.phase === 'cleanup') return { ...facts, swap: 'done' };
  if (event.type === 'phase.started' && event.phase === 'follow') return { ...facts, following: true };
  if (event.type === 'swap') return { ...facts, swap: 'done', previous: event.from };
  return facts;
}

export interface Aftermath {
  /** What has not changed. */
  readonly unchanged: string;
  readonly next: readonly string[];
}

/** What the failure table says; a bug stops like anything that a person must look at. */
function actionOf(kind: FailureKind | 'bug', following: boolean): FailureAction {
  const error = kind === 'bug' ? null : new Failure(kind, '');
  return following ? followingActionOf(error) : policyOf(error).action;
}

/** The same command goes on, at once or after a person mended something. */
function goesOn(action: FailureAction): boolean {
  return action === 'retry' || action === 'restart' || action === 'stop';
}

/** What to tell after a failed rebuild. `command` is the command as typed, for this index alone, without `--fresh`. */
export function aftermath(kind: FailureKind | 'bug', facts: RunFacts, alias: string, command: string): Aftermath {
  const status = `realign status ${alias}`;
  const action = actionOf(kind, facts.following);
  if (facts.following) return afterFollowing(action, facts, alias, command);
  if (facts.swap === 'done') return afterSwap(actionOf(kind, true), facts, alias, command);
  if (kind === 'locked') return { unchanged: 'Nothing was changed by this run; the other one goes on.', next: [status] };
  if (facts.build === null) return { unchanged: 'Nothing users see has changed.', next: beforeBuild(kind, alias, command) };
  if (facts.swap === 'asked' && kind !== 'alias-changed') {
    const unchanged = 'The swap may or may not have been made; either way one whole, verified or unchanged generation serves the readers.';
    return { unchanged, next: [status, `${command}   (finds out and goes on)`] };
  }
  const { unchanged, next } = duringBuild(action, facts, alias, command);
  const compare =
    kind === 'verification-failed' && facts.indexMade ? [`realign audit ${alias} --index ${facts.generation}   (compares it again)`] : [];
  return { unchanged, next: [...compare, ...next] };
}

/** What can never be finished there has lost its slot too: what was committed around the swap may be missing. */
function afterSwap(action: FailureAction, { generation }: RunFacts, alias: string, command: string): Aftermath {
  const done = `The swap is done: ${alias} serves ${generation}, verified.`;
  const status = `realign status ${alias}`;
  if (action !== 'abandon') return { unchanged: `${done} Only what comes after it failed.`, next: [`${command}   (finishes the clean-up)`, status] };
  const unchanged = `${done} Slot and publication are dropped, so changes committed around the swap may be missing there.`;
  return { unchanged, next: [`${command} --fresh   (a new build)`, status] };
}

/** Readers stay where they are; what stops is that changes reach them. */
function afterFollowing(action: FailureAction, { generation, slot }: RunFacts, alias: string, command: string): Aftermath {
  const stopped = `${generation} is as it was; changes do not reach it any more.`;
  if (action === 'abandon') return { unchanged: stopped, next: [`${command}   (starts a new build)`, `realign status ${alias}`] };
  const kept = `${stopped}\n Kept: slot ${slot} (it holds back WAL until you decide).`;
  return { unchanged: kept, next: [`${command}   (goes on where it stopped)`, `realign abort ${alias}   (ends the following; the index stays)`] };
}

function beforeBuild(kind: FailureKind | 'bug', alias: string, command: string): readonly string[] {
  const action = actionOf(kind, false);
  if (action === 'refuse') return [];
  if (!goesOn(action)) return [`${command} --fresh`, `realign abort ${alias}`];
  if (kind === 'interrupted' || kind === 'terminated') return [command];
  // What was refused is refused again until it is mended.
  const when = action === 'stop' ? '   (after fixing)' : '';
  return [`realign check ${alias}`, `${command}${when}`];
}

function duringBuild(action: FailureAction, { indexMade, generation, slot }: RunFacts, alias: string, command: string): Aftermath {
  const unswapped = `Not swapped: readers of ${alias} see what they saw before.`;
  const abort = `realign abort ${alias}`;
  if (!indexMade) return { unchanged: `${unswapped} Nothing is left on the servers.`, next: [command] };
  if (action === 'abandon') {
    // `giveUp` of the pipeline: production comes first, so the slot goes and the index stays for inspection.
    const unchanged = `${unswapped}\n Kept for a look: index ${generation}. Slot and publication are dropped, so this build cannot be resumed.`;
    return { unchanged, next: [`${abort}   (removes it)`, `${command}   (starts a new one)`] };
  }
  const kept = `${unswapped}\n Kept: index ${generation}, slot ${slot} (it holds back WAL until you decide).`;
  const goOn = goesOn(action) ? `${command}   (resumes)` : `${command} --fresh`;
  return { unchanged: kept, next: [goOn, abort] };
}
