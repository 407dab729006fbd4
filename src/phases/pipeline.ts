import type { Build, Built, Outcome } from '../core/build.ts';
import type { PhaseName } from '../core/events.ts';
import { parseLsn } from '../core/lsn.ts';
import { catchUp } from './catchup.ts';
import { Checkpoint } from './checkpoint.ts';
import { cleanUp } from './cleanup.ts';
import { waitForDeadBulks } from './dead-bulks.ts';
import { makeIndex } from './index.ts';
import { Load } from './load.ts';
import { startProgress } from './progress.ts';
import { proveIndex } from './prove.ts';
import { Replay } from './replay.ts';
import type { Run } from './run-state.ts';
import { makeSlot } from './slot.ts';
import { type SlotWatch, watchSlot } from './slot-watch.ts';
import { swapAlias } from './swap.ts';

/** What runs beside the phases from the load to the clean-up. */
interface Running {
  readonly replay: Replay;
  readonly slot: SlotWatch;
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
      case 'swap':
        return this.#phase('swap', async () => {
          const checkpoint = this.#open(build.built);
          await checkpoint.enter('swap');
          await swapAlias(this.#run, checkpoint, build.report);
          return { kind: 'swapped', built: this.#built() };
        });
      case 'cleanup':
        return this.#phase('cleanup', async () => ({ kind: 'cleaned', deleted: await this.#cleanUp(build.built), built: this.#built() }));
    }
  }

  /** Ends what runs beside the phases; never throws, the failure that matters is known already. */
  async close(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    await running?.slot.stop().catch(() => {});
    await running?.replay.close().catch(() => {});
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
    const progress = startProgress({ run: this.#run, phase: 'load', replay, slot, leaves: () => load.leaves });
    try {
      await load.run();
    } finally {
      await progress.stop();
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
    try {
      await catchUp(this.#run, replay);
    } finally {
      await progress.stop();
    }
    return this.#built();
  }

  async #verify(built: Built) {
    const checkpoint = this.#open(built);
    const { replay } = await this.#start(built);
    await checkpoint.enter('verify');
    return await proveIndex(this.#run, replay);
  }

  async #cleanUp(built: Built): Promise<readonly string[]> {
    const checkpoint = this.#open(built);
    if (checkpoint.state.phase !== 'cleanup') await checkpoint.enter('cleanup');
    await this.#run.failpoint?.('swap.recorded');
    await this.#drain(built);
    await this.#run.failpoint?.('cleanup.drained');
    return await cleanUp(this.#run, checkpoint);
  }

  /** Replays once more past a position read after the swap: nothing that reached the source before it is missing. Without its slot an earlier run got past this. */
  async #drain(built: Built): Promise<void> {
    if ((await this.#run.source.readSlot(this.#run.names.slot)) === null) return;
    const { replay, slot } = await this.#start(built);
    replay.loadFinished();
    await replay.waitUntilApplied(await this.#run.source.insertLsn());
    await slot.stop();
    await replay.close();
  }

  #open(built: Built): Checkpoint {
    this.#checkpoint ??= new Checkpoint(this.#run, built.state, built.uuid);
    return this.#checkpoint;
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
    replay.start();
    this.#running = { replay, slot: watchSlot(this.#run) };
    return this.#running;
  }
}
