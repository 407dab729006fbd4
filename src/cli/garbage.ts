import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { PhaseName } from '../core/events.ts';

const LOOK_EVERY_MS = 50;
const WATCH_MS = 10;
/** Both halves. */
const GROWN_BYTES = 16 << 20;
/** Below what makes V8 begin to mark all of the heap: it counts the bytes behind buffers as if they were in it. */
const YOUNG_BYTES = 8 << 20;
/** Or half of what is in use, where that is more: to mark a large heap takes long. */
const GARBAGE_BYTES = 32 << 20;

/** While it may grow: with several builds it is asked for more than once. */
let watch: NodeJS.Timeout | null = null;

/**
 * Keeps each half of V8's young generation at its size, which is a megabyte as long as nothing large was loaded and which the cache of a core holds: less CPU, and 30 MB less
 * memory (docs/servers.md C13). It cannot be made smaller.
 */
export function keepYoungGenerationSmall(): void {
  setGrowthFactor(1);
  if (watch !== null) clearInterval(watch);
  watch = null;
}

/**
 * For the phase that begins: the replay has use for a larger one; for the verification, whose rows die young again, it stays as it is. With several builds at once the last phase
 * that began decides.
 */
export function suitYoungGeneration(phase: PhaseName): void {
  if (phase === 'catchup' || phase === 'hold' || phase === 'follow') letYoungGenerationGrow();
  if (phase === 'verify') keepYoungGenerationSmall();
}

/** To a few megabytes: what waits for its bulk lives longer than a row of the load, and would be copied out of a small one before it dies. */
function letYoungGenerationGrow(): void {
  if (watch !== null) return;
  setGrowthFactor(2);
  watch = setInterval(stopGrowing, WATCH_MS).unref();
}

function stopGrowing(): void {
  if (youngGenerationBytes() >= GROWN_BYTES) keepYoungGenerationSmall();
}

/** How many times as large V8 makes it when too much of it is still in use. */
function setGrowthFactor(factor: 1 | 2): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}

function youngGenerationBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
}

/**
 * Keeps the garbage, in the heap and behind buffers, near 32 MiB. By itself V8 lets more than twice as much pile up: bulk bodies, pieces of COPY, pages of a search and changes
 * that waited for their bulk would take a third of the memory that the program is meant to need. Most of what is behind buffers dies young, and to collect the young takes a
 * millisecond; all of the heap takes thirty, and V8 would do that again and again while pieces of COPY go by.
 */
export function boundGarbage(): void {
  let collect: Collector | null = null;
  let { external: young, all: least } = bytesInUse();
  setInterval(() => {
    const { external, all } = bytesInUse();
    young = Math.min(young, external);
    least = Math.min(least, all);
    if (all - least >= Math.max(GARBAGE_BYTES, least / 2)) {
      collect ??= collector();
      collect();
      ({ external: young, all: least } = bytesInUse());
    } else if (external - young >= YOUNG_BYTES) {
      collect ??= collector();
      collect({ type: 'minor' });
      young = bytesInUse().external;
    }
  }, LOOK_EVERY_MS).unref();
}

/** `process.memoryUsage()` has the same figures, but asks the system for more each time. */
function bytesInUse(): { readonly external: number; readonly all: number } {
  const { external_memory: external, used_heap_size: heap } = getHeapStatistics();
  return { external, all: heap + external };
}

type Collector = (options?: { readonly type: 'minor' }) => void;

/** Made when it is first needed: most commands never do. */
function collector(): Collector {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collector;
}
