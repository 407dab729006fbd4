import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import type { Failure } from '../../core/failure.ts';
import { errorCode } from '../config/environment.ts';
import type { Configuration } from '../config/load.ts';
import { Problems } from '../config/problems.ts';

const PATH = ['hooks', 'beforeSwap'];
const HINT = 'Give the path of an executable file (chmod +x); it is relative to the config file.';
/** The longest first line that the kernel looks at. */
const FIRST_LINE_BYTES = 256;

/** Why `hooks.beforeSwap` cannot be run on this machine, kind `config`, with its place in the file; null if it can, or if there is none. */
export function hookMistake({ outlets, file }: Configuration): Failure | null {
  if (outlets.beforeSwap === null) return null;
  const { script } = outlets.beforeSwap;
  const why = whyNotRunnable(script);
  if (why === null) return null;
  const problems = new Problems(file?.name ?? '', HINT);
  if (file !== null) problems.useLocator(file.source);
  problems.add(PATH, `it cannot be run: ${script} (${why})`);
  return problems.failure();
}

/** Hours before it is needed: throws `hookMistake`. */
export function requireRunnable(configuration: Configuration): void {
  const mistake = hookMistake(configuration);
  if (mistake !== null) throw mistake;
}

function whyNotRunnable(script: string): string | null {
  try {
    // A directory may be entered, which is the same bit.
    if (!statSync(script).isFile()) return 'no file';
    accessSync(script, constants.X_OK);
    const interpreter = interpreterOf(script);
    if (interpreter !== null) accessSync(interpreter, constants.X_OK);
    return null;
  } catch (error) {
    const { path } = error as { readonly path?: unknown };
    return typeof path === 'string' && path !== script ? `its first line names ${path}: ${errorCode(error)}` : errorCode(error);
  }
}

/** What `#!` names; null for a program of its own, or one that may be run and not be read. */
function interpreterOf(script: string): string | null {
  const bytes = Buffer.alloc(FIRST_LINE_BYTES);
  let file: number;
  try {
    file = openSync(script, 'r');
  } catch {
    return null;
  }
  const length = readSync(file, bytes);
  closeSync(file);
  return /^#![ \t]*(\/[^ \t\n\0]+)/.exec(bytes.toString('latin1', 0, length))?.[1] ?? null;
}
