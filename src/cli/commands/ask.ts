import { confirm } from '../prompts.ts';
import type { CommandContext } from './command-context.ts';

/** False where nobody can answer: then ask before anything is contacted, so that the missing `--yes` is told at once. */
export function canAsk({ machine: { stdin, stderr } }: CommandContext): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Asks on the terminal; `--yes` answers. Throws `usage` without either. */
export function ask({ flags, machine, signal }: CommandContext, question: string): Promise<boolean> {
  return confirm(question, flags.yes === true, { input: machine.stdin, output: machine.stderr }, signal);
}
