import { counted } from '../counted.ts';
import type { VerifyReport } from '../events.ts';
import { Failure } from '../failure.ts';

declare const passed: unique symbol;

/** A report that passed. Only `requirePassing` makes one, so a swap that takes it cannot be reached without the proof. */
export type PassingReport = VerifyReport & { readonly [passed]: true };

/** True if nothing differs, nothing is left unjudged, and the counts agree. */
export function isPassing(report: VerifyReport): boolean {
  return report.differenceCount === 0 && report.unsettled.length === 0 && report.rows - report.rejected === report.documents;
}

/** The report as a proof; throws `verification-failed` if it is none. */
export function requirePassing(report: VerifyReport): PassingReport {
  if (isPassing(report)) return report as PassingReport;
  throw new Failure('verification-failed', `verification failed: ${reasons(report).join('; ')}`, {
    hint: 'Nothing was swapped; the alias still serves what it served before. Look at the documents that are named.',
  });
}

function reasons(report: VerifyReport): readonly string[] {
  const found: string[] = [];
  if (report.differenceCount > 0) found.push(counted(report.differenceCount, 'document differs', 'documents differ'));
  if (report.unsettled.length > 0) found.push(`${counted(report.unsettled.length, 'document')} kept changing and could not be judged`);
  if (report.rows - report.rejected !== report.documents) {
    found.push(`${counted(report.rows, 'row')} less ${report.rejected} rejected are not ${counted(report.documents, 'document')}`);
  }
  return found;
}
