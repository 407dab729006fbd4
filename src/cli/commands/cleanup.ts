import { policyOf } from '../../core/failure.ts';
import { findLeftovers, type Leftovers, sweep } from '../../phases/generations/sweep.ts';
import type { Source } from '../../phases/ports.ts';
import type { Sink } from '../../phases/sink-ports.ts';
import type { Configuration } from '../config/load.ts';
import { runOptions } from '../config/run-options.ts';
import { withServers } from '../servers.ts';
import { ask } from './ask.ts';
import { type CommandContext, type CommandOutcome, checkNames, configurationOf } from './command-context.ts';
import { knownAliases, unknownName } from './known-aliases.ts';

interface Servers {
  readonly source: Source;
  readonly sink: Sink;
}

interface Cleaned {
  readonly code: number;
  /** There was something to remove, and the answer was no. */
  readonly declined: boolean;
}

/** `realign cleanup [INDEX…]`: removes what nobody needs any more, for the named aliases or all that the config or our indices name. */
export async function cleanup(context: CommandContext): Promise<CommandOutcome> {
  checkNames(context.named);
  const configuration = configurationOf(context, false);
  return withServers(configuration, context.toolVersion, async (servers): Promise<CommandOutcome> => {
    const all = await knownAliases(configuration, servers.sink);
    const aliases = context.named.length > 0 ? context.named : all;
    const cleaned: Cleaned[] = [];
    for (const alias of aliases) cleaned.push(await cleanOne(alias, configuration, context, servers));
    const exitCode = cleaned.find(({ code }) => code !== 0)?.code ?? 0;
    return { exitCode, message: messageOf(aliases, cleaned), indices: [] };
  });
}

function messageOf(aliases: readonly string[], cleaned: readonly Cleaned[]): string {
  if (aliases.length === 0) return 'Nothing to remove: there is no index of realign, and no config names one.';
  return cleaned.some(({ declined }) => declined) ? 'What was declined was not changed.' : '';
}

async function cleanOne(alias: string, configuration: Configuration, context: CommandContext, servers: Servers): Promise<Cleaned> {
  try {
    const { keep } = runOptions(context.flags, configuration.indices.get(alias)?.run);
    const request = { ...servers, alias, keep };
    const leftovers = await findLeftovers(request);
    const names = namesOf(leftovers);
    const isEmpty = names.length + leftovers.staying.length === 0;
    const unknown = isEmpty ? await unknownName({ alias, configuration, sink: servers.sink }) : null;
    if (unknown !== null) throw unknown;
    const declined = names.length > 0 && !(await ask(context, `${alias}: remove ${names.join(', ')}?`));
    if (!declined) context.output.emit(alias, { type: 'removed', names: names.length > 0 ? await sweep(request) : [], kept: leftovers.staying });
    return { code: 0, declined };
  } catch (error) {
    context.reportFailure(alias, error);
    return { code: policyOf(error).exitCode, declined: false };
  }
}

function namesOf({ surplus, unfed, orphans, repairs }: Leftovers): readonly string[] {
  return [
    ...surplus.map(({ index }) => `index ${index}`),
    ...unfed.map(({ state }) => `slot ${state.slot}`),
    ...repairs.map(({ alias }) => `alias ${alias} of a repair that did not end`),
    ...orphans.map((name) => `slot or publication ${name}`),
  ];
}
