import { confirm } from '../prompts.ts';
import type { CommandContext } from './command-context.ts';

/** Asks on the terminal; `--yes` answers. Throws `usage` without either, with the question in it: whoever adds `--yes` must have seen what it answers. */
export function ask({ flags, machine, signal }: CommandContext, question: string): Promise<boolean> {
  return confirm(question, flags.yes === true, { input: machine.stdin, output: machine.stderr }, signal);
}
