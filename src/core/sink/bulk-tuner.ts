import { type AnsweredBulk, BulkEpoch, type SeenEpoch } from './bulk-epoch.ts';
import { isConfirmed, isHasty, isTooLate, judgeTrial, LATE_MS, mayGrow } from './bulk-gain.ts';
import { BulkRefusals } from './bulk-refusals.ts';
import { type BulkBounds, type BulkMove, type BulkSetting, FIRST_SETTING, movedSetting, SMALLEST_BYTES, settingWithin } from './bulk-setting.ts';
import type { TunedBulks, TunerMode } from './bulk-tuner-mode.ts';

const MOVES: readonly BulkMove[] = ['more', 'larger', 'fewer'];
/** Share of the time without enough bulks under way: below it the pauses between two chunks are. */
const STARVED = 0.3;
/** Another rate than that, and no noise. */
const CHANGED = 0.3;
const PROBE_MS = 60_000;
const LONGEST_PROBE_MS = 600_000;

/**
 * Finds how many bulks of what size the sink takes fastest, by trying: a move to a neighbouring setting is kept if it pays, else taken back, until no move pays. Then it rests, and looks
 * again from time to time or when the rate changes. Time comes in with the answers.
 */
export class BulkTuner {
  readonly #given: () => Pick<BulkBounds, 'jobs' | 'bytes' | 'readers'>;
  #accepted: BulkSetting = FIRST_SETTING;
  #mode: TunerMode = { at: 'measuring', again: 0 };
  readonly #failed = new Set<BulkMove>();
  #inForce: BulkSetting;
  #epoch: BulkEpoch;
  #changedAt = Number.NEGATIVE_INFINITY;
  /** The first answers of a run are those of a cold server and a cold client. */
  #warm = false;
  #inFlight = 0;
  /** Answers in a row that came too late. */
  #late = 0;
  #room = Number.POSITIVE_INFINITY;
  #mostBytes = Number.POSITIVE_INFINITY;
  readonly #refusals = new BulkRefusals();
  #probeMs = PROBE_MS;
  #told: BulkSetting | null = null;

  /** `given` may change while it runs: an operator's order. */
  constructor(given: () => Pick<BulkBounds, 'jobs' | 'bytes' | 'readers'>) {
    this.#given = given;
    this.#inForce = this.setting;
    this.#epoch = new BulkEpoch(this.#inForce.jobs, false);
  }

  /** What is to be done now: the setting on trial, or the one accepted. */
  get setting(): BulkSetting {
    return settingWithin(this.#mode.at === 'trying' ? this.#mode.setting : this.#accepted, this.#bounds);
  }

  /** A bulk goes out; `room` is how many may be under way. */
  sent(at: number, room: number): void {
    this.#pass(at, room);
    this.#inFlight++;
  }

  /** The answer to a bulk that was `sent`; what is worth telling, if it has come to rest at another setting. */
  answered(answer: AnsweredBulk): TunedBulks | null {
    this.#pass(answer.at, this.#room);
    this.#inFlight--;
    if (answer.sign === 'overloaded') this.overloaded(answer.at, answer.sentAt);
    if (answer.sign === null || this.#isChanged) this.#restart(answer.at);
    if (answer.sign !== 'accepted' || answer.sentAt < this.#changedAt) return null;
    this.#late = this.#given().bytes === null && isTooLate(answer, this.setting.bytes) ? this.#late + 1 : 0;
    if (this.#late > 0 && (this.#mode.at === 'trying' || this.#late >= 2 * this.#inForce.jobs)) return this.#shrink(answer);
    const seen = this.#epoch.add(answer);
    if (seen === null) return null;
    this.#restart(answer.at);
    if (seen.restricted || !this.#warm) {
      this.#warm = true;
      return null;
    }
    return seen.starved > STARVED ? this.#starved(seen, answer.at) : this.#judge(seen, answer.at);
  }

  /** A body of so many bytes was refused for its size. */
  tooLarge(bytes: number): void {
    this.#mostBytes = Math.min(this.#mostBytes, Math.ceil(bytes / 2));
  }

  /** Half of the smallest body that was refused for its size; infinite if none was. */
  get mostBytes(): number {
    return this.#mostBytes;
  }

  /** Reading stood still up to now, for a reason that has nothing to do with the sink. */
  interrupted(at: number): void {
    this.#restart(at);
  }

  /** What it has last come to rest at was not told, so that it is when it comes to rest there again. */
  untold(): void {
    this.#told = null;
  }

  /** The sink refused a bulk, this load's or another one's: a trial ends at once, the accepted setting only if it happens again and again. */
  overloaded(at: number, sentAt = at): void {
    if (sentAt < this.#changedAt) return;
    const mode = this.#mode;
    if (mode.at !== 'trying') {
      if (this.#refusals.storm(at)) this.#retreat(at);
      return;
    }
    if (mode.move === 'more') this.#refusals.refuse(this.setting.jobs, at);
    else this.#failed.add(mode.move);
    this.#enter({ at: 'measuring', again: 0 }, at);
  }

  get #bounds(): BulkBounds {
    return { ...this.#given(), mostJobs: this.#refusals.mostJobs, mostBytes: this.#mostBytes };
  }

  /** Also by an operator's order. */
  get #isChanged(): boolean {
    const { jobs, bytes } = this.setting;
    return jobs !== this.#inForce.jobs || bytes !== this.#inForce.bytes;
  }

  #pass(at: number, room: number): void {
    this.#room = room;
    this.#epoch.pass(at, this.#inFlight, room);
    this.#refusals.pass(at);
  }

  #retreat(at: number): void {
    const { jobs, bytes } = this.setting;
    this.#refusals.refuse(jobs, at);
    this.#accepted = { jobs: Math.max(1, jobs - 1), bytes };
    this.#enter({ at: 'measuring', again: 0 }, at);
  }

  /** The bodies are too large for this sink. A pause of it, which makes everything under way late once, does not show that. */
  #shrink({ sentAt, at }: AnsweredBulk): TunedBulks | null {
    this.#late = 0;
    const mode = this.#mode;
    // What was fast enough before the trial is so after it.
    if (mode.at === 'trying') return this.#takeBack(mode.move, mode.base, at);
    const { jobs, bytes } = this.setting;
    this.#accepted = { jobs, bytes: Math.max(SMALLEST_BYTES, Math.round((bytes * LATE_MS) / (at - sentAt))) };
    return this.#enter({ at: 'measuring', again: 0 }, at);
  }

  #judge(seen: SeenEpoch, at: number): TunedBulks | null {
    const mode = this.#mode;
    switch (mode.at) {
      case 'measuring':
        return this.#next(seen, at);
      case 'trying':
        return this.#tried(mode, seen, at);
      case 'confirming':
        return isConfirmed(mode.tried, seen) ? this.#accept(mode, mode.tried, at) : this.#takeBack(mode.move, seen, at);
      case 'settled':
        return this.#watch(mode, seen, at);
    }
  }

  #tried(mode: Extract<TunerMode, { at: 'trying' }>, seen: SeenEpoch, at: number): TunedBulks | null {
    const { move, setting, base } = mode;
    switch (judgeTrial(move, base, seen)) {
      case 'as-good':
        this.#accepted = setting;
        return this.#next(seen, at);
      case 'pays':
        return this.#accept(mode, seen, at);
      case 'not':
        return this.#takeBack(move, base, at);
      case 'perhaps':
        return this.#enter({ at: 'confirming', move, setting, tried: seen }, at);
    }
  }

  #accept({ move, setting }: { readonly move: BulkMove; readonly setting: BulkSetting }, seen: SeenEpoch, at: number): TunedBulks | null {
    this.#accepted = setting;
    if (move !== 'fewer') this.#failed.delete('more');
    this.#failed.delete('larger');
    // Where it comes from was slower.
    if (move === 'more') this.#failed.add('fewer');
    if (move === 'fewer') this.#failed.add('more');
    return this.#next(seen, at);
  }

  #takeBack(move: BulkMove, base: SeenEpoch, at: number): TunedBulks | null {
    this.#failed.add(move);
    return this.#next(base, at);
  }

  /** The next move that is worth a try, or rest. */
  #next(base: SeenEpoch, at: number): TunedBulks | null {
    const from = settingWithin(this.#accepted, this.#bounds);
    for (const move of MOVES) {
      const setting = this.#failed.has(move) ? null : movedSetting(from, move, this.#bounds);
      if (setting === null || (move === 'larger' && !mayGrow(from, setting, base))) continue;
      return this.#enter({ at: 'trying', move, setting, base }, at);
    }
    return this.#settle(from, base, 'sink', at);
  }

  #settle(setting: BulkSetting, { bytesPerMs }: SeenEpoch, limit: TunedBulks['limit'], at: number): TunedBulks | null {
    this.#accepted = setting;
    this.#enter({ at: 'settled', limit, bytesPerMs, until: at + this.#probeMs, odd: 0 }, at);
    this.#probeMs = Math.min(LONGEST_PROBE_MS, this.#probeMs * 2);
    const told = this.#told;
    if (told !== null && told.jobs === setting.jobs && setting.bytes < told.bytes * 2 && told.bytes < setting.bytes * 2) return null;
    this.#told = setting;
    return { ...setting, limit, bytesPerSecond: Math.round(bytesPerMs * 1000) };
  }

  /** The places are not even used: more of them can do nothing. Larger bodies may, where each costs more to ask for than to answer. */
  #starved(seen: SeenEpoch, at: number): TunedBulks | null {
    const mode = this.#mode;
    if (mode.at === 'trying') return this.#takeBack(mode.move, mode.base, at);
    if (mode.at === 'settled') return null;
    const larger = isHasty(this.setting, seen) ? movedSetting(this.setting, 'larger', this.#bounds) : null;
    if (larger !== null) {
      this.#accepted = larger;
      return this.#enter({ at: 'measuring', again: 0 }, at);
    }
    if (mode.at === 'measuring' && mode.again > 0) return this.#settle(this.setting, seen, 'source', at);
    return this.#enter({ at: 'measuring', again: 1 }, at);
  }

  /** At rest: until the rate is another one twice in a row, or for a while. */
  #watch(mode: Extract<TunerMode, { at: 'settled' }>, seen: SeenEpoch, at: number): TunedBulks | null {
    const changed = mode.limit === 'source' || Math.abs(seen.bytesPerMs / mode.bytesPerMs - 1) > CHANGED;
    const odd = changed ? mode.odd + 1 : 0;
    if (odd < 2 && at < mode.until) {
      this.#mode = { ...mode, odd };
      return null;
    }
    if (odd >= 2) this.#probeMs = PROBE_MS;
    this.#failed.clear();
    return this.#next(seen, at);
  }

  #enter(mode: TunerMode, at: number): null {
    this.#mode = mode;
    this.#restart(at);
    return null;
  }

  /** What was sent under another setting says nothing about the one in force now. */
  #restart(at: number): void {
    if (this.#isChanged) {
      this.#inForce = this.setting;
      this.#changedAt = at;
    }
    this.#epoch = new BulkEpoch(this.#inForce.jobs, this.#mode.at === 'settled');
  }
}
