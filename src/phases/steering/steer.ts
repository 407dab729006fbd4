import { type ControlOrder, loadOnly, obey } from '../../core/control.ts';
import { Failure } from '../../core/failure.ts';
import { SLOT_PREFIX } from '../../core/plan/names.ts';
import { isUnfinished } from '../build/open-build.ts';
import { isNameFor } from '../generations/abort.ts';
import { rebuildCommand } from '../generations/rebuild-command.ts';
import { followerLock } from '../generations/retire.ts';
import type { Clock, Source } from '../ports.ts';
import type { Generation, Sink } from '../sink-ports.ts';
import { changeControl } from './steering.ts';

const STOP_TIMEOUT_MS = 60_000;
const POLL_MS = 200;

export interface SteerRequest {
  readonly source: Source;
  readonly sink: Sink;
  readonly clock: Clock;
  readonly alias: string;
  readonly order: ControlOrder;
  readonly signal: AbortSignal;
}

/** What runs for an alias: a build, or a follower of a generation that is built. */
interface Target {
  readonly publication: string;
  /** The lock it holds while it runs. */
  readonly lock: string;
  readonly following: boolean;
  /** There is a load, or there may be one still. */
  readonly loads: boolean;
}

/**
 * Gives an order to the build of this alias that runs just now, or else to its follower, wherever it runs; it obeys within a second. `stop` waits
 * until it has stopped. Throws `preflight-refused` if nothing runs, or nothing that the order could mean something to, `stalled` if it does not stop.
 * Returns the build's name on the source.
 */
export async function steer(request: SteerRequest): Promise<string> {
  const { source, order } = request;
  const target = await findTarget(request);
  const { publication, lock } = target;
  refuseVain(target, request);
  await changeControl(source, publication, (control) => obey(control, order));
  if (order.kind === 'stop') await waitForStop(request, lock);
  return publication;
}

/** An order that nothing would obey must not look as if it were obeyed. */
function refuseVain({ following, loads }: Target, { alias, order }: SteerRequest): void {
  const takes = `What runs is its follower, which takes resume, set max-slot-wal=SIZE and stop.`;
  if (following && (order.kind === 'hold' || order.kind === 'swap-now')) {
    throw new Failure('preflight-refused', `${alias} is swapped already; nothing was ordered`, { hint: takes });
  }
  const vain = loadOnly(order);
  if (vain === null || loads) return;
  const stop = `The replay is never held back, because it lets the slot's WAL go. To stop it: realign ctl ${alias} stop; the same command goes on then.`;
  const over = following ? `${alias} is swapped already` : `the load of ${alias} is over`;
  throw new Failure('preflight-refused', `${over}, and ${vain} is for a load; nothing was ordered`, { hint: following ? `${takes}\n${stop}` : stop });
}

async function findTarget(request: SteerRequest): Promise<Target> {
  const { source, sink, alias } = request;
  const generations = await sink.generations(alias);
  if (await source.isLocked(alias)) {
    const building = generations.find(({ state }) => isUnfinished(state.phase));
    const publication = building?.state.publication ?? (await youngPublication(source, generations, alias));
    return { publication, lock: alias, following: false, loads: building === undefined || building.state.phase === 'load' };
  }
  for (const { index, state } of byServed(generations)) {
    const lock = followerLock(index);
    if (state.phase === 'follow' && (await source.isLocked(lock))) return { publication: state.publication, lock, following: true, loads: false };
  }
  throw await notRunning(request, generations);
}

/** The follower of what readers see comes before one that keeps an older generation fresh. */
function byServed(generations: readonly Generation[]): readonly Generation[] {
  const served = ({ state, aliases }: Generation): number => (aliases.includes(state.alias) ? 0 : 1);
  return [...generations].sort((a, b) => served(a) - served(b));
}

/** Before the index exists the publication belongs to no generation yet. */
async function youngPublication(source: Source, generations: readonly Generation[], alias: string): Promise<string> {
  const owned = new Set(generations.map(({ state }) => state.publication));
  const [young] = (await source.listPublications(SLOT_PREFIX)).filter((name) => isNameFor(alias, name) && !owned.has(name));
  if (young !== undefined) return young;
  throw new Failure('preflight-refused', `a build of ${alias} is only just starting`, { hint: 'Run the same command again.' });
}

async function notRunning({ sink, alias }: SteerRequest, generations: readonly Generation[]): Promise<Failure> {
  const unfinished = generations.find(({ state }) => isUnfinished(state.phase));
  const hint =
    unfinished === undefined
      ? `See: realign status ${alias}`
      : `There is an unfinished build in phase ${unfinished.state.phase}: ${await rebuildCommand(sink, alias)} resumes it, realign abort ${alias} removes it.`;
  return new Failure('preflight-refused', `no build of ${alias} is running, and nobody follows it; nothing was ordered`, { hint });
}

async function waitForStop({ source, clock, alias, signal }: SteerRequest, lock: string): Promise<void> {
  const startedAt = clock.now();
  while (await source.isLocked(lock)) {
    if (clock.now() - startedAt > STOP_TIMEOUT_MS) {
      throw new Failure('stalled', `the build of ${alias} was told to stop and still runs after ${STOP_TIMEOUT_MS / 1000} s`, {
        hint: 'It stops as soon as its requests in flight end; a kill is as safe.',
      });
    }
    await clock.sleep(POLL_MS, signal);
  }
}
