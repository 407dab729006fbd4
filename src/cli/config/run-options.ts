import { randomBytes } from 'node:crypto';
import type { RunOptions, VerifyMode } from '../../core/plan/index-config.ts';
import type { Flags } from '../arguments.ts';
import { FlagMistakes } from './flag-mistakes.ts';
import { durationFlag, sizeFlag, wholeFlag } from './flag-values.ts';
import type { RunDefaults } from './load.ts';

/** Beyond this a transaction is applied in parts; it bounds the memory of the replay. */
const TRANSACTION_BYTES = 64 * 2 ** 20;
const NO_DEFAULTS: RunDefaults = {
  keep: undefined,
  verifyMode: undefined,
  sample: undefined,
  slotWal: undefined,
  stall: undefined,
  slotTimeout: undefined,
  maxRejects: undefined,
  hold: undefined,
  follow: undefined,
  replicaLag: undefined,
  throttleQuery: undefined,
  flagFile: undefined,
};

/** How one index is rebuilt: flags over the file over the defaults. Throws `usage` for values of flags that make no sense, all together. */
export function runOptions(flags: Flags, file: RunDefaults = NO_DEFAULTS): RunOptions {
  const read = (flag: string, fallback: string) => (typeof flags[flag] === 'string' ? flags[flag] : fallback);
  const mistakes = new FlagMistakes();
  const whole = (flag: string, fallback: number, minimum: number) =>
    mistakes.read(() => wholeFlag(flag, read(flag, String(fallback)), minimum), minimum);
  const time = (flag: string, fallback: string) => mistakes.read(() => durationFlag(flag, read(flag, fallback)), 0);
  const size = (flag: string, text: string) => mistakes.read(() => sizeFlag(flag, text), 0);
  const options = Object.freeze({
    fresh: flags.fresh === true,
    adopt: flags.adopt === true,
    rate: flags.rate === undefined ? null : whole('rate', 0, 1),
    copyJobs: whole('copy-jobs', 2, 1),
    bulkJobs: flags['bulk-jobs'] === undefined ? null : whole('bulk-jobs', 0, 1),
    bulkBytes: optional(flags['bulk-bytes'], undefined, (text) => size('bulk-bytes', text)),
    chunkBlocks: null,
    verify: read('verify', file.verifyMode ?? 'full') as VerifyMode,
    sample: whole('sample', file.sample ?? 10_000, 0),
    seed: read('seed', randomBytes(4).toString('hex')),
    maxRejects: whole('max-rejects', file.maxRejects ?? 0, 0),
    swapWhen: swapWhen(flags['swap-when']),
    keep: whole('keep', file.keep ?? 1, 0),
    maxSlotWalBytes: optional(flags['max-slot-wal'], file.slotWal, (text) => BigInt(size('max-slot-wal', text))),
    slotTimeoutMs: time('slot-timeout', file.slotTimeout ?? '60s'),
    stallTimeoutMs: time('stall-timeout', file.stall ?? '15m'),
    transactionBytes: TRANSACTION_BYTES,
    ...controlOptions(flags, file, mistakes),
  });
  mistakes.throwIfAny();
  return options;
}

type ControlOptions = Pick<
  RunOptions,
  'hold' | 'holdFile' | 'holdTimeoutMs' | 'follow' | 'keepFreshMs' | 'ifChanged' | 'runKey' | 'ifLocked' | 'throttles'
>;

function controlOptions(flags: Flags, file: RunDefaults, mistakes: FlagMistakes): ControlOptions {
  const text = (flag: string) => optional(flags[flag], undefined, (value) => value);
  const time = (flag: string) => optional(flags[flag], undefined, (value) => mistakes.read(() => durationFlag(flag, value), 0));
  const ifLocked = text('if-locked');
  return {
    hold: flags.hold === true || (file.hold ?? false),
    holdFile: text('hold-file'),
    holdTimeoutMs: time('hold-timeout'),
    follow: flags.follow === true || (file.follow ?? false),
    keepFreshMs: time('keep-fresh'),
    ifChanged: flags['if-changed'] === true && flags.force !== true,
    runKey: text('run-key'),
    ifLocked: ifLocked === 'wait' || ifLocked === 'skip' ? ifLocked : 'fail',
    throttles: {
      replicaLagMs: optional(undefined, file.replicaLag, (value) => durationFlag('limits.replicaLag', value)),
      query: file.throttleQuery ?? null,
      flagFile: file.flagFile ?? null,
    },
  };
}

/** The flag, else what the file says, else null. */
function optional<Value>(flag: string | true | undefined, file: string | undefined, parse: (text: string) => Value): Value | null {
  const text = typeof flag === 'string' ? flag : file;
  return text === undefined ? null : parse(text);
}

function swapWhen(text: string | true | undefined): RunOptions['swapWhen'] {
  return text === 'green' || text === 'yellow' ? text : null;
}
