import { type Build, resume } from '../../src/core/build.ts';
import type { Model, Step } from './explore.ts';

/** The rules of the swap, each of which can be switched off alone. */
export const ALIAS_RULES = {
  must_exist: 'the call that adds the new index fails whole unless it removes the alias from the index seen at the start',
  'write index': 'a first build, which has nothing to remove, adds its index as the write index: an alias has only one',
  lock: 'a roll-back waits for the lock that a build holds to its end',
} as const;

export type AliasRule = keyof typeof ALIAS_RULES;

type At = 'idle' | 'building' | 'checked' | 'called' | 'dead' | 'tidying' | 'over';

interface Builder {
  readonly at: At;
  /** The index the alias was on when it began. */
  readonly previous: string | null;
  readonly swapped: boolean;
}

export interface AliasWorld {
  readonly alias: readonly string[];
  readonly builders: Readonly<Record<string, Builder>>;
  /** What else may happen, each once. */
  readonly left: { readonly crash: boolean; readonly rollback: boolean; readonly move: boolean };
}

const IDLE: Builder = { at: 'idle', previous: null, swapped: false };

/**
 * Two builds of one alias at once (the lock between them has failed), one crash, a roll-back, and somebody who moves the alias by hand. `first` is the index the alias
 * is on, or null for none. Readers must find exactly one index at all times; before the first swap, none.
 */
export function aliasModel(first: string | null, on: (rule: AliasRule) => boolean): Model<AliasWorld> {
  return {
    initial: {
      alias: first === null ? [] : [first],
      builders: { A: IDLE, B: IDLE },
      left: { crash: true, rollback: first !== null, move: first !== null },
    },
    steps: (world) => [...builderSteps(world, on), ...otherSteps(world, on, first)],
    violation: ({ alias, builders }) => {
      const none = first === null && Object.values(builders).every(({ swapped }) => !swapped);
      if (alias.length === 1 || (alias.length === 0 && none)) return null;
      return `the alias is on ${alias.length === 0 ? 'no index' : alias.join(' and ')}`;
    },
    key: (world) => JSON.stringify(world),
  };
}

function* builderSteps(world: AliasWorld, on: (rule: AliasRule) => boolean): Generator<Step<AliasWorld>> {
  for (const [name, builder] of Object.entries(world.builders)) {
    const become = (label: string, changed: Partial<Builder>, alias = world.alias): Step<AliasWorld> => ({
      label: `${name} ${label}`,
      next: { ...world, alias, builders: { ...world.builders, [name]: { ...builder, ...changed } } },
    });
    yield* stepsOf({ name, builder, alias: world.alias, become }, on);
    if (!world.left.crash || builder.at === 'idle' || builder.at === 'over' || builder.at === 'dead') continue;
    const died = become('is killed', { at: 'dead' });
    yield { ...died, next: { ...died.next, left: { ...world.left, crash: false } } };
  }
}

interface Turn {
  readonly name: string;
  readonly builder: Builder;
  readonly alias: readonly string[];
  readonly become: (label: string, changed: Partial<Builder>, alias?: readonly string[]) => Step<AliasWorld>;
}

/** As `compareAndSwapAlias` of src/elasticsearch/alias.ts does it: look, call, look again. */
function* stepsOf({ name, builder, alias, become }: Turn, on: (rule: AliasRule) => boolean): Generator<Step<AliasWorld>> {
  const { at, previous } = builder;
  switch (at) {
    case 'idle':
      yield become('begins', { at: 'building', previous: alias[0] ?? null });
      return;
    case 'building':
      if (alias.join() === name) yield become('finds its index behind the alias', { at: 'tidying', swapped: true });
      else if (alias.join() !== (previous ?? '')) yield become('finds that the alias has moved', { at: 'over' });
      else yield become('finds the alias as it was', { at: 'checked' });
      return;
    case 'checked': {
      const after = afterCall(name, previous, alias, on);
      const took = after !== alias;
      yield become(took ? 'moves the alias' : 'is refused by the server', { at: 'called', swapped: took }, after);
      return;
    }
    case 'called':
      if (alias.join() === name) yield become('reads back that it swapped', { at: 'tidying' });
      else yield become('reads back that it did not', { at: 'over' });
      return;
    case 'tidying': {
      yield become('deletes nothing more', { at: 'over' });
      if (previous !== null)
        yield become(
          `deletes ${previous}`,
          { at: 'over' },
          alias.filter((index) => index !== previous),
        );
      return;
    }
    case 'dead':
      yield become('resumes', { at: resumed(alias.includes(name)) });
      return;
    case 'over':
      return;
  }
}

/** One `_aliases` call: all of it or nothing. */
function afterCall(name: string, previous: string | null, alias: readonly string[], on: (rule: AliasRule) => boolean): readonly string[] {
  if (previous === null) return on('write index') && alias.length > 0 ? alias : [...alias, name].sort();
  if (!alias.includes(previous) && on('must_exist')) return alias;
  return [...alias.filter((index) => index !== previous), name].sort();
}

/** By the real `resume`: with the alias on its index only the clean-up is left, else it is verified and swapped once more. */
function resumed(aliasIsOnIt: boolean): At {
  const built = { state: { phase: 'swap' }, uuid: '' } as unknown as Parameters<typeof resume>[0];
  const build: Build | null = resume(built, aliasIsOnIt);
  return build?.at === 'cleanup' ? 'tidying' : 'building';
}

/** A roll-back of this tool, and an atomic move by somebody who knows nothing of it. */
function* otherSteps(world: AliasWorld, on: (rule: AliasRule) => boolean, first: string | null): Generator<Step<AliasWorld>> {
  const { alias, builders, left } = world;
  const locked = Object.values(builders).some(({ at }) => at !== 'idle' && at !== 'over' && at !== 'dead');
  if (left.rollback && first !== null && alias.join() !== first && alias.length === 1 && !(locked && on('lock'))) {
    yield { label: `the alias is rolled back to ${first}`, next: { ...world, alias: [first], left: { ...left, rollback: false } } };
  }
  if (left.move) yield { label: 'somebody moves the alias to M', next: { ...world, alias: ['M'], left: { ...left, move: false } } };
}
