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
