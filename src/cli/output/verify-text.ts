import type { VerifyReport } from '../../core/events.ts';
import { formatCount, formatCounted } from '../config/quantity.ts';

const SHOWN_DIFFERENCES = 20;

/** What was compared and how it came out, in one line. */
export function verifySummary(report: VerifyReport): string {
  const { random, changed, deleted } = report.sampled;
  const parts = [
    `rows ${formatCount(report.rows)} ${report.rows === report.documents ? '=' : '≠'} docs ${formatCount(report.documents)} at ${report.fenceLsn}`,
  ];
  if (report.rejected > 0) parts.push(`${formatCount(report.rejected)} rejected`);
  if (report.partitions > 0) parts.push(`${formatCount(report.partitionsEqual)} of ${formatCount(report.partitions)} partition checksums equal`);
  const sampled = random + changed + deleted;
  if (sampled > 0) parts.push(`${formatCount(sampled)} sampled`);
  return `${parts.join('; ')}, ${formatCount(report.differenceCount)} ${report.differenceCount === 1 ? 'differs' : 'differ'}`;
}

/** One line for each difference, as far as people read. `showValues` only on a terminal: a pipeline's log is read by others. */
export function differenceLines(index: string, report: VerifyReport, showValues: boolean): readonly string[] {
  const lines = report.differences.slice(0, SHOWN_DIFFERENCES).map((difference) => {
    const name = `${index}/${difference.id}`;
    if (difference.kind === 'missing') return `${name}   missing in elasticsearch`;
    if (difference.kind === 'extra') return `${name}   extra in elasticsearch`;
    const [value] = showValues ? (difference.values ?? []) : [];
    const fields = `${difference.fields.length === 1 ? 'field' : 'fields'} ${difference.fields.join(', ')}`;
    return value === undefined ? `${name}   ${fields}` : `${name}   ${fields}   postgres ${value.postgres}   elasticsearch ${value.elasticsearch}`;
  });
  const rest = report.differenceCount - lines.length;
  if (rest > 0) lines.push(`and ${formatCount(rest)} more (--output json lists up to 1,000)`);
  if (report.unsettled.length > 0) lines.push(`${formatCounted(report.unsettled.length, 'key')} went on changing and could not be judged`);
  return lines;
}
