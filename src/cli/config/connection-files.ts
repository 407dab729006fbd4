import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Environment, errorCode, readSecretFile } from './environment.ts';
import type { ConfigPath, Problems } from './problems.ts';

/** What the resolvers of both connections share: where paths start, the environment, and where mistakes and secrets go. */
export interface ResolveContext {
  /** The directory of the config file. */
  readonly directory: string;
  readonly environment: Environment;
  readonly problems: Problems;
  /** Told of every secret before it is used anywhere. */
  readonly registerSecret: (secret: string, publicWords: readonly string[]) => void;
}

/** A file named in the config, read as text; null (and a problem) if it cannot be read. */
export function readNamedFile(context: ResolveContext, path: ConfigPath, name: string): string | null {
  return attempt(context, path, name, (full) => readFileSync(full, 'utf8'));
}

/** A secret's file named in the config. */
export function readNamedSecret(context: ResolveContext, path: ConfigPath, name: string): string | null {
  return attempt(context, path, name, readSecretFile);
}

/** A secret from `NAME`, or from the file that `NAME_FILE` names; null if neither is set. */
export function environmentSecret(context: ResolveContext, name: string): string | null {
  const { environment, problems } = context;
  const direct = environment[name];
  const file = environment[`${name}_FILE`];
  if (direct !== undefined && file !== undefined) problems.addElsewhere(`environment: ${name} and ${name}_FILE are both set; unset one`);
  if (direct !== undefined || file === undefined) return direct ?? null;
  try {
    return readSecretFile(file);
  } catch (error) {
    problems.addElsewhere(`environment: the file of ${name}_FILE cannot be read: ${file} (${errorCode(error)})`);
    return null;
  }
}

function attempt(context: ResolveContext, path: ConfigPath, name: string, read: (full: string) => string): string | null {
  const full = resolve(context.directory, name);
  try {
    return read(full);
  } catch (error) {
    context.problems.add(path, `the file cannot be read: ${full} (${errorCode(error)})`);
    return null;
  }
}
