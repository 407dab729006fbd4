import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const LOOK_EVERY_MS = 200;
const GARBAGE_BYTES = 24 << 20;

/**
 * Collects garbage whenever the bytes behind buffers have grown by 24 MiB. By itself V8 lets 64 MB of them pile up, because its heap is small beside them: bulk bodies,
 * pieces of COPY and pages of a search would take a third of the memory that the program is meant to need. Costs some thirty milliseconds each time.
 */
export function boundExternalMemory(): void {
  let collect: (() => void) | null = null;
  let least = process.memoryUsage().external;
  setInterval(() => {
    const { external } = process.memoryUsage();
    least = Math.min(least, external);
    if (external - least < GARBAGE_BYTES) return;
    collect ??= collector();
    collect();
    least = process.memoryUsage().external;
  }, LOOK_EVERY_MS).unref();
}

/** Made when it is first needed: most commands never do. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
