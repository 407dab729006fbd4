/**
 * The text for an error that nobody caught. Node's own report prints the message and the error's fields, and a driver's may hold a password or
 * a row's values: only the class and the stack frames are shown.
 */
export function crashText(error: unknown): string {
  const name = error instanceof Error ? error.name : typeof error;
  const frames = error instanceof Error ? (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line)) : [];
  const lines = [` ✗ unexpected ${name} outside any step`, ...frames];
  return `${[...lines, ' This is a bug; please report it. An unfinished build can be resumed by the same command, or removed with realign abort.'].join('\n')}\n`;
}
