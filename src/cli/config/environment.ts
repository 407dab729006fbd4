import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { Failure } from '../../core/failure.ts';

/** The environment variables as one frozen table; only `main` reads `process.env`. */
export type Environment = { readonly [name: string]: string | undefined };

/** The real environment over the variables of `--env-file`; an empty variable counts as not set. */
export function readEnvironment(real: Environment, envFile: string | null): Environment {
  const fromFile = envFile === null ? {} : parseEnv(readEnvFile(envFile));
  const entries = Object.entries({ ...fromFile, ...real }).filter(([, value]) => value !== undefined && value !== '');
  return Object.freeze(Object.fromEntries(entries));
}

/** The text of a secret's file without its last line end (editors and secret mounts add one). */
export function readSecretFile(path: string): string {
  const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  if (text === '') throw new Error(`${path} is empty`);
  return text;
}

function readEnvFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Failure('config', `the file of --env-file cannot be read: ${path} (${errorCode(error)})`, {
      hint: 'Give the path of a file with NAME=value lines.',
      cause: error,
    });
  }
}

/** The code of a system error (`ENOENT`), or its message if it has none. */
export function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
