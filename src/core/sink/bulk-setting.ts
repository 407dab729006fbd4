/** How the load's bulks are sent: so many at a time, each of so many bytes. */
export interface BulkSetting {
  readonly jobs: number;
  readonly bytes: number;
}

/** What bounds a setting besides memory. */
export interface BulkBounds {
  /** What the operator gave; null: found by trying. */
  readonly jobs: number | null;
  readonly bytes: number | null;
  /** Each reader fills a body while the others are under way. */
  readonly readers: number;
  /** Below the number that was refused for overload; infinite if none was. */
  readonly mostJobs: number;
  /** What was refused for its size (413) was larger; holds for a given size too, because it would be cut in pieces anyway. */
  readonly mostBytes: number;
}

/** One step away from a setting. */
export type BulkMove = 'more' | 'larger' | 'fewer';

export const FIRST_SETTING: BulkSetting = { jobs: 3, bytes: 1 << 20 };
/** A larger number only waits in the server's queue, and each has a body in memory. */
const MOST_JOBS = 12;
export const SMALLEST_BYTES = 512 << 10;
const LARGEST_BYTES = 8 << 20;
/** All bodies together: with it the process stays below 200 MB. */
export const ALL_BODIES_BYTES = 28 << 20;
const STEP = 1.5;
/** A smaller step in size shows nothing. */
const LEAST_GROWTH = 1.25;

/** The setting as near to the one wanted as the bounds allow: what the operator gave comes first, then memory. */
export function settingWithin(wanted: BulkSetting, bounds: BulkBounds): BulkSetting {
  const jobs = bounds.jobs ?? Math.max(1, Math.min(wanted.jobs, MOST_JOBS, bounds.mostJobs, jobsInMemory(bounds)));
  const bytes = bounds.bytes ?? Math.max(SMALLEST_BYTES, Math.min(wanted.bytes, LARGEST_BYTES, bytesInMemory(jobs, bounds)));
  return { jobs, bytes: Math.min(bytes, bounds.mostBytes) };
}

/** Bodies of a given size may take more than their memory, but then there are not more of them than there always were. */
function jobsInMemory({ bytes, readers }: BulkBounds): number {
  return Math.max(FIRST_SETTING.jobs, Math.floor(ALL_BODIES_BYTES / (bytes ?? SMALLEST_BYTES)) - readers);
}

function bytesInMemory(jobs: number, { readers }: BulkBounds): number {
  return Math.floor(ALL_BODIES_BYTES / (jobs + readers));
}

/** The setting one move away; null if the bounds leave no room for it. */
export function movedSetting(from: BulkSetting, move: BulkMove, bounds: BulkBounds): BulkSetting | null {
  const to = settingWithin(wantedBy(from, move, bounds), bounds);
  switch (move) {
    case 'more':
      return to.jobs > from.jobs ? to : null;
    case 'larger':
      return to.bytes >= from.bytes * LEAST_GROWTH ? to : null;
    case 'fewer':
      return to.jobs < from.jobs ? to : null;
  }
}

function wantedBy({ jobs, bytes }: BulkSetting, move: BulkMove, { mostJobs }: BulkBounds): BulkSetting {
  switch (move) {
    case 'more':
      // Below a number that was refused: the middle, or each further try would be refused too.
      return { jobs: Math.min(Math.ceil(jobs * STEP), Number.isFinite(mostJobs) ? Math.ceil((jobs + mostJobs) / 2) : MOST_JOBS), bytes };
    case 'larger':
      return { jobs, bytes: bytes * 2 };
    case 'fewer':
      return { jobs: Math.floor(jobs / STEP), bytes };
  }
}
