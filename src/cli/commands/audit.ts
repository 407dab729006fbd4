import { randomBytes } from 'node:crypto';
import type { AuditReport } from '../../core/audit-report.ts';
import type { RunEvent } from '../../core/events.ts';
import { Failure, policyOf } from '../../core/failure.ts';
import { auditExitCode, auditVerdict } from '../../core/verify/audit-verdict.ts';
import type { AuditState } from '../../phases/audit/state.ts';
import { runAudit } from '../../phases/audit.ts';
import { rebuildCommand } from '../../phases/generations/rebuild-command.ts';
import { auditStateFile } from '../audit-state-file.ts';
import { systemClock } from '../clock.ts';
import { auditOptions } from '../config/audit-options.ts';
import type { Configuration, IndexEntry } from '../config/load.ts';
import type { IndexResult } from '../output/output-event.ts';
import { sameCommand } from '../same-command.ts';
import { announceVersions, withServers } from '../servers.ts';
import { type CommandContext, type CommandOutcome, configurationOf, wantedIndices } from './command-context.ts';
import { resultOf } from './results.ts';

/** `realign audit [INDEX…] | --all`: compares each index with its table, one after another. The worst that was found gives the exit code. */
export async function audit(context: CommandContext): Promise<CommandOutcome> {
  requireOneIndex(context);
  const configuration = configurationOf(context, true);
  const entries = wantedIndices(context, configuration);
  requireOneIndexFor(context, entries.length);
  for (const { run } of entries) auditOptions(context.flags, run);
  const indices: IndexResult[] = [];
  for (const entry of entries)
    indices.push(context.signal.aborted ? notStarted(entry, context.signal) : await auditOne(entry, configuration, context));
  return { exitCode: worst(indices), message: '', indices };
}

function requireOneIndex({ named, flags }: CommandContext): void {
  if (named.length === 0 || flags.all !== true) return;
  throw new Failure('usage', '--all is given beside names', { hint: 'Nothing was contacted.' });
}

/** Flags that mean one index in particular. */
function requireOneIndexFor({ flags }: CommandContext, count: number): void {
  for (const name of ['index', 'keys-file', 'state']) {
    if (flags[name] === undefined || count === 1) continue;
    throw new Failure('usage', `--${name} is for exactly one INDEX, and ${count} are asked for`, { hint: 'Nothing was contacted.' });
  }
}

async function auditOne(entry: IndexEntry, configuration: Configuration, context: CommandContext): Promise<IndexResult> {
  const { alias } = entry.config;
  const options = auditOptions(context.flags, entry.run);
  try {
    const { report, rebuild } = await withServers(configuration, context.toolVersion, async (servers) => {
      await announceVersions(servers, alias, context.output);
      const reporter = { report: (event: RunEvent) => context.output.emit(alias, event) };
      const state = stateOf(context, alias);
      const rebuild = await rebuildCommand(servers.sink, alias);
      const run = randomBytes(3).toString('hex');
      const request = { ...servers, run, clock: systemClock, reporter, config: entry.config, options, state, signal: context.signal };
      return { report: await runAudit(request), rebuild };
    });
    const exitCode = auditExitCode(report, options.maxDiff);
    tell({ report, exitCode, rebuild }, entry, context);
    return { index: alias, result: resultOf(exitCode, 'audit'), exit_code: exitCode, build: null, generation: report.generation, previous: null };
  } catch (error) {
    const reason = context.signal.aborted && !(error instanceof Failure) ? context.signal.reason : error;
    const changed = options.repair === 'yes' ? 'Documents that were repaired until then stay so; nothing else was changed.' : 'Nothing was changed.';
    const again = { unchanged: changed, next: nextAfter(reason, alias, context.flags) };
    const exitCode = context.reportFailure(alias, reason, again);
    return { index: alias, result: resultOf(exitCode, 'audit'), exit_code: exitCode, build: null, generation: null, previous: null };
  }
}

/** The same command helps only against what passes; what was refused is refused again. */
function nextAfter(reason: unknown, alias: string, flags: CommandContext['flags']): readonly string[] {
  const again = sameCommand('audit', alias, flags);
  if (reason instanceof Failure && (reason.kind === 'usage' || reason.kind === 'config')) return [];
  if (reason instanceof Failure && reason.kind === 'preflight-refused') return [`realign status ${alias}`];
  return ['retry', 'restart'].includes(policyOf(reason).action) ? [again] : [`realign check ${alias}`, `${again}   (after fixing)`];
}

interface Audited {
  readonly report: AuditReport;
  readonly exitCode: number;
  /** What to type for a rebuild. */
  readonly rebuild: string;
}

function tell(audited: Audited, { config }: IndexEntry, { output, flags }: CommandContext): void {
  const { report, exitCode } = audited;
  for (const { id, kind, fields } of report.differences) output.emit(config.alias, { type: 'drift', id, kind, fields });
  output.emit(config.alias, { type: 'audit.result', ...report, next: nextCommands(audited, config.alias, flags), exit_code: exitCode });
}

/** What to type next, for people and for tickets. */
function nextCommands({ report, exitCode, rebuild }: Audited, alias: string, flags: CommandContext['flags']): readonly string[] {
  const { verdict, repair } = report;
  if (exitCode === 0) return [];
  const again = sameCommand('audit', alias, flags);
  if (verdict !== 'drift') return [again];
  if (repair?.dryRun === true) return [again.replace(' --dry-run', '')];
  if (repair !== null) return [again, rebuild];
  // The mapping alone differs: there is no document to be named or mended.
  if (auditVerdict({ ...report, mapping: [] }) !== 'drift') return [rebuild];
  // Counts name no key: a comparison of everything does.
  if (report.mode === 'counts') return [sameCommand('audit', alias, { ...flags, mode: 'full' }), rebuild];
  return [`${sameCommand('audit', alias, { ...flags, repair: true })} --dry-run`, rebuild];
}

const NOWHERE: AuditState = { read: async () => null, write: async () => undefined, clear: async () => undefined };

function stateOf({ flags }: CommandContext, alias: string): AuditState {
  if (flags['max-duration'] === undefined) return NOWHERE;
  return auditStateFile(typeof flags.state === 'string' ? flags.state : `${alias}.audit.json`);
}

function notStarted({ config }: IndexEntry, signal: AbortSignal): IndexResult {
  return { index: config.alias, result: 'interrupted', exit_code: policyOf(signal.reason).exitCode, build: null, generation: null, previous: null };
}

/** A failure first, because then one index was not looked at; then drift; then what could not be judged. */
function worst(indices: readonly IndexResult[]): number {
  const codes = indices.map(({ exit_code: code }) => code);
  return codes.find((code) => code !== 0 && code !== 2 && code !== 75) ?? codes.find((code) => code === 2) ?? codes.find((code) => code === 75) ?? 0;
}
