import { Failure } from '../../core/failure.ts';
import { didYouMean } from '../../core/nearest-name.ts';
import type { Flags } from '../arguments.ts';
import { usage } from '../check-arguments.ts';
import type { Environment } from '../config/environment.ts';
import { aliasProblem } from '../config/index-names.ts';
import { type Configuration, type IndexEntry, loadConfiguration } from '../config/load.ts';
import type { CommandName } from '../flags.ts';
import type { Machine } from '../machine.ts';
import type { IndexResult, Output } from '../output/output-event.ts';
import type { SecretScrubber } from '../secrets.ts';

/** What every command is given. */
export interface CommandContext {
  readonly command: CommandName;
  readonly named: readonly string[];
  /** What stands behind the index: the order of `ctl` and its changes. */
  readonly words: readonly string[];
  readonly flags: Flags;
  readonly environment: Environment;
  readonly machine: Machine;
  readonly output: Output;
  readonly scrubber: SecretScrubber;
  /** Tells of a failure of one index and gives its exit code; the command goes on with the others. */
  readonly reportFailure: (
    index: string | null,
    error: unknown,
    aftermath?: { readonly unchanged: string; readonly next: readonly string[] },
  ) => number;
  readonly signal: AbortSignal;
  readonly toolVersion: string;
  /** To be told what the config says of reports, metrics and notices, and where things stand in it. */
  readonly configured: (configuration: Configuration) => void;
}

export interface CommandOutcome {
  readonly exitCode: number;
  /** The outcome in a sentence; empty if the output already says it. */
  readonly message: string;
  readonly indices: readonly IndexResult[];
}

/** Reads the configuration for this command line. `needsIndices: false`: the connections are enough. */
export function configurationOf(context: CommandContext, needsIndices: boolean): Configuration {
  const { flags, named, environment, scrubber } = context;
  const table = typeof flags.table === 'string' ? flags.table : null;
  const [alias] = named;
  if (table !== null && (alias === undefined || named.length > 1)) {
    throw new Failure('usage', '--table is for exactly one INDEX', {
      hint: `Example: realign ${context.command} products --table public.products`,
    });
  }
  const configuration = loadConfiguration({
    path: typeof flags.config === 'string' ? flags.config : null,
    adHoc: table === null || alias === undefined ? null : { alias, table },
    needsIndices,
    environment,
    registerSecret: (secret, publicWords) => scrubber.add(secret, publicWords),
  });
  context.configured(configuration);
  return configuration;
}

/** The named indices with their config, or all of them if none is named; throws `usage` for a name that the config does not have. */
export function wantedIndices({ named }: CommandContext, { indices }: Configuration): readonly IndexEntry[] {
  const wanted = named.length === 0 ? [...indices.keys()] : named;
  return wanted.map((alias) => {
    const entry = indices.get(alias);
    if (entry !== undefined) return entry;
    throw new Failure('usage', `the config has no index ${JSON.stringify(alias)}${didYouMean(alias, indices.keys())}`, {
      hint: `Known: ${[...indices.keys()].join(', ')}. Nothing was contacted.`,
    });
  });
}

/** Names that need no entry in the config, only to be possible ones: what a build left can outlive its entry. */
export function checkNames(named: readonly string[]): void {
  for (const alias of named) {
    const problem = aliasProblem(alias);
    if (problem !== null) throw usage(`${JSON.stringify(alias)} cannot be an alias: ${problem}`);
  }
}
