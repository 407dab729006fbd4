/**
 * Everything that can happen and is not a bug. One table maps each kind to what the program does about it; anything thrown that
 * is not a `Failure` is a bug (exit 1).
 */
export type FailureKind =
  | 'usage'
  | 'config'
  | 'preflight-refused'
  | 'locked'
  | 'verification-failed'
  | 'alias-changed'
  | 'slot-lost'
  | 'source-changed'
  | 'plan-changed'
  | 'state-unknown'
  | 'too-many-rejects'
  | 'slot-wal-limit'
  | 'denied'
  | 'unreachable'
  | 'slot-timeout'
  | 'no-free-slot'
  | 'value-refused'
  | 'connection-lost'
  | 'sink-overloaded'
  | 'sink-blocked'
  | 'stalled'
  | 'sink-refused'
  | 'target-vanished'
  | 'rejects-unwritable'
  | 'swap-vetoed'
  | 'held-too-long'
  | 'stopped'
  | 'interrupted'
  | 'terminated';

/**
 * `retry`: the same call again after a pause, once there is a build to go on with; before that nothing is tried twice. `restart`: from the last checkpoint, by the same
 * command. `stop`: the same command goes on as well, once a person has mended what the message names. `decide`: a person says whether the build is thrown away.
 * `abandon`: the build can never be finished; production comes first, so slot and publication go and the index stays for inspection. `refuse`: nothing was begun.
 */
export type FailureAction = 'retry' | 'restart' | 'stop' | 'decide' | 'abandon' | 'refuse';

interface FailurePolicy {
  readonly exitCode: number;
  readonly action: FailureAction;
  /** Where it is another one for a generation that serves readers and is fed by `follow`. */
  readonly following?: FailureAction;
}

const POLICY: { readonly [kind in FailureKind]: FailurePolicy } = {
  usage: { exitCode: 64, action: 'refuse' },
  config: { exitCode: 64, action: 'refuse' },
  'preflight-refused': { exitCode: 20, action: 'stop' },
  locked: { exitCode: 21, action: 'refuse' },
  'verification-failed': { exitCode: 22, action: 'abandon' },
  'alias-changed': { exitCode: 23, action: 'abandon' },
  'slot-lost': { exitCode: 24, action: 'abandon' },
  'source-changed': { exitCode: 24, action: 'abandon' },
  'plan-changed': { exitCode: 24, action: 'decide' },
  'state-unknown': { exitCode: 24, action: 'decide' },
  // Readers keep an index that is right but for the rejected row, which can be mended: its slot is worth keeping.
  'too-many-rejects': { exitCode: 25, action: 'abandon', following: 'stop' },
  'slot-wal-limit': { exitCode: 26, action: 'abandon' },
  denied: { exitCode: 27, action: 'stop' },
  unreachable: { exitCode: 69, action: 'retry' },
  'slot-timeout': { exitCode: 75, action: 'restart' },
  'no-free-slot': { exitCode: 20, action: 'stop' },
  'value-refused': { exitCode: 24, action: 'abandon' },
  'connection-lost': { exitCode: 75, action: 'retry' },
  'sink-overloaded': { exitCode: 75, action: 'retry' },
  'sink-blocked': { exitCode: 75, action: 'retry' },
  stalled: { exitCode: 75, action: 'restart' },
  'sink-refused': { exitCode: 1, action: 'stop' },
  'target-vanished': { exitCode: 1, action: 'abandon' },
  'rejects-unwritable': { exitCode: 75, action: 'restart' },
  // The alias's own test may be mended and asked again: a new load is not needed for that.
  'swap-vetoed': { exitCode: 22, action: 'stop' },
  'held-too-long': { exitCode: 75, action: 'restart' },
  stopped: { exitCode: 75, action: 'restart' },
  interrupted: { exitCode: 130, action: 'restart' },
  terminated: { exitCode: 143, action: 'restart' },
};

interface FailureOptions {
  /** What to type or change next; one or more sentences for an operator. */
  readonly hint?: string;
  readonly cause?: unknown;
  /** The same command is refused only because it lacks this flag. */
  readonly lacks?: 'adopt';
}

/** A classified failure: `message` says what failed and what was seen, `hint` what to do next. Neither holds row values or secrets. */
export class Failure extends Error {
  readonly kind: FailureKind;
  readonly hint: string | undefined;
  readonly lacks: 'adopt' | undefined;

  constructor(kind: FailureKind, message: string, options: FailureOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'Failure';
    this.kind = kind;
    this.hint = options.hint;
    this.lacks = options.lacks;
  }
}

/** The row of the policy table for any thrown value; what is not a `Failure` is a bug: exit 1, stop. */
export function policyOf(error: unknown): FailurePolicy {
  return error instanceof Failure ? POLICY[error.kind] : { exitCode: 1, action: 'stop' };
}

/** Whether the same call may succeed in a while; a server that refuses connections is one that restarts. */
export function isTransient(error: unknown): error is Failure {
  return error instanceof Failure && policyOf(error).action === 'retry';
}

/** What is done about it while a served generation is followed. */
export function followingActionOf(error: unknown): FailureAction {
  const { action, following } = policyOf(error);
  return following ?? action;
}

/** The kinds that end in this action, in the table's order. */
export function failureKinds(action: FailureAction): FailureKind[] {
  return (Object.keys(POLICY) as FailureKind[]).filter((kind) => POLICY[kind].action === action);
}
