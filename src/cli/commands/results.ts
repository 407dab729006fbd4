import type { RunResult } from '../output/output-event.ts';

/** The word for an exit code of `command` in the summary. 2 is work for `plan`, and nothing that anybody planned for `audit`. */
export function resultOf(exitCode: number, command: string): RunResult {
  if (exitCode === 0) return 'succeeded';
  if (exitCode === 2) return command === 'audit' ? 'drift' : 'has-work';
  return exitCode === 130 || exitCode === 143 ? 'interrupted' : 'failed';
}
