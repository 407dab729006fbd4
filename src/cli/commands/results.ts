import type { RunResult } from '../output/output-event.ts';

/** The word for an exit code in the summary. */
export function resultOf(exitCode: number): RunResult {
  if (exitCode === 0) return 'succeeded';
  if (exitCode === 2) return 'has-work';
  return exitCode === 130 || exitCode === 143 ? 'interrupted' : 'failed';
}

/** `1 failure`, `2 failures`. */
export function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
