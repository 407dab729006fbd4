import { slotName } from '../../core/plan/names.ts';
import { abortBuild } from '../../phases/generations/abort.ts';
import { readInventory } from '../../phases/generations/inventory.ts';
import { copiesOf } from '../../phases/generations/sweep.ts';
import type { Source } from '../../phases/ports.ts';
import type { Sink } from '../../phases/sink-ports.ts';
import { withServers } from '../servers.ts';
import { ask } from './ask.ts';
import { type CommandContext, type CommandOutcome, checkNames, configurationOf } from './command-context.ts';
import { unknownName } from './known-aliases.ts';

/** `realign abort INDEX`: removes an unfinished build after asking. The live generation and the alias are never touched. */
export async function abort(context: CommandContext): Promise<CommandOutcome> {
  checkNames(context.named);
  const [alias = ''] = context.named;
  const configuration = configurationOf(context, false);
  return withServers(configuration, context.toolVersion, async ({ source, sink }) => {
    const leftovers = await leftoversOf(alias, source, sink);
    if (leftovers !== '' && !(await ask(context, `Remove the unfinished build of ${alias} (${leftovers})?`))) {
      return { exitCode: 0, message: 'Nothing was changed.', indices: [] };
    }
    const { removed } = await abortBuild({ source, sink, alias });
    // A build that is only starting holds the lock, which was taken here. What the config knows may be gone already: the same command again has nothing to do.
    const unknown = leftovers === '' && removed.length === 0 ? await unknownName({ alias, configuration, sink }) : null;
    if (unknown !== null) throw unknown;
    context.output.emit(alias, { type: 'removed', names: removed, kept: await keptOf(alias, source, sink) });
    return { exitCode: 0, message: `The alias ${alias} was not touched.`, indices: [] };
  });
}

async function keptOf(alias: string, source: Source, sink: Sink): Promise<readonly { readonly index: string; readonly reason: string }[]> {
  const { generations } = await readInventory({ source, sink, alias });
  const copies = await copiesOf(sink, alias);
  const reason = (live: boolean): string => (live ? `readers are on it (${alias})` : 'built; `realign cleanup` decides by keep');
  return [...generations.map(({ index, live }) => ({ index, reason: reason(live) })), ...copies];
}

async function leftoversOf(alias: string, source: Source, sink: Sink): Promise<string> {
  const { generations, slots, orphans } = await readInventory({ source, sink, alias });
  const unfinished = generations.filter(({ phase, running }) => phase !== 'finished' && !(phase === 'follow' && running));
  const builds = new Set(unfinished.map(({ build }) => build));
  const names = [
    ...unfinished.filter(({ live, phase }) => !live && phase !== 'follow').map(({ index }) => `index ${index}`),
    ...slots.filter(({ build }) => build !== null && builds.has(build)).map(({ name }) => `slot ${name}`),
    ...orphans.filter((words) => words.startsWith('alias ') || words.includes(` ${slotName(alias, '')}`)),
  ];
  return names.join(', ');
}
