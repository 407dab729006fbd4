import { randomInt } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Failure, policyOf } from '../../core/failure.ts';
import { type BuildResult, runBuild } from '../../phases/build.ts';
import { aftermath, learn, NO_FACTS, type RunFacts } from '../aftermath.ts';
import { systemClock } from '../clock.ts';
import { errorCode } from '../config/environment.ts';
import type { Configuration, IndexEntry } from '../config/load.ts';
import { formatDuration } from '../config/quantity.ts';
import { runOptions } from '../config/run-options.ts';
import { openFailpoints } from '../failpoints.ts';
import type { IndexResult } from '../output/output-event.ts';
import { RejectsFile } from '../rejects-file.ts';
import { withServers } from '../servers.ts';
import { type CommandContext, type CommandOutcome, configurationOf, wantedIndices } from './command-context.ts';
import { plan } from './plan.ts';
import { resultOf } from './results.ts';

/** `realign rebuild INDEX…`: one after another; one that fails does not keep the others from running. The first failure gives the exit code. */
export async function rebuild(context: CommandContext): Promise<CommandOutcome> {
  if (context.flags['dry-run'] === true) return plan(context);
  const configuration = configurationOf(context, true);
  const entries = wantedIndices(context, configuration);
  for (const entry of entries) {
    runOptions(context.flags, entry.run);
    checkRejectsPath(rejectsPath(context, entry.config.alias));
  }
  const startedMs = performance.now();
  const indices: IndexResult[] = [];
  for (const entry of entries) {
    indices.push(context.signal.aborted ? notStarted(entry, context.signal) : await rebuildOne(entry, configuration, context));
  }
  const exitCode = indices.find(({ exit_code: code }) => code !== 0)?.exit_code ?? 0;
  return { exitCode, message: outcomeSentence(indices, performance.now() - startedMs), indices };
}

async function rebuildOne(entry: IndexEntry, configuration: Configuration, context: CommandContext): Promise<IndexResult> {
  const { alias } = entry.config;
  let facts = NO_FACTS;
  const rejects = new RejectsFile({ path: rejectsPath(context, alias), index: alias, date: () => new Date() });
  try {
    const result = await build(entry, configuration, { context, rejects, tell: (event) => (facts = learn(facts, event)) });
    return { index: alias, result: 'succeeded', exit_code: 0, build: result.build, generation: result.index, previous: result.previous };
  } catch (error) {
    return failed(alias, stopReason(error, context.signal), facts, context);
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
  const fixed = { clock: systemClock, reporter, rejects, config, options: runOptions(context.flags, run), signal: context.signal, tool, newBuildId };
  const { failpoint, close } = await openFailpoints(context.environment);
  const all = failpoint === undefined ? fixed : { ...fixed, failpoint };
  try {
    return await withServers(configuration, context.toolVersion, (servers) => runBuild({ ...servers, ...all }));
  } finally {
    close();
    await rejects.close();
  }
}

function failed(alias: string, error: unknown, facts: RunFacts, context: CommandContext): IndexResult {
  const kind = error instanceof Failure ? error.kind : 'bug';
  context.reportFailure(alias, error, aftermath(kind, facts, alias, sameCommand(alias, context)));
  const { exitCode } = policyOf(error);
  return {
    index: alias,
    result: resultOf(exitCode),
    exit_code: exitCode,
    build: facts.build,
    generation: facts.generation,
    previous: facts.previous,
  };
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
  if (indices.length === 1) return first === undefined ? '' : `${first.index} rebuilt in ${formatDuration(durationMs)}.`;
  return `${done.length} of ${indices.length} indices rebuilt in ${formatDuration(durationMs)}.`;
}

/** The command for this index alone, without `--fresh`, which would throw the build away. */
function sameCommand(alias: string, { flags }: CommandContext): string {
  const given = Object.entries(flags).filter(([name]) => name !== 'fresh');
  const words = given.flatMap(([name, value]) => (value === true ? [`--${name}`] : [`--${name}`, shellWord(String(value))]));
  return ['realign', 'rebuild', alias, ...words].join(' ');
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
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

const BUILD_ID_LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

function newBuildId(): string {
  return Array.from({ length: 4 }, () => BUILD_ID_LETTERS[randomInt(BUILD_ID_LETTERS.length)]).join('');
}
