import type { ControlOrder, LimitChanges } from '../../core/control.ts';
import { Failure } from '../../core/failure.ts';
import { didYouMean } from '../../core/nearest-name.ts';
import { steer } from '../../phases/steering/steer.ts';
import { usage } from '../check-arguments.ts';
import { systemClock } from '../clock.ts';
import { FlagMistakes } from '../config/flag-mistakes.ts';
import { ABOVE_ZERO, parseSize, SIZE_EXPECTED } from '../config/quantity.ts';
import { withServers } from '../servers.ts';
import { type CommandContext, type CommandOutcome, checkNames, configurationOf } from './command-context.ts';
import { orMeant } from './known-aliases.ts';

const ORDERS = ['pause', 'resume', 'hold', 'swap-now', 'set', 'stop'] as const;
const TOLD: { readonly [kind in ControlOrder['kind']]: string } = {
  pause: 'The load pauses after the chunks at hand; changes go on being applied.',
  resume: 'It is not paused any more.',
  hold: 'It will not swap until: realign swap ALIAS, or realign ctl ALIAS swap-now.',
  'swap-now': 'It swaps as soon as it is verified.',
  set: 'It keeps to the new limits.',
  stop: 'It has stopped; the same command resumes it.',
};

/** `realign ctl INDEX ORDER`: steers what runs for an alias, from any host that reaches both servers. */
export async function ctl(context: CommandContext): Promise<CommandOutcome> {
  checkNames(context.named);
  const [alias = ''] = context.named;
  const order = parseOrder(context.words);
  const configuration = configurationOf(context, false);
  const { signal, toolVersion } = context;
  const name = await withServers(configuration, toolVersion, (servers) =>
    orMeant({ alias, configuration, sink: servers.sink }, () => steer({ ...servers, clock: systemClock, alias, order, signal })),
  );
  return { exitCode: 0, message: `${name}: ${order.kind}. ${TOLD[order.kind].replaceAll('ALIAS', alias)}`, indices: [] };
}

/** The order with its changes; throws `usage`. */
export function parseOrder([order = '', ...changes]: readonly string[]): ControlOrder {
  const kind = ORDERS.find((name) => name === order);
  if (kind === undefined) {
    throw new Failure('usage', order === '' ? 'the order is missing' : `unknown order ${JSON.stringify(order)}${didYouMean(order, ORDERS)}`, {
      hint: `Orders: ${ORDERS.join(', ')}. Example: realign ctl products pause`,
    });
  }
  if (kind !== 'set') {
    if (changes.length > 0) throw usage(`${kind} takes nothing behind it, not ${JSON.stringify(changes[0])}`);
    return { kind };
  }
  if (changes.length === 0) throw new Failure('usage', 'set needs at least one NAME=VALUE', { hint: 'Example: realign ctl products set rate=5000' });
  const mistakes = new FlagMistakes();
  const limits = Object.assign({}, ...changes.map((change) => mistakes.read(() => parseChange(change), {}))) as LimitChanges;
  mistakes.throwIfAny();
  return { kind, limits };
}

const NAMES = ['rate', 'copy-jobs', 'bulk-jobs', 'max-slot-wal'];
const SETTABLE = `What can be set: ${NAMES.join(', ')}.`;

function parseChange(change: string): LimitChanges {
  const [name = '', value = ''] = change.split('=', 2);
  switch (name) {
    case 'rate':
      // `none` takes the limit away.
      return { rate: value === 'none' ? 0 : whole(change, value) };
    case 'copy-jobs':
      return { copyJobs: whole(change, value) };
    case 'bulk-jobs':
      return { bulkJobs: whole(change, value) };
    case 'max-slot-wal':
      return { maxSlotWal: bytes(change, value) };
    default:
      throw new Failure('usage', `${JSON.stringify(name)} cannot be set${didYouMean(name, NAMES)}`, {
        hint: SETTABLE,
      });
  }
}

function whole(change: string, value: string): number {
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value);
  throw usage(`${change}: expected a whole number, at least 1`, 'Example: realign ctl products set rate=5000');
}

function bytes(change: string, value: string): number {
  const size = parseSize(value);
  if (size === null || size === 0) throw usage(`${change}: ${size === 0 ? ABOVE_ZERO : SIZE_EXPECTED}`, SETTABLE);
  return size;
}
