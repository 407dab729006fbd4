import { obey } from '../../core/control.ts';
import { Failure } from '../../core/failure.ts';
import { isUnfinished } from '../build/open-build.ts';
import { rebuildCommand } from '../generations/rebuild-command.ts';
import type { Clock, Source } from '../ports.ts';
import type { Generation, Sink } from '../sink-ports.ts';
import { changeControl } from './steering.ts';

const POLL_MS = 300;

export interface ReleaseRequest {
  readonly source: Source;
  readonly sink: Sink;
  readonly clock: Clock;
  readonly alias: string;
  readonly signal: AbortSignal;
}

/** A build that waits to be swapped in. */
export interface HeldBuild {
  readonly index: string;
  readonly previous: string | null;
  /** False: the run that held it has ended, and another one must finish it. */
  readonly running: boolean;
}

/** The held build of this alias; throws `preflight-refused` if there is none, saying what there is. */
export async function findHeld({ source, sink, alias }: ReleaseRequest): Promise<HeldBuild> {
  const building = await buildingOf(sink, alias);
  if (building === undefined) {
    throw new Failure('preflight-refused', `there is no held build of ${alias}`, {
      hint: `Make one with: ${await rebuildCommand(sink, alias)} --hold`,
    });
  }
  const { index, state } = building;
  const running = await source.isLocked(alias);
  if (state.phase === 'hold') return { index, previous: state.previous, running };
  throw new Failure('preflight-refused', `the build ${index} is not held: it is in phase ${state.phase}`, {
    hint: running
      ? `It may swap as soon as it is verified with: realign ctl ${alias} swap-now`
      : `Resume it with: ${await rebuildCommand(sink, alias)}`,
  });
}

/** Lets the held build swap; it verifies what changed since first. */
export async function release({ source, sink, alias }: ReleaseRequest): Promise<void> {
  const building = await buildingOf(sink, alias);
  if (building !== undefined) await changeControl(source, building.state.publication, (control) => obey(control, { kind: 'swap-now' }));
}

/** Waits until the run that holds it has swapped; throws `stopped` if it ends without. */
export async function waitForSwap({ source, sink, clock, alias, signal }: ReleaseRequest, index: string): Promise<void> {
  for (;;) {
    const running = await source.isLocked(alias);
    const generation = (await sink.generations(alias)).find((candidate) => candidate.index === index);
    if (generation?.aliases.includes(alias) === true) return;
    if (generation === undefined || generation.state.phase === 'failed') throw notSwapped(alias, `it failed, and its own output says why`);
    if (!running) throw notSwapped(alias, 'the run that held it has ended');
    await clock.sleep(POLL_MS, signal);
  }
}

function notSwapped(alias: string, why: string): Failure {
  return new Failure('stopped', `the held build of ${alias} was released and did not swap: ${why}`, { hint: `See: realign status ${alias}` });
}

async function buildingOf(sink: Sink, alias: string): Promise<Generation | undefined> {
  return (await sink.generations(alias)).find(({ state }) => isUnfinished(state.phase));
}
