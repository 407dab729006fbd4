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
    hint:
      'Nothing was swapped; the alias still serves the previous generation. Compare again with `realign audit <alias> --index <generation>`, ' +
      'look at the named documents, then rebuild with `realign rebuild <alias> --fresh` or give up with `realign abort <alias>`.',
  });
}

function reasons(report: VerifyReport): readonly string[] {
  const found: string[] = [];
  if (report.differenceCount > 0) found.push(`${plural(report.differenceCount, 'document differs', 'documents differ')}`);
  if (report.unsettled.length > 0) found.push(`${plural(report.unsettled.length, 'document', 'documents')} kept changing and could not be judged`);
  if (report.rows - report.rejected !== report.documents) {
    found.push(`${report.rows} rows less ${report.rejected} rejected are not ${report.documents} documents`);
  }
  return found;
}

function plural(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
