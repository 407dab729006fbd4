import { type Freshness, planRollback, rollBack } from '../../phases/generations/rollback.ts';
import { systemClock } from '../clock.ts';
import { formatBytes } from '../config/quantity.ts';
import { withServers } from '../servers.ts';
import { ask } from './ask.ts';
import { type CommandContext, type CommandOutcome, checkNames, configurationOf } from './command-context.ts';
import { orMeant } from './known-aliases.ts';

/** `realign rollback INDEX [--to GENERATION]`: the alias goes back to a kept generation; says first how old that is. */
export async function rollback(context: CommandContext): Promise<CommandOutcome> {
  checkNames(context.named);
  const [alias = ''] = context.named;
  const configuration = configurationOf(context, false);
  const to = typeof context.flags.to === 'string' ? context.flags.to : null;
  const reporter = { report: (event: Parameters<typeof context.output.emit>[1]) => context.output.emit(alias, event) };
  return withServers(configuration, context.toolVersion, async (servers): Promise<CommandOutcome> => {
    const request = { ...servers, clock: systemClock, reporter, alias, to, signal: context.signal };
    const plan = await orMeant({ alias, configuration, sink: servers.sink }, () => planRollback(request));
    const question = `Move ${alias} from ${plan.from.index} to ${plan.to.index}? It is ${freshnessText(plan.freshness)}.`;
    if (!(await ask(context, question))) return { exitCode: 0, message: 'Nothing was changed.', indices: [] };
    const done = await rollBack(request);
    return { exitCode: 0, message: `${alias} is on ${done.to.index} again, which is ${freshnessText(done.freshness)}.`, indices: [] };
  });
}

function freshnessText(freshness: Freshness): string {
  if (freshness.kind === 'fresh') return `kept fresh (its follower is ${formatBytes(freshness.lagBytes)} of WAL behind, and catches up first)`;
  const { appliedLsn, at } = freshness;
  return appliedLsn === null
    ? `stale: it was begun at ${at} and not fed after its swap`
    : `stale: changes are applied up to ${appliedLsn} (${at}), later ones are not in it`;
}
