import type { Build, Built, Outcome } from '../core/build.ts';
import type { PhaseName } from '../core/events.ts';
import { parseLsn } from '../core/lsn.ts';
import type { PassingReport } from '../core/verify/passing-report.ts';
import { Checkpoint } from './build/checkpoint.ts';
import { persist } from './build/persist.ts';
import { startProgress } from './build/progress.ts';
import { type Run, throwIfAborted } from './build/run-state.ts';
import { waitForDeadBulks } from './bulk/dead-bulks.ts';
import { catchUp } from './catchup.ts';
import { cleanUp, tidyGenerations } from './cleanup.ts';
import { beginFollowing, follow } from './follow.ts';
import { holdBack, isHeld } from './hold.ts';
import { makeIndex } from './index.ts';
import { Load } from './load.ts';
import { Replay } from './replay.ts';
import { makeSlot } from './slot.ts';
import { watchPressure } from './steering/pressure-watch.ts';
import { type SlotWatch, watchSlot } from './steering/slot-watch.ts';
import { startSteering } from './steering/steering.ts';
import { askGate } from './steering/swap-gate.ts';
import { swapAlias } from './swap.ts';
import { proveWhole } from './verify/prove.ts';

const FOLLOW_PROGRESS_MS = 10_000;

/** What runs beside the phases from the load to the clean-up. */
interface Running {
  readonly replay: Replay;
  readonly slot: SlotWatch;
  readonly steering: { stop(): Promise<void> };
}

/** Performs one phase at a time; owns what runs beside them and the state on the server. */
export class Pipeline {
  readonly #run: Run;
  readonly #previous: string | null;
  #checkpoint: Checkpoint | null = null;
  #running: Running | null = null;

  constructor(run: Run, previous: string | null) {
    this.#run = run;
    this.#previous = previous;
  }

  get checkpoint(): Checkpoint | null {
    return this.#checkpoint;
  }

  async perform(build: Exclude<Build, { at: 'finished' }>): Promise<Outcome> {
    switch (build.at) {
      case 'slot':
        return this.#phase('slot', async () => ({ kind: 'slot-ready', cp: await makeSlot(this.#run) }), this.#run.names.slot);
      case 'index':
        return this.#phase('index', async () => ({ kind: 'index-ready', built: await this.#makeIndex(build.cp) }), this.#run.names.index);
      case 'load':
        return this.#phase('load', async () => ({ kind: 'loaded', built: await this.#load(build.built) }));
      case 'catchup':
        return this.#phase('catchup', async () => ({ kind: 'caught-up', built: await this.#catchUp(build.built) }));
      case 'verify':
        return this.#phase('verify', async () => ({ kind: 'verified', built: build.built, report: await this.#verify(build.built) }));
      case 'hold':
        return { kind: 'released', built: build.built, report: await this.#hold(build) };
      case 'swap':
        // Before the phase: a veto, or a table that has changed, comes while it is certain that nothing was asked of the alias.
        await askGate(this.#run, build.built.state, build.report);
        await this.#open(build.built).enter('swap');
        return this.#phase('swap', async () => {
          await swapAlias(this.#run, this.#open(build.built), build.report);
          return { kind: 'swapped', built: this.#built() };
        });
      case 'cleanup':
        return this.#phase('cleanup', async () => this.#cleanUp(build.built));
      case 'follow':
        return this.#follow(build.built);
    }
  }

  /** Ends what runs beside the phases; never throws, the failure that matters is known already. */
  async close(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    await running?.steering.stop().catch(() => {});
    await running?.slot.stop().catch(() => {});
    await running?.replay.close().catch(() => {});
  }

  /** The orderly end of what runs beside the phases: what the replay has made durable is confirmed. */
  async #end(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    await running?.steering.stop();
    await running?.slot.stop();
    await running?.replay.close();
    throwIfAborted(this.#run.signal);
  }

  async #phase(phase: PhaseName, work: () => Promise<Outcome>, detail = ''): Promise<Outcome> {
    const startedAt = this.#run.clock.now();
    this.#run.reporter.report({ type: 'phase.started', phase });
    const outcome = await work();
    this.#run.reporter.report({ type: 'phase.finished', phase, durationMs: this.#run.clock.now() - startedAt, detail });
    return outcome;
  }

  async #makeIndex(cp: bigint): Promise<Built> {
    const built = await makeIndex(this.#run, cp, this.#previous);
    this.#open(built);
    return built;
  }

  async #load(built: Built): Promise<Built> {
    const checkpoint = this.#open(built);
    const { replay, slot } = await this.#start(built);
    const load = new Load({
      run: this.#run,
      replay,
      cp: built.state.cp,
      leaves: checkpoint.state.load,
      checkpoint: (leaves) => checkpoint.loaded(leaves),
    });
    const pressure = await watchPressure(this.#run);
    const progress = startProgress({ run: this.#run, phase: 'load', replay, slot, leaves: () => load.leaves });
    try {
      await progress.during(() => load.run());
    } finally {
      await pressure.stop();
    }
    replay.loadFinished();
    await this.#run.failpoint?.('load.finished');
    await checkpoint.loaded(load.leaves);
    return this.#built();
  }

  async #catchUp(built: Built): Promise<Built> {
    const checkpoint = this.#open(built);
    const { replay, slot } = await this.#start(built);
    replay.loadFinished();
    await checkpoint.enter('catchup');
    const progress = startProgress({ run: this.#run, phase: 'catchup', replay, slot, leaves: () => [] });
    await progress.during(() => catchUp(this.#run, replay));
    return this.#built();
  }

  async #verify(built: Built) {
    const checkpoint = this.#open(built);
    const { replay } = await this.#start(built);
    await checkpoint.enter('verify');
    return await persist(this.#run, 'verify', () => proveWhole(this.#run, replay));
  }

  /** Without anything that holds it there is no such phase. */
  async #hold({ built, report }: Extract<Build, { at: 'hold' }>): Promise<PassingReport> {
    const { replay, slot } = await this.#start(built);
    if (!(await isHeld(this.#run))) return report;
    let proven = report;
    await this.#phase('hold', async () => {
      const progress = startProgress({ run: this.#run, phase: 'hold', replay, slot, leaves: () => [], everyMs: FOLLOW_PROGRESS_MS });
      proven = await progress.during(() => holdBack(this.#run, replay, this.#open(built), report));
      return { kind: 'released', built, report: proven };
    });
    return proven;
  }

  async #cleanUp(built: Built): Promise<Outcome> {
    const checkpoint = this.#open(built);
    if (checkpoint.state.phase !== 'cleanup') await checkpoint.enter('cleanup');
    await this.#run.failpoint?.('swap.recorded');
    const following = this.#run.options.follow && checkpoint.state.drained !== true;
    if (checkpoint.state.drained !== true) await this.#drain(built, checkpoint, following);
    await this.#run.failpoint?.('cleanup.drained');
    if (following) {
      const deleted = await tidyGenerations(this.#run, checkpoint.state.previous);
      await checkpoint.enter('follow');
      return { kind: 'kept-open', deleted, built: this.#built() };
    }
    const deleted = await cleanUp(this.#run, checkpoint);
    return { kind: 'cleaned', deleted, built: this.#built() };
  }

  /** Replays once more past a position read after the swap: nothing that reached the source before it is missing. A follower's replay then goes on. */
  async #drain(built: Built, checkpoint: Checkpoint, following: boolean): Promise<void> {
    const { replay } = await this.#start(built);
    replay.loadFinished();
    await replay.waitUntilApplied(await this.#run.source.insertLsn());
    if (following) return;
    await this.#end();
    await checkpoint.drained(replay.durableLsn);
  }

  async #follow(built: Built): Promise<Outcome> {
    const checkpoint = this.#open(built);
    const lock = await beginFollowing(this.#run);
    try {
      return await this.#phase('follow', async () => {
        const { replay, slot } = await this.#start(built);
        replay.loadFinished();
        const progress = startProgress({ run: this.#run, phase: 'follow', replay, slot, leaves: () => [], everyMs: FOLLOW_PROGRESS_MS });
        await progress.during(() => follow(this.#run, checkpoint, () => this.#end()));
        return { kind: 'left', built: this.#built() };
      });
    } finally {
      await lock.release();
    }
  }

  #open(built: Built): Checkpoint {
    if (this.#checkpoint !== null) return this.#checkpoint;
    const checkpoint = new Checkpoint(this.#run, built.state, built.uuid);
    this.#run.rejected.savedBy(() => checkpoint.rejected());
    this.#checkpoint = checkpoint;
    return checkpoint;
  }

  #built(): Built {
    const checkpoint = this.#checkpoint;
    if (checkpoint === null) throw new RangeError('BUG: no index yet');
    return { state: checkpoint.state, uuid: checkpoint.uuid };
  }

  /** Starts the replay from what the slot has confirmed; on a resume after the dead process's last bulks (rule R4). */
  async #start(built: Built): Promise<Running> {
    if (this.#running !== null) return this.#running;
    await waitForDeadBulks(this.#run);
    const slot = await this.#run.source.readSlot(this.#run.names.slot);
    const cp = parseLsn(built.state.cp);
    const confirmed = slot?.confirmedFlushLsn ?? cp;
    const replay = new Replay(this.#run, confirmed > cp ? confirmed : cp);
    const steering = await startSteering(this.#run);
    replay.start();
    this.#running = { replay, slot: watchSlot(this.#run), steering };
    return this.#running;
  }
}
