import { Failure } from '../../core/failure.ts';
import { ABOVE_ZERO, DURATION_EXPECTED, parseDuration, parseSize, SIZE_EXPECTED } from './quantity.ts';

/** The value of `--flag` as a whole number of at least `minimum`; throws `usage`. */
export function wholeFlag(flag: string, text: string, minimum: number): number {
  const value = /^\d{1,12}$/.test(text) ? Number(text) : -1;
  if (value < minimum) throw invalidFlag(flag, text, `expected a whole number, at least ${minimum}`);
  return value;
}

/** The value of `--flag` in bytes, more than none; throws `usage`. */
export function sizeFlag(flag: string, text: string): number {
  const bytes = parseSize(text);
  if (bytes === null || bytes === 0) throw invalidFlag(flag, text, bytes === 0 ? ABOVE_ZERO : SIZE_EXPECTED);
  return bytes;
}

/** The value of `--flag` in milliseconds, more than none; throws `usage`. */
export function durationFlag(flag: string, text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === null || milliseconds === 0) throw invalidFlag(flag, text, milliseconds === 0 ? ABOVE_ZERO : DURATION_EXPECTED);
  return milliseconds;
}

/** What is wrong with a flag, the value seen and what would be right. */
export function invalidFlag(flag: string, text: string, expected: string): Failure {
  return new Failure('usage', `--${flag}: ${expected}, not ${JSON.stringify(text)}`, { hint: 'Nothing was contacted.' });
}
