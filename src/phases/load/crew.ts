/**
 * Keeps as many workers at work as `size` says just now: it may grow and shrink meanwhile. A worker asks `stays` between two pieces of work and ends when it is
 * false. Resolves when all have ended; throws the first failure at once.
 */
export function runCrew(size: () => number, work: (stays: () => boolean) => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    let working = 0;
    const hire = (): void => {
      while (working < Math.max(1, size())) {
        working++;
        work(stays).then(end, reject);
      }
    };
    const end = (): void => {
      if (--working === 0) resolve();
    };
    const stays = (): boolean => {
      hire();
      return working <= Math.max(1, size());
    };
    hire();
  });
}
