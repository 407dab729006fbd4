import { Failure, policyOf } from '../core/failure.ts';
import type { Aftercare } from './aftercare.ts';
import { type Flags, type Invocation, parseArguments } from './arguments.ts';
import { commandOf } from './check-arguments.ts';
import type { CommandContext, CommandOutcome } from './commands/command-context.ts';
import { loadCommand } from './commands/load-command.ts';
import { resultOf } from './commands/results.ts';
import { completeCommands, withCompleteCommands } from './complete-commands.ts';
import { readEnvironment } from './config/environment.ts';
import type { Configuration } from './config/load.ts';
import { placedMistakes } from './config/placed-mistakes.ts';
import { suitYoungGeneration } from './garbage.ts';
import { type Log, openLog } from './logger.ts';
import type { Machine } from './machine.ts';
import { openAftercare } from './open-aftercare.ts';
import { openOutput, outputFlag } from './output/open-output.ts';
import { EVENT_FORMAT, type Output, type OutputEvent, type RunResult } from './output/output-event.ts';
import { SecretScrubber } from './secrets.ts';
import { stopOnSignals } from './signals.ts';
import { toolVersion } from './tool-version.ts';

const SILENT_LOG: Log = { event: () => undefined, error: () => undefined, close: () => undefined };

/** Runs one command line to its end and gives the exit code. Never throws: what is not a `Failure` is a bug and exit 1. */
export async function run(machine: Machine): Promise<number> {
  const scrubber = new SecretScrubber();
  const version = toolVersion();
  let invocation: Invocation;
  try {
    invocation = await parseArguments(machine.args, version);
  } catch (error) {
    const told = openTold({ machine, flags: outputFlag(machine.args), scrubber, named: [] }, SILENT_LOG);
    return finish(told, { command: commandOf(machine.args), version, startedMs: performance.now() }, async () => {
      throw error;
    });
  }
  if (invocation.kind === 'print') {
    machine.stdout.write(`${invocation.text}\n`);
    return 0;
  }
  return runCommand(machine, invocation, scrubber, version);
}

async function runCommand(
  machine: Machine,
  invocation: Extract<Invocation, { kind: 'run' }>,
  scrubber: SecretScrubber,
  version: string,
): Promise<number> {
  const { command, flags, indices: named, words } = invocation;
  if (command === 'schema' || command === 'explain' || command === 'completion') {
    const { printedText } = await import('./commands/printed.ts');
    const printed = { command, version, startedMs: performance.now(), flags };
    return printResult(machine, scrubber, printed, () => printedText(command, flags, words));
  }
  const opened: Opened = { log: SILENT_LOG, aftercare: null };
  // `init` writes the file that later commands read: they need no --table.
  const reached = command === 'init' ? { ...flags, table: undefined } : flags;
  const told = openTold({ machine, flags: reached, scrubber, named }, forwardingTo(opened));
  const { signal, remove } = stopOnSignals(machine.signals, {
    onFirst: (name) => machine.stderr.write(`${name}: stopping; writes in flight may end. Again to leave at once (as safe).\n`),
    leave: machine.leave,
  });
  const conclude = async (summary: Summary) => opened.aftercare?.conclude(summary);
  const exitCode = await finish(told, { command, version, startedMs: performance.now(), conclude }, async () => {
    opened.log = openLog(
      flags,
      (text) => void machine.stderr.write(scrubber.scrub(text)),
      (text) => scrubber.scrub(text),
    );
    const environment = readEnvironment(machine.environment, typeof flags['env-file'] === 'string' ? flags['env-file'] : null);
    opened.aftercare = await openAftercare({ command, named, flags, output: told.output, scrubber, version });
    const execute = await loadCommand(command);
    const reportFailure: CommandContext['reportFailure'] = (index, error, after) => told.failure(index, error, after);
    return execute({
      command,
      named,
      words,
      flags,
      environment,
      machine,
      output: told.output,
      scrubber,
      reportFailure,
      signal,
      toolVersion: version,
      configured: (configuration) => {
        opened.aftercare?.configure(configuration.outlets);
        told.locateIn(configuration);
      },
    });
  });
  remove();
  return exitCode;
}

/** What is opened only while the command runs, so that a failure to open it is told as every failure. */
interface Opened {
  log: Log;
  aftercare: Aftercare | null;
}

/** Where every event comes by: it goes to what is open by then, and tells the memory which phase begins. */
function forwardingTo(opened: Opened): Log {
  return {
    event: (index, event) => {
      if (event.type === 'phase.started') suitYoungGeneration(event.phase);
      opened.log.event(index, event);
      opened.aftercare?.observe(index, event);
    },
    error: (error) => opened.log.error(error),
    close: () => opened.log.close(),
  };
}

/** A text for stdout; as an event with `--output json`, as all results. A failure to make it is told as every failure. */
async function printResult(machine: Machine, scrubber: SecretScrubber, run: Run & { readonly flags: Flags }, text: () => string): Promise<number> {
  let message = '';
  let failure: unknown = null;
  try {
    message = text();
  } catch (error) {
    failure = error;
  }
  if (failure === null && run.flags.output !== 'json') {
    machine.stdout.write(message);
    return 0;
  }
  const told = openTold({ machine, flags: run.flags, scrubber, named: [] }, SILENT_LOG);
  return finish(told, run, async () => {
    if (failure !== null) throw failure;
    return { exitCode: 0, message, indices: [] };
  });
}

/** The output and the log, told of everything at once. */
interface Told {
  readonly output: Output;
  /** From now on mistakes of the config have their places in its file. */
  locateIn(configuration: Configuration): void;
  /** Tells of a failure and gives its exit code. */
  failure(index: string | null, error: unknown, after?: { readonly unchanged: string; readonly next: readonly string[] }): number;
}

interface ToldRequest {
  readonly machine: Machine;
  readonly flags: Flags;
  readonly scrubber: SecretScrubber;
  /** The aliases as typed. */
  readonly named: readonly string[];
}

function openTold({ machine, flags, scrubber, named }: ToldRequest, log: Log): Told {
  const aliases = new Set(named);
  const complete = (text: string): string => completeCommands(text, aliases, flags);
  const shown = openOutput(machine, flags, scrubber, complete);
  let configuration: Configuration | null = null;
  const emit = (index: string | null, event: OutputEvent) => {
    if (index !== null) aliases.add(index);
    const whole = withCompleteCommands(event, complete);
    shown.emit(index, whole);
    log.event(index, whole);
  };
  const close = () => {
    shown.close();
    log.close();
  };
  return {
    output: { emit, close },
    locateIn(read) {
      configuration = read;
    },
    failure(index, thrown, after = { unchanged: '', next: [] }) {
      const error = placedMistakes(thrown, index, configuration);
      const { exitCode } = policyOf(error);
      log.error(error);
      emit(index, { type: 'error', ...describe(error), ...after, exit_code: exitCode });
      return exitCode;
    },
  };
}

function describe(error: unknown): { readonly kind: Failure['kind'] | 'bug'; readonly message: string; readonly hint: string } {
  if (error instanceof Failure) return { kind: error.kind, message: error.message, hint: error.hint ?? '' };
  // The message of an unknown error is not shown: a driver's may quote row values. Its class and stack are in the log.
  const name = error instanceof Error ? error.name : typeof error;
  return {
    kind: 'bug',
    message: `unexpected ${name}`,
    hint: 'This is a bug. The stack is in the log; please report it with the command and both server versions.',
  };
}

interface Run {
  readonly command: string;
  readonly version: string;
  readonly startedMs: number;
  /** Told of the end before the last event is written, because what it has to say comes before that. */
  readonly conclude?: (summary: Summary) => Promise<void>;
}

type Summary = Extract<OutputEvent, { type: 'summary' }>;

/** What was skipped, or needed nothing, is not called a success. */
function wordFor(command: string, { exitCode, indices }: CommandOutcome): RunResult {
  const [first] = indices;
  const alike = exitCode === 0 && first !== undefined && indices.every(({ result }) => result === first.result);
  return alike ? first.result : resultOf(exitCode, command);
}

/** The first line is `version`, the last is `summary`, whatever happens between them. */
async function finish(told: Told, { command, version, startedMs, conclude }: Run, execute: () => Promise<CommandOutcome>): Promise<number> {
  told.output.emit(null, { type: 'version', format: EVENT_FORMAT, tool: `realign ${version}`, command });
  let outcome: CommandOutcome;
  try {
    outcome = await execute();
  } catch (error) {
    outcome = { exitCode: told.failure(null, error), message: '', indices: [] };
  }
  const { exitCode, message, indices } = outcome;
  const durationMs = Math.round(performance.now() - startedMs);
  const summary: Summary = { type: 'summary', command, result: wordFor(command, outcome), exit_code: exitCode, durationMs, message, indices };
  await conclude?.(summary);
  told.output.emit(null, summary);
  told.output.close();
  return exitCode;
}
