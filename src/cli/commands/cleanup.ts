import { policyOf } from '../../core/failure.ts';
import { findLeftovers, type Leftovers, sweep } from '../../phases/generations/sweep.ts';
import type { Source } from '../../phases/ports.ts';
import type { Sink } from '../../phases/sink-ports.ts';
import type { Configuration } from '../config/load.ts';
import { runOptions } from '../config/run-options.ts';
import { withServers } from '../servers.ts';
import { ask, canAsk } from './ask.ts';
import { type CommandContext, type CommandOutcome, checkNames, configurationOf } from './command-context.ts';

interface Servers {
  readonly source: Source;
  readonly sink: Sink;
}

/** `realign cleanup [INDEX…]`: removes what nobody needs any more, for the named aliases or all that the config or our indices name. */
export async function cleanup(context: CommandContext): Promise<CommandOutcome> {
  checkNames(context.named);
  const configuration = configurationOf(context, false);
  if (!canAsk(context)) await ask(context, 'Remove what is left over?');
  return withServers(configuration, context.toolVersion, async (servers): Promise<CommandOutcome> => {
    const aliases = context.named.length > 0 ? context.named : await allAliases(configuration, servers.sink);
    const codes: number[] = [];
    for (const alias of aliases) codes.push(await cleanOne(alias, configuration, context, servers));
    return { exitCode: codes.find((code) => code !== 0) ?? 0, message: '', indices: [] };
  });
}

async function allAliases({ indices }: Configuration, sink: Sink): Promise<readonly string[]> {
  return [...new Set([...indices.keys(), ...(await sink.generations(null)).map(({ state }) => state.alias)])];
}

async function cleanOne(alias: string, { indices }: Configuration, context: CommandContext, servers: Servers): Promise<number> {
  try {
    const { keep } = runOptions(context.flags, indices.get(alias)?.run);
    const request = { ...servers, alias, keep };
    const names = namesOf(await findLeftovers(request));
    const wanted = names.length > 0 && (await ask(context, `${alias}: remove ${names.join(', ')}?`));
    context.output.emit(alias, { type: 'removed', names: wanted ? await sweep(request) : [] });
    return 0;
  } catch (error) {
    context.reportFailure(alias, error);
    return policyOf(error).exitCode;
  }
}

function namesOf({ surplus, unfed, orphans }: Leftovers): readonly string[] {
  return [
    ...surplus.map(({ index }) => `index ${index}`),
    ...unfed.map(({ state }) => `slot ${state.slot}`),
    ...orphans.map((name) => `slot or publication ${name}`),
  ];
}
