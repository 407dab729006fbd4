import { Failure } from '../../core/failure.ts';
import { didYouMean } from '../../core/nearest-name.ts';
import type { Sink } from '../../phases/sink-ports.ts';
import type { Configuration } from '../config/load.ts';

/** Every alias that the config or an index of ours names. */
export async function knownAliases({ indices }: Configuration, sink: Sink): Promise<readonly string[]> {
  const readable = (await sink.generations(null)).map(({ state }) => state.alias);
  // What cannot be judged is told in its turn, and does not keep the others from being cleaned.
  const unreadable = (await sink.unreadableStates()).flatMap(({ alias }) => (alias === null ? [] : [alias]));
  const copied = (await sink.copies()).map(({ alias }) => alias);
  return [...new Set([...indices.keys(), ...readable, ...unreadable, ...copied])];
}

/** One line for each of `aliases` that nobody knows, with the one that may be meant; empty if all are known. */
export function unknownAliases(aliases: readonly string[], known: readonly string[]): string {
  const unknown = aliases.filter((alias) => !known.includes(alias));
  return unknown.map((alias) => `No index of realign and no config has the name ${JSON.stringify(alias)}${didYouMean(alias, known)}`).join('\n');
}

/**
 * Whether the name may be a typing mistake: neither the config nor an index of ours has it, and Elasticsearch has nothing of that name either. What may be left on the servers beside indices (a
 * slot) is for the caller to look at.
 */
export async function isUnknown({ alias, configuration, sink }: Named): Promise<boolean> {
  if ((await knownAliases(configuration, sink)).includes(alias)) return false;
  return (await sink.readAlias(alias)).kind === 'none';
}

/** That a name is unknown must not look like success: a mistyped `abort` would leave what holds back the write-ahead log. Kind `usage`. */
export async function unknownName({ alias, configuration, sink }: Named): Promise<Failure> {
  return new Failure('usage', unknownAliases([alias], await knownAliases(configuration, sink)), {
    hint: 'Nothing was changed. `realign status` lists everything that there is.',
  });
}

interface Named {
  readonly alias: string;
  readonly configuration: Configuration;
  readonly sink: Sink;
}

/** What is refused because nothing is there may be refused because of a typing mistake: then the hint says so. */
export async function orMeant<T>({ alias, configuration, sink }: Named, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'preflight-refused') throw error;
    const unknown = unknownAliases([alias], await knownAliases(configuration, sink));
    if (unknown === '') throw error;
    throw new Failure(error.kind, error.message, { hint: `${unknown}\n${error.hint ?? ''}`.trimEnd(), cause: error });
  }
}
