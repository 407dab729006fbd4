import type { Flags } from './arguments.ts';
import type { OutputEvent } from './output/output-event.ts';
import { shellWord } from './same-command.ts';

/** What a command needs to reach the same servers and the same entry of the config. */
const CONNECTION = ['config', 'env-file', 'table'] as const;
/** The commands that look at the index's entry, and so need `--table` where there is no file. */
const OF_AN_ENTRY: ReadonlySet<string> = new Set(['rebuild', 'audit', 'plan', 'check', 'swap']);
/** The commands that are whole without an index. */
const OF_ALL: ReadonlySet<string> = new Set(['status', 'cleanup', 'check']);
const COMMANDS = 'rebuild|audit|plan|check|swap|status|ctl|rollback|cleanup|abort';
/** As `shellWord` writes them, or bare. */
const WORD = "(?:'[^']*'(?:\\\\''[^']*')*|[^\\s`·;,:)]+)";
const COMMAND = new RegExp(`\\brealign (${COMMANDS})((?: +${WORD})*)`, 'g');
/** The fields of events that are read by people, and may name a command. */
const TOLD: ReadonlySet<string> = new Set(['message', 'hint', 'unchanged', 'next', 'detail', 'throttle', 'fix']);

/**
 * Gives the commands that a text names (`realign status products`) the flags by which this one reached its servers, so that they can be pasted as they stand. The phases write
 * commands without knowing of flags; this is where they become whole. `aliases` are those that this run is about; a command that is complete already stays as it is.
 */
export function completeCommands(told: string, aliases: Iterable<string>, flags: Flags): string {
  const given = CONNECTION.filter((name) => typeof flags[name] === 'string');
  const known = new Set(aliases);
  const text = withQuotedAliases(told, known);
  if (given.length === 0) return text;
  for (const alias of [...known]) known.add(shellWord(alias));
  return text.replaceAll(COMMAND, (whole: string, command: string, rest: string) => {
    const words = rest.split(' ').filter((word) => word !== '');
    const missing = given.filter((name) => !words.includes(`--${name}`) && (name !== 'table' || OF_AN_ENTRY.has(command)));
    const added = missing.map((name) => ` --${name} ${shellWord(String(flags[name]))}`).join('');
    const [alias = ''] = words;
    if (isAlias(words, known))
      return `realign ${command} ${alias.replace(/\.$/, '')}${added}${rest.slice(rest.indexOf(alias) + alias.replace(/\.$/, '').length)}`;
    return OF_ALL.has(command) && !missing.includes('table') && !alias.startsWith('--') ? `realign ${command}${added}${rest}` : whole;
  });
}

/** An alias may hold what a shell takes for its own (`$`, `&`, an apostrophe), and so may the names of its generations. */
function withQuotedAliases(text: string, aliases: Iterable<string>): string {
  let quoted = text;
  for (const alias of aliases) {
    if (shellWord(alias) === alias) continue;
    const name = alias.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');
    const ofGeneration = new RegExp(`(--(?:index|to)) (${name.toLowerCase()}-[\\w-]+)`, 'g');
    quoted = quoted
      .replaceAll(
        new RegExp(`\\brealign (${COMMANDS}) ${name}(?=[\\s\`·;,:.)]|$)`, 'g'),
        (_, command: string) => `realign ${command} ${shellWord(alias)}`,
      )
      .replaceAll(ofGeneration, (_, flag: string, generation: string) => `${flag} ${shellWord(generation)}`);
  }
  return quoted;
}

/** In prose (`realign abort removes it`) what follows a command is no alias. */
function isAlias([word = '', next]: readonly string[], known: ReadonlySet<string>): boolean {
  if (word === '' || word.startsWith('-') || word.startsWith('<')) return false;
  return known.has(word) || known.has(word.replace(/\.$/, '')) || next === undefined || next.startsWith('--');
}

/** The event with its commands complete. */
export function withCompleteCommands(event: OutputEvent, complete: (text: string) => string): OutputEvent {
  if (event.type === 'rejected') return event;
  const entries = Object.entries(event).map(([name, value]: [string, unknown]) => [name, TOLD.has(name) ? completed(value, complete) : value]);
  return Object.fromEntries(entries) as OutputEvent;
}

function completed(value: unknown, complete: (text: string) => string): unknown {
  if (Array.isArray(value)) return value.map((element: unknown) => completed(element, complete));
  return typeof value === 'string' ? complete(value) : value;
}
