import type { Options } from 'yargs';

export type CommandName = 'rebuild' | 'plan' | 'check' | 'status' | 'abort' | 'schema';

export type OptionTable = { readonly [name: string]: Options };

const text = (describe: string): Options => ({ type: 'string', requiresArg: true, describe });
const choice = (describe: string, choices: readonly string[]): Options => ({ type: 'string', requiresArg: true, describe, choices });
const toggle = (describe: string): Options => ({ type: 'boolean', describe });

export const GLOBAL: OptionTable = {
  config: { ...text('config file (default ./realign.yaml)'), alias: 'c' },
  'env-file': text('file with NAME=value lines; the real environment goes first'),
  output: { ...choice('transcript for people, or events as NDJSON', ['human', 'json']), alias: 'o' },
  'log-level': choice('detail of the log', ['trace', 'debug', 'info', 'warn', 'error', 'silent']),
  'log-format': choice('form of the log', ['human', 'json']),
  'log-file': text('write the log here instead of stderr'),
  quiet: { ...toggle('only the result and errors'), alias: 'q' },
  verbose: { ...toggle('log level debug'), alias: 'v' },
  'no-color': toggle('no colours (also NO_COLOR)'),
  'no-progress': toggle('plain lines instead of the live display'),
  yes: toggle('answer prompts with yes'),
  table: text('schema.table, for a run without a config file'),
};

const REBUILD: OptionTable = {
  fresh: toggle('remove an unfinished build and start over'),
  adopt: toggle('the alias name is a concrete index today: replace it in the swap'),
  rate: text('documents per second of the load (default: no limit)'),
  'copy-jobs': text('parallel readers of the table (default 2)'),
  'bulk-jobs': text('parallel bulk requests (default 3)'),
  'bulk-bytes': text('size of a bulk request (default 5MiB)'),
  verify: choice('how the result is compared (default full)', ['full', 'sample', 'counts']),
  sample: text('documents compared field by field (default 10000)'),
  seed: text('seed of the sample, to repeat one'),
  'max-rejects': text('more rejected rows than this: no swap (default 0)'),
  rejects: text('file for rejected rows (default ./INDEX.rejects.ndjson)'),
  keep: text('older generations to keep (default 1)'),
  'max-slot-wal': text('stop and drop the slot before it holds back more WAL (default 20GiB)'),
  'slot-timeout': text('wait for older transactions at most this long (default 60s)'),
  'stall-timeout': text('stop, resumable, when nothing moved for this long (default 15m)'),
  'swap-when': choice('health the new index needs (default green)', ['green', 'yellow']),
  'dry-run': toggle('the same as plan'),
};

export interface Command {
  readonly usage: string;
  readonly describe: string;
  readonly options: OptionTable;
  readonly indices: 'none' | 'one' | 'any' | 'some';
}

/** Every command and flag that exists: help, strictness and the nearest-name hints read this table. */
export const COMMANDS: { readonly [name in CommandName]: Command } = {
  rebuild: {
    usage: 'rebuild <index..>',
    describe: 'rebuild indices, verify them, swap their aliases; resumes an unfinished build',
    options: REBUILD,
    indices: 'some',
  },
  plan: {
    usage: 'plan <index..>',
    describe: 'what rebuild would do; changes nothing',
    options: { 'detailed-exitcode': toggle('exit 2 when there is something to do') },
    indices: 'some',
  },
  check: {
    usage: 'check [index..]',
    describe: 'look at both servers and say what would stop a rebuild; changes nothing',
    options: {},
    indices: 'any',
  },
  status: { usage: 'status [index..]', describe: 'builds, generations, slots and what they hold back; changes nothing', options: {}, indices: 'any' },
  abort: { usage: 'abort <index>', describe: 'remove an unfinished build: slot, publication, build alias, index', options: {}, indices: 'one' },
  schema: {
    usage: 'schema',
    describe: 'print the JSON Schema of the config file',
    options: { events: toggle('of the events of --output json instead') },
    indices: 'none',
  },
};
