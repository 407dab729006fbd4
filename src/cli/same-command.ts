import type { Flags } from './arguments.ts';

/** The command line as typed, for one index, without `--fresh`, which would throw an unfinished build away, and without `--all`. */
export function sameCommand(command: string, alias: string, flags: Flags): string {
  const given = Object.entries(flags).filter(([name, value]) => name !== 'fresh' && name !== 'all' && value !== undefined);
  const words = given.flatMap(([name, value]) => (value === true ? [`--${name}`] : [`--${name}`, shellWord(String(value))]));
  return ['realign', command, shellWord(alias), ...words].join(' ');
}

/** One word for a shell, quoted where it needs to be. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
