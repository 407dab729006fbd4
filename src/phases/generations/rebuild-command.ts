import type { Sink } from '../sink-ports.ts';

/** What to type for a build of this alias, without further flags: a name that is a concrete index today is refused without `--adopt`. */
export async function rebuildCommand(sink: Pick<Sink, 'readAlias'>, alias: string): Promise<string> {
  const adopts = (await sink.readAlias(alias)).kind === 'index';
  return `realign rebuild ${alias}${adopts ? ' --adopt' : ''}`;
}
