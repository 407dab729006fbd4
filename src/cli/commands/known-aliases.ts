import { Failure } from '../../core/failure.ts';
import { didYouMean } from '../../core/nearest-name.ts';
import type { Sink } from '../../phases/sink-ports.ts';
import type { Configuration } from '../config/load.ts';

/** Every alias that the config or an index of ours names. */
export async function knownAliases({ indices }: Configuration, sink: Sink): Promise<readonly string[]> {
  const { generations, unreadable, copies } = await sink.ourIndices();
  const readable = generations.map(({ state }) => state.alias);
  // What cannot be judged is told in its turn, and does not keep the others from being cleaned.
  const unjudged = unreadable.flatMap(({ alias }) => (alias === null ? [] : [alias]));
  return [...new Set([...indices.keys(), ...readable, ...unjudged, ...copies.map(({ alias }) => alias)])];
}

/** One line for each of `aliases` that nobody knows, with the one that may be meant; empty if all are known. */
export function unknownAliases(aliases: readonly string[], known: readonly string[]): string {
  const unknown = aliases.filter((alias) => !known.includes(alias));
  return unknown.map((alias) => `No index of realign and no config has the name ${JSON.stringify(alias)}${didYouMean(alias, known)}`).join('\n');
}

/**
 * Kind `usage` for a name that may be a typing mistake, because neither the config nor an index of ours has it and Elasticsearch has nothing of that
 * name either; else null. It must not look like success: a mistyped `abort` would leave what holds back the write-ahead log. What may be left beside
 * indices (a slot) is for the caller to look at first.
 */
export async function unknownName({ alias, configuration, sink }: Named): Promise<Failure | null> {
  const known = await knownAliases(configuration, sink);
  if (known.includes(alias) || (await existsInElasticsearch(alias, sink))) return null;
  return new Failure('usage', unknownAliases([alias], known), { hint: 'Nothing was changed. `realign status` lists everything that there is.' });
}

async function existsInElasticsearch(alias: string, sink: Sink): Promise<boolean> {
  try {
    return (await sink.readAlias(alias)).kind !== 'none';
  } catch (error) {
    // What is refused as an alias (a data stream) is there.
    if (error instanceof Failure && error.kind === 'preflight-refused') return true;
    throw error;
  }
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
