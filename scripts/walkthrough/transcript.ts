import type { RealignEvent, RealignResult } from './realign.ts';

const COLOUR = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (code: string, text: string): string => (COLOUR ? `\u001b[${code}m${text}\u001b[0m` : text);

export const number = (value: unknown): string => Number(value).toLocaleString('en-US');
export const say = (text = ''): boolean => process.stdout.write(`${text}\n`);
export const chapter = (text: string): boolean => say(`\n${paint('1', text)}`);
export const command = (text: string): boolean => say(paint('36', `  $ ${text}`));

/** A promise of the tool, and whether it was kept; the list decides the exit code. */
export interface Promised {
  readonly text: string;
  readonly kept: boolean;
}

export function sayPromise({ text, kept }: Promised): boolean {
  return say(kept ? `  ${paint('32', '✓')} ${text}` : `  ${paint('31', '✗')} ${text}`);
}

/** One line for each event a newcomer wants to see; the rest is in the log. */
export function sayEvent(event: RealignEvent): void {
  if (event.type === 'build.started') say(`    build    ${event.generation}${event.resumed === true ? '   (resumed)' : ''}`);
  if (event.type === 'phase.finished') say(`    ${String(event.phase).padEnd(9)}${seconds(event.durationMs).padStart(7)}   ${event.detail ?? ''}`);
  if (event.type === 'warning') say(`    warning  ${event.message}`);
  if (event.type === 'error') say(`    error    ${event.message}`);
}

export const seconds = (ms: unknown): string => `${(Number(ms) / 1000).toFixed(1)} s`;

export const lastOf = (result: RealignResult, type: string): RealignEvent | undefined => result.events.findLast((event) => event.type === type);
