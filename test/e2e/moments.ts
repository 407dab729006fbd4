import type { Failpoint, FailpointName } from '../../src/phases/build/failpoints.ts';

/** A failpoint that does `action` the first time a build passes `name`; the build waits for it. */
export function onceAt(name: FailpointName, action: () => Promise<unknown>): Failpoint & { readonly passed: () => boolean } {
  let passed = false;
  const failpoint = async (at: FailpointName): Promise<void> => {
    if (at !== name || passed) return;
    passed = true;
    await action();
  };
  return Object.assign(failpoint, { passed: () => passed });
}
