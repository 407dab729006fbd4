import { type Inventory, readInventory } from '../../phases/generations/inventory.ts';
import { systemClock } from '../clock.ts';
import type { StatusFacts } from '../output/output-event.ts';
import { withServers } from '../servers.ts';
import { type CommandContext, type CommandOutcome, checkNames, configurationOf } from './command-context.ts';
import { knownAliases, unknownAliases } from './known-aliases.ts';

const WATCH_EVERY_MS = 2000;

/** `realign status [INDEX…]`: builds, generations, slots, orphans and copies of the named aliases, or of all; `--watch`: again and again. Changes nothing. */
export async function status(context: CommandContext): Promise<CommandOutcome> {
  checkNames(context.named);
  const configuration = configurationOf(context, false);
  const aliases = context.named.length === 0 ? [null] : context.named;
  const message = await withServers(configuration, context.toolVersion, async ({ source, sink }) => {
    for (;;) {
      for (const alias of aliases) context.output.emit(alias, { type: 'status', ...statusFacts(await readInventory({ source, sink, alias })) });
      if (context.flags.watch !== true) return unknownAliases(context.named, await knownAliases(configuration, sink));
      await systemClock.sleep(WATCH_EVERY_MS, context.signal).catch(() => undefined);
      if (context.signal.aborted) throw context.signal.reason;
    }
  });
  return { exitCode: 0, message, indices: [] };
}

function statusFacts({ generations, slots, orphans, copies }: Inventory): StatusFacts {
  return { generations, slots: slots.map((slot) => ({ ...slot, retainedBytes: String(slot.retainedBytes) })), orphans, copies };
}
