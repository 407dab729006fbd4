import type { FailureKind } from '../core/failure.ts';

export interface ExitCode {
  readonly code: number;
  readonly meaning: string;
  /** Whether the same command may simply be run again: what a scheduler asks. */
  readonly again: string;
  /** What to do. */
  readonly advice: string;
}

/** Every exit code; the table of README.md has the same words, which a test compares. A code that is not here is a failure. */
export const EXIT_CODES: readonly ExitCode[] = [
  {
    code: 0,
    meaning:
      'done; or nothing to do (--if-changed, a run key that is done), or skipped (--if-locked skip), which the summary says; audit found no difference, or no more than --max-diff, or --repair mended all',
    again: 'not needed',
    advice: 'Nothing.',
  },
  {
    code: 1,
    meaning: 'unclassified, or Elasticsearch refused a request for good',
    again: 'look',
    advice: 'Read the message and the log; a stack in the log is a bug.',
  },
  {
    code: 2,
    meaning: 'differences: audit found drift (0 if --repair mended all of it); plan --detailed-exitcode has work',
    again: 'no',
    advice: 'Look at the named keys; realign audit INDEX --repair, or rebuild.',
  },
  {
    code: 20,
    meaning: 'the preflight refused, or there is nothing that could be steered, swapped, rolled back or audited; nothing was changed',
    again: 'after fixing',
    advice: 'Each finding names the command that fixes it; realign check INDEX lists them all, realign status INDEX what there is.',
  },
  {
    code: 21,
    meaning: 'another build of this alias is running',
    again: 'later',
    advice: 'Wait for it, or look at it: realign status INDEX. In a scheduler: --if-locked skip.',
  },
  {
    code: 22,
    meaning: 'the verification failed, or hooks.beforeSwap refused; not swapped; the new index is kept',
    again: 'look',
    advice: 'Compare it (realign audit INDEX --index GENERATION), then realign abort INDEX or run again.',
  },
  {
    code: 23,
    meaning: 'the alias changed meanwhile; not swapped',
    again: 'look',
    advice: 'Somebody else moved it: find out who before the next build.',
  },
  {
    code: 24,
    meaning:
      'cannot be resumed or finished: slot lost, failover, table, publication or config changed, or an expression of the config that failed for a row',
    again: 'new build (--fresh)',
    advice: 'realign rebuild INDEX --fresh',
  },
  {
    code: 25,
    meaning: 'more rejected rows than allowed; not swapped',
    again: 'after fixing',
    advice: 'The rejects file names rows, columns and reasons: mend them or the mapping, or allow them with --max-rejects N.',
  },
  {
    code: 26,
    meaning: 'the slot reached --max-slot-wal and was dropped: production comes first',
    again: 'look',
    advice: 'Raise --max-slot-wal, or find what slows the replay, then build anew.',
  },
  {
    code: 27,
    meaning: 'authentication or permission refused',
    again: 'after fixing',
    advice: 'realign check INDEX names the missing privilege; realign init --print-sql and --print-es-role print what is needed.',
  },
  {
    code: 64,
    meaning: 'command line or config, or a name that exists nowhere; nothing was changed',
    again: 'no',
    advice: 'The message names the place. realign schema prints every key, --help every flag.',
  },
  {
    code: 69,
    meaning: 'PostgreSQL or Elasticsearch cannot be reached; nothing was changed',
    again: 'yes',
    advice: 'Run the same command again when it can.',
  },
  {
    code: 75,
    meaning: 'transient, held or stopped, and the build can be resumed; or audit could not judge everything',
    again: 'yes',
    advice: 'Run the same command again: a build is resumed, an audit looks again or goes on.',
  },
  {
    code: 130,
    meaning: 'SIGINT; the build can be resumed',
    again: 'yes',
    advice: 'Run the same command again: it resumes.',
  },
  {
    code: 143,
    meaning: 'SIGTERM or SIGHUP; the build can be resumed',
    again: 'yes',
    advice: 'Run the same command again: it resumes.',
  },
];

/** What each kind of failure means: the `kind` of an `error` event. */
export const KIND_MEANINGS: { readonly [kind in FailureKind]: string } = {
  usage: 'The command line makes no sense.',
  config: 'The config file, the environment or a file named there has a mistake.',
  'preflight-refused': 'A check before the start failed.',
  locked: 'Somebody else holds the lock of this alias.',
  'verification-failed': 'The index is not the table, or it cannot be shown that it is.',
  'swap-vetoed': 'hooks.beforeSwap ended with something else than 0, took too long, or could not be started.',
  'alias-changed': 'The alias is not on the index it was on when the build began.',
  'slot-lost': 'The replication slot is gone or has lost changes: another build has to begin.',
  'source-changed': 'The table, its partitions or its publication changed in a way that the stream does not tell.',
  'plan-changed': 'The config is not the one the unfinished build was begun with.',
  'state-unknown': 'What an unfinished build left cannot be read by this version.',
  'too-many-rejects': 'More rows than --max-rejects cannot be indexed.',
  'slot-wal-limit': 'The slot would hold back more write-ahead log than --max-slot-wal.',
  denied: 'A server refused the credentials or a privilege is missing.',
  unreachable: 'A server did not answer before anything was changed.',
  'slot-timeout': 'An older transaction is still open, and making a slot waits for it.',
  'no-free-slot': 'All replication slots or walsenders of the server are taken.',
  'value-refused': 'PostgreSQL cannot compute an expression of the config for some row, or a key that it was asked for is no value of its column.',
  'connection-lost': 'A connection was cut and could not be made again in time.',
  'sink-overloaded': 'Elasticsearch went on refusing requests for lack of capacity (429).',
  'sink-blocked': 'The index is blocked for writes (a full disk, mostly).',
  stalled: 'Nothing moved for --stall-timeout.',
  'sink-refused': 'Elasticsearch refused a request in a way that waiting does not change.',
  'target-vanished': 'Somebody deleted or replaced the new index.',
  'rejects-unwritable': 'The rejects file could not be written, and no reject may be lost.',
  'held-too-long': 'The build was held for longer than --hold-timeout.',
  stopped: 'realign ctl INDEX stop.',
  interrupted: 'SIGINT.',
  terminated: 'SIGTERM or SIGHUP.',
};
