import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const LOOK_EVERY_MS = 50;
/** Below what makes V8 begin to mark all of the heap: it counts the bytes behind buffers as if they were in it. */
const YOUNG_BYTES = 8 << 20;
const GARBAGE_BYTES = 24 << 20;

/**
 * Keeps the garbage behind buffers below 24 MiB. By itself V8 lets 64 MB of it pile up, because its heap is small beside it: bulk bodies, pieces of COPY and pages of a
 * search would take a third of the memory that the program is meant to need. Nearly all of it dies young, and to collect the young takes a millisecond; all of the heap takes thirty, and
 * V8 would do that again and again while pieces of COPY go by.
 */
export function boundExternalMemory(): void {
  let collect: Collector | null = null;
  let young = externalBytes();
  let least = young;
  setInterval(() => {
    const external = externalBytes();
    young = Math.min(young, external);
    least = Math.min(least, external);
    if (external - young < YOUNG_BYTES) return;
    collect ??= collector();
    collect({ type: 'minor' });
    young = externalBytes();
    if (young - least < GARBAGE_BYTES) return;
    collect();
    young = externalBytes();
    least = young;
  }, LOOK_EVERY_MS).unref();
}

/** `process.memoryUsage()` has the same figure, but asks the system for more each time. */
function externalBytes(): number {
  return getHeapStatistics().external_memory;
}

type Collector = (options?: { readonly type: 'minor' }) => void;

/** Made when it is first needed: most commands never do. */
function collector(): Collector {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collector;
}
