import { findHeld, type HeldBuild, release, waitForSwap } from '../../phases/steering/release-held.ts';
import { systemClock } from '../clock.ts';
import { requireRunnable } from '../hooks/require-runnable.ts';
import { withServers } from '../servers.ts';
import { ask } from './ask.ts';
import { type CommandContext, type CommandOutcome, configurationOf, wantedIndices } from './command-context.ts';
import { rebuildOne } from './rebuild.ts';

/** `realign swap INDEX`: lets a held build swap, after it has verified what changed since; finishes it here if the run that held it has ended. */
export async function swap(context: CommandContext): Promise<CommandOutcome> {
  const configuration = configurationOf(context, true);
  const [entry] = wantedIndices(context, configuration);
  if (entry === undefined) throw new RangeError('BUG: one index is named');
  const { alias } = entry.config;
  const held = await withServers(configuration, context.toolVersion, async (servers): Promise<HeldBuild | null> => {
    const request = { ...servers, clock: systemClock, alias, signal: context.signal };
    const found = await findHeld(request);
    // The run that holds it asks the hook where it runs; if none does, this command asks it.
    if (!found.running) requireRunnable(configuration);
    if (!(await ask(context, `Move ${alias} from ${found.previous ?? 'nothing'} to ${found.index}?`))) return null;
    await release(request);
    if (found.running) await waitForSwap(request, found.index);
    return found;
  });
  if (held === null) return { exitCode: 0, message: 'Nothing was changed.', indices: [] };
  if (held.running) return { exitCode: 0, message: `${alias} is on ${held.index}.`, indices: [] };
  const result = await rebuildOne(entry, configuration, context);
  return { exitCode: result.exit_code, message: result.exit_code === 0 ? `${alias} is on ${held.index}.` : '', indices: [result] };
}
