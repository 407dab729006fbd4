import type { AuditDifference, AuditReport } from '../../core/audit-report.ts';
import { isRepaired } from '../../core/verify/audit-verdict.ts';
import { NOT_OF_A_BUILD } from '../../core/verify/version-owner.ts';
import { formatCount, formatCounted, formatDuration } from '../config/quantity.ts';
import type { Paint } from './paint.ts';

const SHOWN_DIFFERENCES = 20;
const SHOWN_UNSETTLED = 5;

interface ConcludedAudit extends AuditReport {
  readonly next: readonly string[];
  readonly exit_code: number;
}

/** The result of one audit for people: the verdict, what was compared, the differences, what was not seen. */
export function auditLines(index: string, report: ConcludedAudit, paint: Paint): readonly string[] {
  return [
    `${verdictMark(report, paint)} ${index}   ${verdictText(report)}   ${paint.faint(formatDuration(totalMs(report)))}`,
    `   ${comparedText(report)}`,
    ...report.differences.slice(0, SHOWN_DIFFERENCES).flatMap((difference) => differenceLines(index, difference)),
    ...moreLine(report),
    ...unsettledLine(report),
    ...report.mapping.map(({ field, expected, actual }) => `   mapping of ${field}: expected ${expected}, the index has ${actual}`),
    ...report.ignored.map(
      ({ field, documents, ids }) => `   not searchable (_ignored): ${field} in ${formatCount(documents)}, e.g. ${ids.slice(0, 3).join(', ')}`,
    ),
    ...repairLines(report),
    ...report.blindSpots.map((sentence) => paint.faint(`   not seen: ${sentence}`)),
    ...(report.next.length === 0 ? [] : [` Next: ${report.next.join('     ·     ')}`]),
  ];
}

/** It says what the exit code says: the cross is for 2 alone, and what is drift but allowed, or not judged, is neither good nor bad. */
function verdictMark(report: ConcludedAudit, paint: Paint): string {
  if (report.exit_code === 2) return paint.bad(' ✗');
  const fine = report.verdict === 'equal' || isRepaired(report);
  return report.exit_code === 0 && fine ? paint.good(' ✓') : paint.warn(' !');
}

function verdictText(report: ConcludedAudit): string {
  switch (report.verdict) {
    case 'equal':
      return 'equal';
    case 'drift':
      if (isRepaired(report) && report.exit_code !== 2)
        return `equal after the repair; repaired: ${formatCount(report.differenceCount)} (${kindsText(report)})`;
      return report.exit_code === 0 ? `${driftText(report)}; as much as --max-diff allows` : driftText(report);
    case 'unsettled':
      return `${formatCounted(report.unsettledCount, 'key')} went on changing and could not be judged`;
    case 'unfinished':
      return `no difference so far; ${percent(report.covered)} looked at`;
  }
}

function driftText(report: AuditReport): string {
  const { differenceCount, rows, rejected, documents } = report;
  if (differenceCount === 0) {
    return rows - rejected === documents
      ? 'drift of the mapping'
      : `drift: ${formatCounted(rows - rejected, 'row')}, ${formatCounted(documents, 'document')}`;
  }
  return `drift: ${kindsText(report)}`;
}

function kindsText({ kinds }: AuditReport): string {
  const parts = Object.entries(kinds).filter(([, count]) => count > 0);
  return parts.map(([kind, count]) => `${formatCount(count)} ${kind}`).join(', ');
}

function comparedText(report: AuditReport): string {
  const { mode, rows, documents, partitions, partitionsEqual, sampled, sampledDocuments, generation, fenceLsn, foreignWrites, seed } = report;
  if (mode === 'keys') return `${formatCounted(rows, 'named key')} of ${generation}`;
  const parts = [`${formatCounted(rows, 'row')}, ${formatCounted(documents, 'document')} of ${generation} at ${fenceLsn}`];
  if (partitions > 0) parts.push(`${formatCount(partitionsEqual)} of ${formatCount(partitions)} partitions equal at once`);
  if (sampled.random + sampledDocuments > 0) parts.push(`${formatCount(sampled.random + sampledDocuments)} sampled (seed ${seed})`);
  if (foreignWrites !== null && foreignWrites > 0) parts.push(`${formatCounted(foreignWrites, 'document')} last written ${NOT_OF_A_BUILD}`);
  return parts.join('; ');
}

function differenceLines(index: string, difference: AuditDifference): readonly string[] {
  const { id, kind, fields, foreign, copies, values } = difference;
  const about = [
    ...(fields.length === 0 ? [] : [`${fields.length === 1 ? 'field' : 'fields'} ${fields.join(', ')}`]),
    ...(copies > 1 ? [`${copies} documents with this id (routing)`] : []),
    ...(foreign === true ? [`written ${NOT_OF_A_BUILD}`] : []),
  ];
  const shown = (values ?? []).map(({ field, postgres, elasticsearch }) => `      ${field}   postgres ${postgres}   elasticsearch ${elasticsearch}`);
  return [`   ${[`${index}/${id}`, kind, ...about].join('   ')}`, ...shown];
}

function moreLine({ differenceCount, differences }: AuditReport): readonly string[] {
  const rest = differenceCount - Math.min(differences.length, SHOWN_DIFFERENCES);
  return rest > 0 ? [`   and ${formatCount(rest)} more (--output json lists up to 1,000)`] : [];
}

function unsettledLine({ verdict, unsettledCount, unsettled }: AuditReport): readonly string[] {
  if (unsettledCount === 0) return [];
  const names = unsettled.slice(0, SHOWN_UNSETTLED).join(', ');
  return [
    `   ${verdict === 'unsettled' ? '' : `${formatCount(unsettledCount)} `}not judged: ${names}${unsettledCount > SHOWN_UNSETTLED ? ', …' : ''}`,
  ];
}

function repairLines({ repair }: AuditReport): readonly string[] {
  if (repair === null) return [];
  const { dryRun, written, deleted, settled, proved, refused } = repair;
  const would = dryRun ? 'would be ' : '';
  const done = `   repair: ${formatCount(written)} ${would}written, ${formatCount(deleted)} ${would}deleted`;
  return [
    `${done}${dryRun ? '' : `, ${formatCount(proved)} read again and equal`}${settled > 0 ? `, ${formatCount(settled)} equal by themselves` : ''}`,
    ...refused.slice(0, SHOWN_DIFFERENCES).map(({ id, reason }) => `   not repaired: ${id}: ${reason}`),
    ...(refused.length > SHOWN_DIFFERENCES ? [`   and ${formatCount(refused.length - SHOWN_DIFFERENCES)} more`] : []),
  ];
}

function percent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}

function totalMs({ durations }: AuditReport): number {
  return durations.compareMs + durations.settleMs + durations.repairMs;
}
