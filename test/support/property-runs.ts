/** How often a property is tried: a tenth of the full number in the quick loop (`npm run check`), the full number where `FULL_RUNS` is set, as `scripts/test` does. */
export function runs(full: number): { readonly numRuns: number } {
  return { numRuns: process.env.FULL_RUNS === '1' ? full : Math.ceil(full / 10) };
}
