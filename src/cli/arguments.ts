import yargs, { type Argv } from 'yargs';
import { Failure } from '../core/failure.ts';
import { checkArguments, usage } from './check-arguments.ts';
import { COMMANDS, type Command, type CommandName, GLOBAL } from './flags.ts';

/** Flags as typed: text, or true for a switch; a flag that was not given is absent. */
export type Flags = { readonly [name: string]: string | true | undefined };

export type Invocation =
  | { readonly kind: 'print'; readonly text: string }
  | {
      readonly kind: 'run';
      readonly command: CommandName;
      readonly indices: readonly string[];
      readonly words: readonly string[];
      readonly flags: Flags;
    };

/** Parses the command line; throws `usage` failures that name the flag or command and the nearest one that exists. */
export async function parseArguments(args: readonly string[], version: string): Promise<Invocation> {
  checkArguments(args);
  let output = '';
  let invocation: Invocation | null = null;
  const parser = build(yargs([]), version, (command, parsed) => {
    invocation = { kind: 'run', command, indices: indicesOf(command, parsed), words: wordsOf(parsed), flags: flagsOf(command, parsed) };
  });
  await parser.parse([...args], {}, (_error, _parsed, printed) => {
    output = printed;
  });
  if (output !== '') return { kind: 'print', text: output };
  if (invocation === null) throw usage('no command given', `Commands: ${Object.keys(COMMANDS).join(', ')}. \`realign --help\` lists everything.`);
  return invocation;
}

type Parsed = { readonly [name: string]: unknown };

function build(parser: Argv, version: string, run: (command: CommandName, parsed: Parsed) => void): Argv {
  // Numbers and camelCase copies would hide what was typed; `--no-color` is a flag of its own, not the negation of another.
  const plain = {
    'boolean-negation': false,
    'camel-case-expansion': false,
    'dot-notation': false,
    'parse-numbers': false,
    'parse-positional-numbers': false,
  };
  let configured = parser
    .scriptName('realign')
    .locale('en')
    .parserConfiguration(plain)
    .usage('realign rebuilds an Elasticsearch index from a PostgreSQL table with zero downtime.\n\n  $0 <command> [flags]')
    .options(GLOBAL)
    .version(version)
    .help()
    .alias('help', 'h')
    .wrap(110)
    .exitProcess(false)
    .strict()
    .fail((message: string | null, error: Error | undefined) => {
      throw error instanceof Failure ? error : usage(message ?? error?.message ?? 'not understood');
    });
  for (const [name, command] of Object.entries(COMMANDS) as [CommandName, Command][]) {
    configured = configured.command({
      command: command.usage,
      describe: command.describe,
      builder: (own: Argv) =>
        (command.indices === 'none' ? own : own.positional(positionalOf(command), { type: 'string', describe: 'the alias' })).options(
          command.options,
        ),
      handler: (parsed: Parsed) => run(name, parsed),
    });
  }
  return configured;
}

/** `audit` has a flag --index, which yargs would mix with a positional of that name. */
function positionalOf({ options }: Command): 'index' | 'name' {
  return 'index' in options ? 'name' : 'index';
}

function indicesOf(command: CommandName, parsed: Parsed): readonly string[] {
  const index = parsed[positionalOf(COMMANDS[command])];
  const named = (Array.isArray(index) ? index : index === undefined ? [] : [index]).map(String);
  return [...new Set(named)];
}

/** The words of a command that are no index: the order of `ctl` and its changes, what `explain` and `completion` are asked for. */
function wordsOf({ order, change, code, shell }: Parsed): readonly string[] {
  return [order, ...(Array.isArray(change) ? change : []), code, shell].filter((word) => word !== undefined).map(String);
}

function flagsOf(command: CommandName, parsed: Parsed): Flags {
  const flags: { [name: string]: string | true } = {};
  for (const name of Object.keys({ ...GLOBAL, ...COMMANDS[command].options })) {
    const value = parsed[name];
    if (Array.isArray(value)) throw usage(`--${name} is given ${value.length} times`);
    if (typeof value === 'string' || value === true) flags[name] = value;
  }
  return flags;
}
