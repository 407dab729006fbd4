import { type Control, formatControl, limitsUnder, NO_CONTROL, parseControl, type RunLimits } from '../../core/control.ts';
import { Failure } from '../../core/failure.ts';
import { startLoop } from '../build/loop.ts';
import { persist } from '../build/persist.ts';
import type { Run } from '../build/run-state.ts';
import type { Source } from '../ports.ts';

const EVERY_MS = 500;

/** The orders in force and the limits that follow from them. */
export class Steering {
  readonly #own: RunLimits;
  control: Control = NO_CONTROL;

  constructor(own: RunLimits) {
    this.#own = own;
  }

  get limits(): RunLimits {
    return limitsUnder(this.#own, this.control);
  }
}

/**
 * Begins to obey: what was ordered before a crash still holds, except `stop`, which was for the run that it ended. Resolves when the orders are known, so that
 * a paused build that is resumed reads nothing first.
 */
export async function startSteering(run: Run): Promise<{ stop(): Promise<void> }> {
  await changeControl(run.source, run.names.publication, (control) => ({ ...control, stop: false }));
  await persist(run, 'orders', () => look(run));
  return startLoop(run, EVERY_MS, () => look(run));
}

/** Says whose the publication is, and with it the slot: builds of the same alias into another cluster may be made from the same server. */
export async function markOwner({ source, sink, names, config }: Run): Promise<void> {
  const { clusterUuid } = await sink.identity();
  await changeControl(source, names.publication, (control) => ({ ...control, cluster: clusterUuid, alias: config.alias }));
}

/** Replaces the control of a build by what `change` makes of it. */
export async function changeControl(source: Source, publication: string, change: (control: Control) => Control): Promise<void> {
  await source.changeComment(publication, (comment) => formatControl(change(parseControl(comment))));
}

async function look(run: Run): Promise<void> {
  const control = parseControl(await run.source.readComment(run.names.publication));
  run.steering.control = control;
  run.throttle.set('pause', control.paused ? `paused by: realign ctl ${run.config.alias} pause` : null);
  if (!control.stop) return;
  throw new Failure('stopped', `stopped by: realign ctl ${run.config.alias} stop`, { hint: 'The same command again resumes it.' });
}
