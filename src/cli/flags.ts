import type { Options } from 'yargs';

export type CommandName =
  | 'rebuild'
  | 'audit'
  | 'ctl'
  | 'swap'
  | 'rollback'
  | 'cleanup'
  | 'plan'
  | 'check'
  | 'status'
  | 'abort'
  | 'schema'
  | 'init'
  | 'explain'
  | 'completion';

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

/** Where a run tells of itself besides its output. */
export const OUTLETS: OptionTable = {
  report: text('directory for a report of the run: index.html, summary.md, report.json, junit.xml'),
  'report-format': text('which of them (default html,md,json,junit)'),
  'hash-keys': toggle('hashes instead of keys in the report'),
  'show-values': choice('values of differing fields in the report (default none)', ['none', 'truncated', 'full']),
  'metrics-textfile': text("file for node_exporter's textfile collector"),
  pushgateway: text('URL of a Prometheus Pushgateway'),
  webhook: text('URL for notices (https)'),
};

const REBUILD: OptionTable = {
  fresh: toggle('remove an unfinished build and start over'),
  adopt: toggle('the alias name is a concrete index today: replace it in the swap'),
  rate: text('documents per second of the load (default: no limit)'),
  'copy-jobs': text('parallel readers of the table (default 2)'),
  'bulk-jobs': text('parallel bulk requests (default: found while it runs)'),
  'bulk-bytes': text('size of a bulk request (default: found while it runs)'),
  verify: choice('how the result is compared (default full)', ['full', 'sample', 'counts']),
  sample: text('documents compared field by field (default 10000)'),
  seed: text('seed of the sample, to repeat one'),
  'max-rejects': text('more rejected rows than this: no swap (default 0)'),
  rejects: text('file for rejected rows (default ./INDEX.rejects.ndjson)'),
  keep: text('older generations to keep (default 1)'),
  'max-slot-wal': text('stop and drop the slot before it holds back more WAL (default max_slot_wal_keep_size or 20GiB)'),
  'slot-timeout': text('wait for older transactions at most this long (default 60s)'),
  'stall-timeout': text('stop, resumable, when nothing moved for this long (default 15m)'),
  'swap-when': choice('health the new index needs (default green)', ['green', 'yellow']),
  hold: toggle('wait before the swap until somebody says: realign swap'),
  'hold-file': text('wait before the swap as long as this file exists'),
  'hold-timeout': text('leave, resumable, when held for longer than this'),
  follow: toggle('go on applying changes after the swap'),
  'keep-fresh': text('the follower of the older generation goes on feeding it for this long after the swap'),
  'if-changed': toggle('nothing to do if the live generation was made of the same config and table, and with --follow is followed'),
  force: toggle('build in spite of --if-changed'),
  'run-key': text('a name for this run: nothing to do if it was done already'),
  'if-locked': choice('when another build of the alias runs (default fail)', ['fail', 'wait', 'skip']),
  all: toggle('every index of the config'),
  parallel: text('indices rebuilt side by side (default 1)'),
  'dry-run': toggle('the same as plan'),
  ...OUTLETS,
};

const AUDIT: OptionTable = {
  all: toggle('every index of the config; the same as no name'),
  mode: choice('how much is compared (default full)', ['full', 'sample', 'counts']),
  sample: text('rows, and documents, compared at random (default 10000)'),
  seed: text('seed of the sample, to repeat one'),
  'keys-file': text('compare only the document ids in this file, one a line'),
  index: text('this generation instead of the one that the alias serves'),
  settle: text('look at differences again so often, after so long each time (default 3x10s, at least 2 times)'),
  'max-diff': text('exit 0 with up to so many differences (default 0)'),
  rate: text('rows, and documents, per second (default: no limit)'),
  'max-duration': text('stop after so long; the next run goes on there'),
  state: text('where a run with --max-duration leaves its place (default ./INDEX.audit.json)'),
  repair: toggle('write the differing documents anew from the table'),
  'dry-run': toggle('with --repair: show what would be written'),
  'max-repair': text('more differences than this: repair nothing (default 1000)'),
  ...OUTLETS,
};

export interface Command {
  readonly usage: string;
  readonly describe: string;
  readonly options: OptionTable;
  readonly indices: 'none' | 'one' | 'any';
}

/** Every command and flag that exists: help, strictness and the nearest-name hints read this table. */
export const COMMANDS: { readonly [name in CommandName]: Command } = {
  rebuild: {
    usage: 'rebuild [index..]',
    describe: 'rebuild indices, verify them, swap their aliases; resumes an unfinished build',
    options: REBUILD,
    indices: 'any',
  },
  audit: {
    usage: 'audit [name..]',
    describe: 'compare live indices with their tables, whoever writes them; changes nothing without --repair',
    options: AUDIT,
    indices: 'any',
  },
  plan: {
    usage: 'plan [index..]',
    describe: 'what rebuild would do; changes nothing',
    options: { 'detailed-exitcode': toggle('exit 2 when there is something to do') },
    indices: 'any',
  },
  check: {
    usage: 'check [index..]',
    describe: 'look at both servers and say what would stop a rebuild; changes nothing',
    options: {},
    indices: 'any',
  },
  ctl: {
    usage: 'ctl <index> [order] [change..]',
    describe:
      'steer a running build (pause, resume, hold, swap-now, stop, or set rate=N copy-jobs=N bulk-jobs=N max-slot-wal=SIZE) or follower (resume, stop, set max-slot-wal=SIZE)',
    options: {},
    indices: 'one',
  },
  swap: {
    usage: 'swap <index>',
    describe: 'swap a held build in, after it was verified again',
    options: { follow: toggle('go on applying changes after the swap'), keep: text('older generations to keep (default 1)') },
    indices: 'one',
  },
  rollback: {
    usage: 'rollback <index>',
    describe: 'put the alias back on a kept generation',
    options: { to: text('the generation (default: the one before)') },
    indices: 'one',
  },
  cleanup: {
    usage: 'cleanup [index..]',
    describe: 'remove generations beyond keep, and slots and publications that belong to nothing',
    options: { keep: text('older generations to keep (default 1)') },
    indices: 'any',
  },
  status: {
    usage: 'status [index..]',
    describe: 'builds, generations, slots and what they hold back; changes nothing',
    options: { watch: toggle('again every two seconds until interrupted') },
    indices: 'any',
  },
  abort: { usage: 'abort <index>', describe: 'remove an unfinished build: slot, publication, build alias, index', options: {}, indices: 'one' },
  schema: {
    usage: 'schema',
    describe: 'print the JSON Schema of the config file',
    options: { events: toggle('of the events of --output json instead'), report: toggle('of report.json instead') },
    indices: 'none',
  },
  init: {
    usage: 'init [index]',
    describe: 'write a commented config for a table (--table), or print what an administrator has to run',
    options: { 'print-sql': toggle('print the SQL for the role'), 'print-es-role': toggle('print the Elasticsearch role') },
    indices: 'any',
  },
  explain: { usage: 'explain <code>', describe: 'what an exit code or the kind of an error means', options: {}, indices: 'none' },
  completion: { usage: 'completion <shell>', describe: 'print a completion script for bash, zsh or fish', options: {}, indices: 'none' },
};
