import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Failure } from '../../core/failure.ts';
import type { AuditOptions } from '../../core/plan/audit-options.ts';
import type { VerifyMode } from '../../core/plan/index-config.ts';
import type { Flags } from '../arguments.ts';
import { errorCode } from './environment.ts';
import { FlagMistakes } from './flag-mistakes.ts';
import { durationFlag, invalidFlag, wholeFlag } from './flag-values.ts';
import type { RunDefaults } from './load.ts';
import { parseDuration } from './quantity.ts';

const SETTLE_EXPECTED =
  'expected a number of looks and the pause before each, such as 3x10s; at least 2 looks, because a difference counts only if it lasts from one to the next';
/** Names kept in memory; more than these are no repair but a rebuild. */
const MAX_REPAIR = 10_000;

/** How one audit is done: flags over the file over the defaults. Throws `usage` for values of flags that make no sense, all together, or for a combination of flags. */
export function auditOptions(flags: Flags, file: Pick<RunDefaults, 'verifyMode' | 'sample'>): AuditOptions {
  const read = (flag: string, fallback: string) => (typeof flags[flag] === 'string' ? flags[flag] : fallback);
  const mistakes = new FlagMistakes();
  const whole = (flag: string, fallback: string, minimum: number) => mistakes.read(() => wholeFlag(flag, read(flag, fallback), minimum), minimum);
  const keysFile = flags['keys-file'];
  const options: AuditOptions = {
    mode: read('mode', file.verifyMode ?? 'full') as VerifyMode,
    sample: whole('sample', String(file.sample ?? 10_000), 0),
    seed: read('seed', randomBytes(4).toString('hex')),
    maxDiff: whole('max-diff', '0', 0),
    settle: mistakes.read(() => settleOf(read('settle', '3x10s')), { rounds: 2, pauseMs: 0 }),
    maxDurationMs: flags['max-duration'] === undefined ? null : mistakes.read(() => durationFlag('max-duration', read('max-duration', '')), 0),
    index: typeof flags.index === 'string' ? flags.index : null,
    keys: typeof keysFile === 'string' ? mistakes.read(() => readKeys(keysFile), []) : null,
    rate: flags.rate === undefined ? null : whole('rate', '', 1),
    values: read('show-values', 'none') as AuditOptions['values'],
    repair: flags.repair !== true ? 'no' : flags['dry-run'] === true ? 'dry-run' : 'yes',
    maxRepair: whole('max-repair', '1000', 1),
  };
  mistakes.throwIfAny();
  refuseNonsense(flags, options);
  return Object.freeze(options);
}

function refuseNonsense(flags: Flags, { mode, keys, maxDurationMs, repair, maxRepair }: AuditOptions): void {
  const alone = (flag: string) => flags[flag] !== undefined && repair === 'no';
  if (alone('dry-run')) throw usage('--dry-run shows what --repair would do; an audit alone changes nothing');
  if (alone('max-repair')) throw usage('--max-repair limits --repair, which is not given');
  if (repair !== 'no' && mode === 'counts' && keys === null) throw usage('--repair needs the names of the keys, which --mode counts does not find');
  if (maxRepair > MAX_REPAIR) throw usage(`--max-repair: at most ${MAX_REPAIR}; beyond that a rebuild is quicker and proved as a whole`);
  if (maxDurationMs !== null && (mode !== 'full' || keys !== null))
    throw usage('--max-duration is for the full comparison; counts, a sample and named keys are quick');
  if (flags.state !== undefined && maxDurationMs === null)
    throw usage('--state is where a run with --max-duration leaves its place, which is not given');
  if (keys !== null && typeof flags.mode === 'string') throw usage('--keys-file names what is compared; --mode does not go with it');
}

/** One document id a line; a last empty line is none. */
function readKeys(path: string): readonly string[] {
  try {
    const lines = readFileSync(path, 'utf8').split(/\r?\n/);
    const keys = [...new Set(lines.filter((line) => line !== ''))];
    if (keys.length > 0) return keys;
  } catch (error) {
    throw new Failure('usage', `--keys-file: ${path} cannot be read (${errorCode(error)})`, {
      hint: 'A file with one document id a line. Nothing was contacted.',
      cause: error,
    });
  }
  throw usage(`--keys-file: ${path} names no key`);
}

function settleOf(text: string): AuditOptions['settle'] {
  const [, rounds, pause] = /^(\d{1,2})x(\S+)$/.exec(text) ?? [];
  const pauseMs = pause === undefined ? null : parseDuration(pause);
  // With one look there is nothing to compare it with: whether a difference lasts is told by two.
  if (rounds === undefined || Number(rounds) < 2 || pauseMs === null) throw invalidFlag('settle', text, SETTLE_EXPECTED);
  return { rounds: Number(rounds), pauseMs };
}

function usage(message: string): Failure {
  return new Failure('usage', message, { hint: 'Nothing was contacted. See `realign audit --help`.' });
}
