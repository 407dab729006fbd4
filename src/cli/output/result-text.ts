import type { Finding } from '../../core/finding.ts';
import { formatBytes, formatCount, formatDuration } from '../config/quantity.ts';
import type { CommandEvent, PlanFacts, StatusFacts } from './output-event.ts';
import type { Paint } from './paint.ts';

/** What a command's own event looks like for people; no lines for those that only programs need. */
export function resultLines(event: CommandEvent, paint: Paint): readonly string[] {
  switch (event.type) {
    case 'version':
      return [];
    case 'target':
      return [targetLine(event)];
    case 'finding':
      return findingLines(event, paint);
    case 'plan':
      return planLines(event);
    case 'status':
      return statusLines(event, paint);
    case 'removed':
      return event.names.length === 0 ? ['Nothing to remove.'] : event.names.map((name) => `removed ${name}`);
    case 'error':
      return errorLines(event, paint);
    case 'summary':
      return summaryLines(event, paint);
  }
}

function targetLine({ side, address, user, tls }: Extract<CommandEvent, { type: 'target' }>): string {
  const name = side === 'postgres' ? 'PostgreSQL' : 'Elasticsearch';
  return `${name}  ${address}${user === null ? '' : ` as ${user}`}          TLS ${tls}`;
}

function findingLines(finding: Finding, paint: Paint): readonly string[] {
  const levels = { ok: paint.good('ok  '), warn: paint.warn('warn'), fail: paint.bad('FAIL') };
  const [first = '', ...more] = finding.message.split('\n');
  const fix = finding.fix === undefined ? [] : finding.fix.split('\n').map((line, row) => `        ${row === 0 ? 'fix: ' : '     '}${line}`);
  return [`  ${levels[finding.level]}  ${first}`, ...more.map((line) => `        ${line}`), ...fix];
}

function planLines(plan: PlanFacts): readonly string[] {
  const rows = plan.rows < 0 ? 'an unknown number of rows (never analysed)' : `~${formatCount(plan.rows)} rows`;
  return [
    `${plan.table}: ${rows}, ${formatBytes(plan.bytes)}`,
    plan.resumes === null ? `new generation: ${plan.generationAfter}` : `resumes build ${plan.resumes} (${plan.generationAfter})`,
    `fields: ${plan.documentFields.join(', ')}`,
    `mapping: ${JSON.stringify(plan.mapping)}`,
    `settings: ${JSON.stringify(plan.settings)}`,
    ...plan.steps.map((step, row) => `  ${row + 1}. ${step}`),
    ...plan.warnings.map((warning) => `  warn  ${warning}`),
  ];
}

function statusLines(status: StatusFacts, paint: Paint): readonly string[] {
  const generations = status.generations.map(({ index, alias, phase, live, documents }) => {
    const state = live ? paint.good('live') : phase === 'finished' ? 'kept' : paint.warn(`unfinished (${phase})`);
    return `  ${index}   ${alias}   ${state}${documents === null ? '' : `   ${formatCount(documents)} documents`}`;
  });
  const slots = status.slots.map(({ name, active, retainedBytes, walStatus }) => {
    return `  ${name}   ${active ? 'active' : 'not active'}   holds back ${formatBytes(BigInt(retainedBytes))} of WAL${walStatus === null ? '' : `   ${walStatus}`}`;
  });
  const orphans = status.orphans.map((name) => `  ${name}`);
  return [...section('generations', generations), ...section('slots', slots), ...(orphans.length === 0 ? [] : section('orphans', orphans))];
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return [title, ...(lines.length === 0 ? ['  none'] : lines)];
}

function errorLines(error: Extract<CommandEvent, { type: 'error' }>, paint: Paint): readonly string[] {
  const lines = [`${paint.bad(' ✗')} ${error.message}`];
  if (error.hint !== '') lines.push(` ${error.hint}`);
  if (error.unchanged !== '') lines.push(` ${error.unchanged}`);
  if (error.next.length > 0) lines.push(` Next: ${error.next.join('     ·     ')}`);
  return lines;
}

function summaryLines(summary: Extract<CommandEvent, { type: 'summary' }>, paint: Paint): readonly string[] {
  if (summary.command !== 'rebuild') return [];
  return summary.indices
    .filter(({ result }) => summary.indices.length > 1 || result === 'succeeded')
    .map(({ index, result, exit_code: code }) => {
      if (result !== 'succeeded') return `${paint.bad(index)} ${result} (exit ${code})`;
      return `${paint.strong(index)} rebuilt${summary.indices.length === 1 ? ` in ${formatDuration(summary.durationMs)}` : ''}.`;
    });
}
