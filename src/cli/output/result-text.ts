import { formatBytes, formatCounted, formatDuration } from '../config/quantity.ts';
import { auditLines } from './audit-text.ts';
import type { CommandEvent, PlanFacts, StatusFacts } from './output-event.ts';
import type { Paint } from './paint.ts';

/** What a command's own event looks like for people; no lines for those that only programs need. */
export function resultLines(index: string, event: CommandEvent, paint: Paint): readonly string[] {
  switch (event.type) {
    case 'version':
    case 'versions':
      return [];
    case 'target':
      return [targetLine(event)];
    case 'finding':
      return findingLines(event, paint);
    case 'plan':
      return planLines(event);
    case 'status':
      return statusLines(event, paint);
    case 'audit.result':
      return auditLines(index, event, paint);
    case 'removed':
      return removedLines(index, event);
    case 'error':
      return errorLines(event, paint);
    case 'summary':
      return summaryLines(event, paint);
  }
}

function removedLines(alias: string, { names, kept }: Extract<CommandEvent, { type: 'removed' }>): readonly string[] {
  const looked =
    kept.length === 0 ? 'no generation, slot or publication of it is left over' : `looked at ${formatCounted(kept.length, 'generation')}`;
  return [
    ...(names.length === 0 ? [`Nothing to remove for ${alias}: ${looked}.`] : names.map((name) => `removed ${name}`)),
    ...kept.map(({ index, reason }) => `  stays  ${index}   ${reason}`),
  ];
}

function targetLine({ side, address, user, tls }: Extract<CommandEvent, { type: 'target' }>): string {
  const name = side === 'postgres' ? 'PostgreSQL' : 'Elasticsearch';
  return `${name}  ${address}${user === null ? '' : ` as ${user}`}          TLS ${tls}`;
}

function findingLines(finding: Extract<CommandEvent, { type: 'finding' }>, paint: Paint): readonly string[] {
  const levels = { ok: paint.good('ok  '), warn: paint.warn('warn'), fail: paint.bad('FAIL') };
  const place = finding.place === undefined ? '' : `${finding.place}  `;
  const [first = '', ...more] = `${place}${finding.message}`.split('\n');
  const fix = finding.fix === undefined ? [] : finding.fix.split('\n').map((line, row) => `        ${row === 0 ? 'fix: ' : '     '}${line}`);
  return [`  ${levels[finding.level]}  ${first}`, ...more.map((line) => `        ${line}`), ...fix];
}

function planLines(plan: PlanFacts): readonly string[] {
  const rows = plan.rows < 0 ? 'an unknown number of rows (never analysed; estimated below)' : `~${formatCounted(plan.rows, 'row')}`;
  return [
    `${plan.table}: ${rows}, ${formatBytes(plan.bytes)}`,
    plan.resumes === null ? `new generation: ${plan.generation}` : `resumes the unfinished build ${plan.resumes}`,
    plan.previous === null ? 'no generation is live yet' : `live today: ${plan.previous}`,
    ...plan.estimates.map(estimateLine),
    `fields: ${plan.documentFields.join(', ')}`,
    ...(plan.routing === null ? [] : [`routing: ${plan.routing}`]),
    `mapping: ${JSON.stringify(plan.mapping)}`,
    `settings: ${JSON.stringify(plan.settings)}`,
    ...plan.steps.map((step, row) => `  ${row + 1}. ${step}`),
    ...plan.warnings.map((warning) => `  warn  ${warning}`),
  ];
}

function estimateLine({ of, amount, unit, bound, basis }: PlanFacts['estimates'][number]): string {
  const shown = amount === null ? 'unknown' : unit === 'bytes' ? formatBytes(amount) : formatDuration(amount * 1000);
  const about = amount === null ? '' : bound === 'least' ? 'at least ' : 'about ';
  return `${of}: ${about}${shown} (${basis})`;
}

function statusLines(status: StatusFacts, paint: Paint): readonly string[] {
  const generations = status.generations.map((generation) => generationLine(generation, paint));
  const slots = status.slots.map(({ name, active, retainedBytes, walStatus }) => {
    return `  ${name}   ${active ? 'active' : 'not active'}   holds back ${formatBytes(BigInt(retainedBytes))} of WAL${walStatus === null ? '' : `   ${walStatus}`}`;
  });
  const orphans = status.orphans.map((name) => `  ${name}`);
  const copies = status.copies.map(
    ({ index, alias, build }) => `  ${index}   a copy of build ${build} of ${alias}, which realign did not make and leaves alone`,
  );
  return [
    ...section('generations', generations),
    ...section('slots', slots),
    ...sectionOfSome('orphans', orphans),
    ...sectionOfSome('copies', copies),
  ];
}

function generationLine({ index, alias, phase, live, startedAt, running, orders }: StatusFacts['generations'][number], paint: Paint): string {
  const followed = running ? 'followed' : paint.warn('followed by nobody');
  const unfinished = phase === 'follow' ? followed : paint.warn(phase === 'failed' ? 'failed' : `unfinished (${phase})${running ? ', running' : ''}`);
  const kept = phase === 'finished' ? 'kept' : unfinished;
  const state = live ? `${paint.good('live')}${phase === 'finished' ? '' : `, ${kept}`}` : kept;
  return `  ${index}   ${alias}   ${state}${orders === '' ? '' : `   ${orders}`}   started ${startedAt}`;
}

function sectionOfSome(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : section(title, lines);
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return [title, ...(lines.length === 0 ? ['  none'] : lines)];
}

function errorLines(error: Extract<CommandEvent, { type: 'error' }>, paint: Paint): readonly string[] {
  const lines = [`${paint.bad(' ✗')} ${error.message.replaceAll('\n', '\n   ')}`];
  if (error.hint !== '') lines.push(` ${error.hint.replaceAll('\n', '\n ')}`);
  if (error.unchanged !== '') lines.push(` ${error.unchanged}`);
  if (error.next.length > 0) lines.push(` Next: ${error.next.join('     ·     ')}`);
  return lines;
}

function summaryLines({ message, indices }: Extract<CommandEvent, { type: 'summary' }>, paint: Paint): readonly string[] {
  const lines = message === '' ? [] : [message];
  if (indices.length < 2) return lines;
  return [
    ...indices.map(({ index, result, exit_code: code }) => `  ${index}   ${code === 0 ? paint.good(result) : paint.bad(`${result} (exit ${code})`)}`),
    ...lines,
  ];
}
