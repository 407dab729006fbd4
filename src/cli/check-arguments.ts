import { Failure } from '../core/failure.ts';
import { didYouMean } from '../core/nearest-name.ts';
import { FlagMistakes } from './config/flag-mistakes.ts';
import { COMMANDS, type CommandName, GLOBAL, type OptionTable } from './flags.ts';

/** The flags that every program has. */
const ALWAYS = ['help', 'h', 'version'];
const LONG_NAMES: { readonly [short: string]: string } = { c: 'config', o: 'output', q: 'quiet', v: 'verbose', h: 'help' };

interface GivenFlag {
  readonly name: string;
  readonly token: string;
  /** Null: none stands behind it. */
  readonly value: string | null;
}

interface Line {
  readonly flags: readonly GivenFlag[];
  /** What is neither a flag nor the value of one. */
  readonly words: readonly string[];
}

/**
 * Refuses everything that yargs would refuse in its own words: all wrong flags at once, each with its place, the value seen and what would be right. Throws `usage`.
 */
export function checkArguments(args: readonly string[]): void {
  const { flags, words } = readLine(args);
  const command = knownCommand(words[0]);
  const mistakes = new FlagMistakes();
  for (const flag of flags) mistakes.read(() => checkFlag(flag, command), undefined);
  // Before the words are counted: what stands behind an unknown flag may be its value.
  mistakes.throwIfAny();
  if (command === null || flags.some(({ name }) => ALWAYS.includes(name))) return;
  checkWords(command, words.slice(1));
}

/** The command that is named, for what is told of a line that is refused; empty if there is none of that name. */
export function commandOf(args: readonly string[]): CommandName | '' {
  const [word = ''] = readLine(args).words;
  return isCommand(word) ? word : '';
}

function readLine(args: readonly string[]): Line {
  const flags: GivenFlag[] = [];
  const words: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const token = args[at] ?? '';
    if (token === '--') return { flags, words: [...words, ...args.slice(at + 1)] };
    if (!/^--?[A-Za-z]/.test(token)) {
      words.push(token);
      continue;
    }
    const given = flagsIn(token, args[at + 1], words[0]);
    flags.push(...given);
    if (given.some(({ value }) => value !== null && value === args[at + 1] && !token.includes('='))) at += 1;
  }
  return { flags, words };
}

/** `--name`, `--name=value`, `-c FILE`, `-qo json`, `-o=json`. What follows is a value if the flag takes one and it is no flag itself. */
function flagsIn(token: string, next: string | undefined, command: string | undefined): readonly GivenFlag[] {
  const [before = '', ...rest] = token.split('=');
  const inline = rest.length > 0 ? rest.join('=') : null;
  const names = before.startsWith('--') ? [before.slice(2)] : shortNames(before.slice(1));
  return names.map((name, at) => {
    const value = inline ?? (next === undefined || /^--?[A-Za-z]|^--$/.test(next) ? null : next);
    return { name, token, value: at === names.length - 1 && (inline !== null || takesValue(name, command)) ? value : null };
  });
}

/** A group of letters that are all known stands for its long names; anything else is one unknown name. */
function shortNames(letters: string): readonly string[] {
  const names = [...letters].map((letter) => LONG_NAMES[letter]);
  return names.every((name) => name !== undefined) ? names : [letters];
}

/** One name may be a switch of one command and take a value for another: `schema --report`, `rebuild --report DIR`. */
function takesValue(name: string, command: string | undefined): boolean {
  const tables: readonly OptionTable[] =
    command !== undefined && isCommand(command) ? [COMMANDS[command].options] : Object.values(COMMANDS).map(({ options }) => options);
  return [GLOBAL, ...tables].some((table) => Object.hasOwn(table, name) && table[name]?.type === 'string');
}

function knownCommand(word: string | undefined): CommandName | null {
  if (word === undefined) return null;
  if (isCommand(word)) return word;
  throw usage(
    `unknown command ${JSON.stringify(word)}${didYouMean(word, Object.keys(COMMANDS))}`,
    `Commands: ${Object.keys(COMMANDS).join(', ')}. \`realign --help\` lists everything.`,
  );
}

function isCommand(word: string): word is CommandName {
  return Object.hasOwn(COMMANDS, word);
}

function checkFlag({ name, token, value }: GivenFlag, command: CommandName | null): void {
  const known = { ...GLOBAL, ...(command === null ? {} : COMMANDS[command].options) };
  if (ALWAYS.includes(name)) return;
  const option = Object.hasOwn(known, name) ? known[name] : undefined;
  if (option === undefined) throw unknownFlag(name, token, command, Object.keys(known));
  if (option.type !== 'string') {
    if (value === null || value === 'true' || value === 'false') return;
    throw usage(`--${name} takes no value, not ${JSON.stringify(value)}`);
  }
  const choices = option.choices?.map(String);
  const expected = choices === undefined ? '' : `: ${choices.join(', ')}`;
  if (value === null || value === '') throw usage(`--${name} needs a value${expected}`);
  if (choices === undefined || choices.includes(value)) return;
  throw usage(`--${name}: expected ${choices.join(' or ')}, not ${JSON.stringify(value)}${didYouMean(value, choices)}`);
}

/** Also says so when a flag belongs to another command. */
function unknownFlag(name: string, token: string, command: CommandName | null, known: readonly string[]): Failure {
  const owner = Object.entries(COMMANDS).find(([, other]) => Object.hasOwn(other.options, name));
  if (owner !== undefined) return usage(`--${name} is a flag of ${owner[0]}${command === null ? '' : `, not of ${command}`}`);
  return usage(`unknown flag ${token.split('=')[0]}${didYouMean(name, [...known, 'help', 'version']).replace(/"(.*)"/, '--$1')}`);
}

/** What the places in the usage of a command are called, and an example that has them. */
const PLACES: { readonly [place: string]: { readonly name: string; readonly example: string } } = {
  index: { name: 'INDEX (the alias)', example: 'products' },
  name: { name: 'INDEX (the alias)', example: 'products' },
  code: { name: 'CODE (an exit code, or the kind of an error)', example: '22' },
  shell: { name: 'SHELL (bash, zsh or fish)', example: 'bash' },
};

/** Counts the words behind a command against its usage, `abort <index>` or `plan <index..>`. */
function checkWords(command: CommandName, words: readonly string[]): void {
  const places = COMMANDS[command].usage.split(' ').slice(1);
  const missing = places.filter((place) => place.startsWith('<'))[words.length];
  if (missing !== undefined) {
    const place = PLACES[missing.replaceAll(/[<>.]/g, '')];
    const order = command === 'ctl' ? ' pause' : '';
    throw usage(`${place?.name ?? missing} is missing behind ${command}`, `Example: realign ${command} ${place?.example ?? ''}${order}`);
  }
  if (places.some((place) => place.includes('..')) || words.length <= places.length) return;
  const extra = JSON.stringify(words[places.length]);
  const takes = places.length === 0 ? 'takes no word behind it' : `takes one ${PLACES[places[0]?.replaceAll(/\W/g, '') ?? '']?.name ?? 'word'}`;
  throw usage(`${command} ${takes}, not ${places.length === 0 ? '' : 'also '}${extra}`);
}

/** A failure of the command line; the hint says where to look unless there is a better one. */
export function usage(message: string, hint = 'Nothing was contacted. `realign --help` and `realign COMMAND --help` list what exists.'): Failure {
  return new Failure('usage', message, { hint });
}
