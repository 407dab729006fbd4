import type { Reporter } from '../../core/events.ts';
import type { RunOptions } from '../../core/plan/index-config.ts';
import type { AnsweredBulk } from '../../core/sink/bulk-epoch.ts';
import type { BulkSetting } from '../../core/sink/bulk-setting.ts';
import { BulkTuner } from '../../core/sink/bulk-tuner.ts';
import type { Steering } from '../steering/steering.ts';
import type { BulkWatch } from './bulk-window.ts';

/** As many bulks of the replay at a time, and as large, unless the operator gave other figures: its bodies are small, and their order is what counts (rule R5). */
const LANES = 3;
const LANE_BYTES = 5 << 20;

/** How many bulks of what size the load sends: as the operator says, else as the answers teach. Says what it has found. */
export class BulkTuning implements BulkWatch {
  readonly #tuner: BulkTuner;
  readonly #steering: Pick<Steering, 'limits'>;
  readonly #options: Pick<RunOptions, 'bulkJobs' | 'bulkBytes'>;
  readonly #reporter: Reporter;
  /** As of the last bulk: it is asked for with every piece of the table. */
  #setting: BulkSetting;

  constructor(steering: Pick<Steering, 'limits'>, options: Pick<RunOptions, 'bulkJobs' | 'bulkBytes'>, reporter: Reporter) {
    this.#steering = steering;
    this.#options = options;
    this.#reporter = reporter;
    this.#tuner = new BulkTuner(() => ({ jobs: steering.limits.bulkJobs, bytes: options.bulkBytes, readers: steering.limits.copyJobs }));
    this.#setting = this.#tuner.setting;
  }

  /** Of the load, just now. */
  get jobs(): number {
    return this.#setting.jobs;
  }

  /** A body of the load is sent when it has so many bytes. */
  get bytes(): number {
    return this.#setting.bytes;
  }

  /** How many operations of different keys the replay may have under way: fixed for a run, because a key must not change its lane. */
  get lanes(): number {
    return this.#options.bulkJobs ?? LANES;
  }

  /** The size of every other bulk: of the replay, and of deletes. */
  get laneBytes(): number {
    return Math.min(this.#options.bulkBytes ?? LANE_BYTES, this.#tuner.mostBytes);
  }

  sent(at: number, room: number): void {
    this.#tell((tuner) => tuner.sent(at, room));
  }

  answered(answer: AnsweredBulk): void {
    const tuned = this.#tell((tuner) => tuner.answered(answer));
    const { rate, bulkJobs } = this.#steering.limits;
    // What was given needs not be told.
    if (tuned === null || (bulkJobs !== null && this.#options.bulkBytes !== null)) return;
    // What a rate holds back says nothing.
    if (rate !== null) {
      this.#tuner.untold();
      return;
    }
    const { jobs, bytes, bytesPerSecond, limit } = tuned;
    this.#reporter.report({ type: 'tuned', bulkJobs: jobs, bulkBytes: Math.round(bytes), bytesPerSecond, limit });
  }

  overloaded(at: number): void {
    this.#tell((tuner) => tuner.overloaded(at));
  }

  /** The load was held back up to now, by an order or for the source's sake. */
  interrupted(at: number): void {
    this.#tell((tuner) => tuner.interrupted(at));
  }

  /** A body of so many bytes was refused for its size (413). */
  tooLarge(bytes: number): void {
    this.#tell((tuner) => tuner.tooLarge(bytes));
  }

  /** All that the tuner hears may change its setting. */
  #tell<T>(tell: (tuner: BulkTuner) => T): T {
    const told = tell(this.#tuner);
    this.#setting = this.#tuner.setting;
    return told;
  }
}
