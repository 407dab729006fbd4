import { randomInt } from 'node:crypto';
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { counted } from '../../core/counted.ts';
import { Failure, policyOf } from '../../core/failure.ts';
import { type BuildResult, runBuild } from '../../phases/build.ts';
import { aftermath, learn, NO_FACTS, type RunFacts } from '../aftermath.ts';
import { systemClock } from '../clock.ts';
import { errorCode } from '../config/environment.ts';
import { invalidFlag } from '../config/flag-values.ts';
import type { Configuration, IndexEntry } from '../config/load.ts';
import { formatDuration } from '../config/quantity.ts';
import { runOptions } from '../config/run-options.ts';
import { openFailpoints } from '../failpoints.ts';
import { type HookMachine, swapHook } from '../hooks/before-swap.ts';
import { requireRunnable } from '../hooks/require-runnable.ts';
import type { IndexResult } from '../output/output-event.ts';
import { RejectsFile } from '../rejects-file.ts';
import { sameCommand, shellWord } from '../same-command.ts';
import { announceVersions, withServers } from '../servers.ts';
import { type CommandContext, type CommandOutcome, configurationOf, wantedIndices } from './command-context.ts';
import { plan } from './plan.ts';
import { resultOf } from './results.ts';

/** `realign rebuild INDEX… | --all`: one after another or `--parallel N`; one that fails does not keep the others from running. The first failure gives the exit code. */
export async function rebuild(context: CommandContext): Promise<CommandOutcome> {
  requireIndices(context);
  const parallel = parallelOf(context);
  if (context.flags['dry-run'] === true) return plan(context);
  const configuration = configurationOf(context, true);
  requireRunnable(configuration);
  const entries = wantedIndices(context, configuration);
  for (const entry of entries) {
    runOptions(context.flags, entry.run);
    checkRejectsPath(rejectsPath(context, entry.config.alias));
  }
  const startedMs = performance.now();
  const indices = await inParallel(entries, parallel, (entry) =>
    context.signal.aborted ? Promise.resolve(notStarted(entry, context.signal)) : rebuildOne(entry, configuration, context),
  );
  const exitCode = indices.find(({ exit_code: code }) => code !== 0)?.exit_code ?? 0;
  return { exitCode, message: outcomeSentence(indices, performance.now() - startedMs), indices };
}

function requireIndices({ named, flags }: CommandContext): void {
  if (named.length > 0 === (flags.all !== true)) return;
  throw new Failure('usage', named.length > 0 ? '--all is given beside names' : 'INDEX (the alias) is missing: name it, or say --all', {
    hint: 'Example: realign rebuild products',
  });
}

function parallelOf({ flags }: CommandContext): number {
  const text = typeof flags.parallel === 'string' ? flags.parallel : '1';
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw invalidFlag('parallel', text, 'expected a whole number, at least 1');
}

/** At most `count` at a time; the results in the order of `list`. */
async function inParallel<T, R>(list: readonly T[], count: number, work: (entry: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < list.length) {
      const at = next++;
      results[at] = await work(list[at] as T);
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, list.length) }, worker));
  return results;
}

/** One index from its preflight to its end; never throws. */
export async function rebuildOne(entry: IndexEntry, configuration: Configuration, context: CommandContext): Promise<IndexResult> {
  const { alias } = entry.config;
  let facts = NO_FACTS;
  const rejects = new RejectsFile({ path: rejectsPath(context, alias), index: alias, date: () => new Date() });
  try {
    const result = await build(entry, configuration, {
      context,
      rejects,
      tell: (event) => {
        facts = learn(facts, event);
        rejects.build = facts.build;
      },
    });
    const word = result.outcome === 'built' ? 'succeeded' : 'nothing-to-do';
    // What is not kept (`keep: 0`) is nothing to go back to.
    const previous = result.previous !== null && result.deleted.includes(result.previous) ? null : result.previous;
    return { index: alias, result: word, exit_code: 0, build: result.build, generation: result.index, previous };
  } catch (error) {
    const locked = error instanceof Failure && error.kind === 'locked';
    if (locked && context.flags['if-locked'] === 'skip') return skipped(alias);
    return failed(alias, stopReason(error, context.signal), { facts, rejects }, context);
  }
}

interface BuildTools {
  readonly context: CommandContext;
  readonly rejects: RejectsFile;
  readonly tell: (event: Parameters<typeof learn>[1]) => void;
}

async function build({ config, run }: IndexEntry, configuration: Configuration, { context, rejects, tell }: BuildTools): Promise<BuildResult> {
  const reporter = {
    report(event: Parameters<typeof learn>[1]): void {
      tell(event);
      context.output.emit(config.alias, event);
    },
  };
  const tool = `realign ${context.toolVersion}`;
  const fixed = {
    clock: systemClock,
    reporter,
    rejects,
    config,
    options: runOptions(context.flags, run),
    signal: context.signal,
    tool,
    newBuildId,
    fileExists,
  };
  const { failpoint, close } = await openFailpoints(context.environment);
  const { beforeSwap } = configuration.outlets;
  const gate = beforeSwap === null ? {} : { swapGate: swapHook(beforeSwap, hookMachine(context)) };
  const all = failpoint === undefined ? { ...fixed, ...gate } : { ...fixed, ...gate, failpoint };
  try {
    return await withServers(configuration, context.toolVersion, async (servers) => {
      await announceVersions(servers, config.alias, context.output);
      return runBuild({ ...servers, ...all });
    });
  } finally {
    close();
    await rejects.close();
  }
}

/** A hook's output is narration; what it knows of secrets is scrubbed like everything. */
function hookMachine({ environment, machine, scrubber }: CommandContext): HookMachine {
  return { environment, print: (text) => void machine.stderr.write(scrubber.scrub(text)) };
}

interface Left {
  readonly facts: RunFacts;
  readonly rejects: RejectsFile;
}

function failed(alias: string, error: unknown, { facts, rejects }: Left, context: CommandContext): IndexResult {
  const kind = error instanceof Failure ? error.kind : 'bug';
  const lacks = error instanceof Failure ? error.lacks : undefined;
  const flags: CommandContext['flags'] = lacks === undefined ? context.flags : { ...context.flags, [lacks]: true };
  const { unchanged, next } = aftermath(kind, facts, alias, sameCommand('rebuild', alias, flags));
  context.reportFailure(alias, error, { unchanged: `${unchanged}${recordsOf(rejects, rejectsPath(context, alias))}`, next });
  const { exitCode } = policyOf(error);
  return {
    index: alias,
    result: resultOf(exitCode, 'rebuild'),
    exit_code: exitCode,
    build: facts.build,
    generation: facts.generation,
    previous: facts.previous,
  };
}

/** The file has records of every run, and a row may have several: what is told here is of this run. */
function recordsOf({ count }: RejectsFile, path: string): string {
  return count === 0 ? '' : `\n Written: ${counted(count, 'record')} of this run in ${path}.`;
}

function skipped(alias: string): IndexResult {
  return { index: alias, result: 'skipped', exit_code: 0, build: null, generation: null, previous: null };
}

function notStarted({ config }: IndexEntry, signal: AbortSignal): IndexResult {
  return { index: config.alias, result: 'interrupted', exit_code: policyOf(signal.reason).exitCode, build: null, generation: null, previous: null };
}

/** A library that was aborted throws an error of its own; what stopped it was the signal. */
function stopReason(error: unknown, signal: AbortSignal): unknown {
  return signal.aborted && !(error instanceof Failure) ? signal.reason : error;
}

function outcomeSentence(indices: readonly IndexResult[], durationMs: number): string {
  const done = indices.filter(({ result }) => result === 'succeeded');
  const [first] = done;
  const [only] = indices;
  if (indices.length === 1 && only?.result === 'nothing-to-do')
    return `${only.index}: nothing to do, it is ${only.generation}. Its rows were not compared: realign audit ${only.index} does that.`;
  if (indices.length === 1 && only?.result === 'skipped') return `${only.index}: skipped, another build of it is running.`;
  if (indices.length === 1) {
    const undo = first?.previous === null ? '' : `   Undo: realign rollback ${first?.index}`;
    return first === undefined ? '' : `${first.index} rebuilt in ${formatDuration(durationMs)}.${undo}`;
  }
  const idle = indices.filter(({ result }) => result === 'nothing-to-do').map(({ index }) => shellWord(index));
  const uncompared =
    idle.length === 0 ? '' : ` ${idle.length} had nothing to do; their rows were not compared: realign audit ${idle.join(' ')} does that.`;
  return `${done.length} of ${indices.length} indices rebuilt in ${formatDuration(durationMs)}.${uncompared}`;
}

function rejectsPath({ flags }: CommandContext, alias: string): string {
  return typeof flags.rejects === 'string' ? flags.rejects : `${alias}.rejects.ndjson`;
}

/** Before the load, not hours into it. */
function checkRejectsPath(path: string): void {
  try {
    accessSync(dirname(resolve(path)), constants.W_OK);
  } catch (error) {
    throw new Failure('config', `rejected rows could not be written to ${path} (${errorCode(error)})`, {
      hint: 'Give a file in a directory that can be written with --rejects.',
      cause: error,
    });
  }
}

async function fileExists(path: string): Promise<boolean> {
  return existsSync(path);
}

const BUILD_ID_LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

function newBuildId(): string {
  return Array.from({ length: 4 }, () => BUILD_ID_LETTERS[randomInt(BUILD_ID_LETTERS.length)]).join('');
}
