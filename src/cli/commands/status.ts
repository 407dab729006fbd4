import { type Inventory, readInventory } from '../../phases/generations/inventory.ts';
import type { Source } from '../../phases/ports.ts';
import type { Sink } from '../../phases/sink-ports.ts';
import { systemClock } from '../clock.ts';
import type { Configuration } from '../config/load.ts';
import type { StatusFacts } from '../output/output-event.ts';
import { withServers } from '../servers.ts';
import { type CommandContext, type CommandOutcome, checkNames, configurationOf } from './command-context.ts';
import { unknownName } from './known-aliases.ts';

interface Servers {
  readonly source: Source;
  readonly sink: Sink;
}

const WATCH_EVERY_MS = 2000;

/** `realign status [INDEX…]`: builds, generations, slots, orphans and copies of the named aliases, or of all; `--watch`: again and again. Changes nothing. */
export async function status(context: CommandContext): Promise<CommandOutcome> {
  checkNames(context.named);
  const configuration = configurationOf(context, false);
  const aliases = context.named.length === 0 ? [null] : context.named;
  const exitCode = await withServers(configuration, context.toolVersion, async (servers) => {
    for (let turn = 0; ; turn++) {
      const codes: number[] = [];
      // What was there when the watch began may end while it is watched.
      for (const alias of aliases) codes.push(await showOne(alias, turn === 0 ? configuration : null, servers, context));
      const failed = codes.find((code) => code !== 0);
      if (context.flags.watch !== true || failed !== undefined) return failed ?? 0;
      await systemClock.sleep(WATCH_EVERY_MS, context.signal).catch(() => undefined);
      if (context.signal.aborted) throw context.signal.reason;
    }
  });
  return { exitCode, message: '', indices: [] };
}

/** Without a configuration a name that exists nowhere is no mistake. */
async function showOne(
  alias: string | null,
  configuration: Configuration | null,
  { source, sink }: Servers,
  context: CommandContext,
): Promise<number> {
  const inventory = await readInventory({ source, sink, alias });
  const unknown = alias !== null && configuration !== null && isEmpty(inventory) ? await unknownName({ alias, configuration, sink }) : null;
  if (unknown !== null) return context.reportFailure(alias, unknown);
  context.output.emit(alias, { type: 'status', ...statusFacts(inventory) });
  return 0;
}

function isEmpty({ generations, slots, orphans, copies }: Inventory): boolean {
  return generations.length + slots.length + orphans.length + copies.length === 0;
}

function statusFacts({ generations, slots, orphans, copies }: Inventory): StatusFacts {
  return { generations, slots: slots.map((slot) => ({ ...slot, retainedBytes: String(slot.retainedBytes) })), orphans, copies };
}
