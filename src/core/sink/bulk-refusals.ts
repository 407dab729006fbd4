/** Refusals closer together are of one storm. */
const STORM_MS = 1000;
/** So many storms within so long are no accident: the setting is too much. */
const STORMS = 3;
const STORMS_WITHIN_MS = 20_000;
const REMEMBERED_MS = 60_000;

/** What was refused for overload (429), remembered for a while: a sink that is busy now may not be later. */
export class BulkRefusals {
  #refused: { readonly jobs: number; readonly until: number } | null = null;
  #storms: number[] = [];

  /** How many bulks at a time have not been refused yet. */
  get mostJobs(): number {
    return this.#refused === null ? Number.POSITIVE_INFINITY : Math.max(1, this.#refused.jobs - 1);
  }

  /** Time goes by: what was refused long ago may be tried again. */
  pass(at: number): void {
    if (this.#refused !== null && at >= this.#refused.until) this.#refused = null;
  }

  /** So many at a time were too many. */
  refuse(jobs: number, at: number): void {
    this.#storms = [];
    this.#refused = { jobs, until: at + REMEMBERED_MS };
  }

  /** A bulk was refused; true if that happens again and again. */
  storm(at: number): boolean {
    if (at - (this.#storms.at(-1) ?? Number.NEGATIVE_INFINITY) < STORM_MS) return false;
    this.#storms = [...this.#storms.filter((storm) => at - storm < STORMS_WITHIN_MS), at];
    return this.#storms.length >= STORMS;
  }
}
