import type { AuditReport, AuditVerdict } from '../audit-report.ts';

export type Judged = Pick<
  AuditReport,
  'mode' | 'differenceCount' | 'unsettledCount' | 'covered' | 'sectioned' | 'mapping' | 'ours' | 'rows' | 'rejected' | 'documents'
>;

/** What the figures come to. What was not judged is never equal: first drift, then what is open, then equality. */
export function auditVerdict(judged: Judged): AuditVerdict {
  if (judged.differenceCount > 0 || hasUnnamedDrift(judged)) return 'drift';
  if (judged.unsettledCount > 0) return 'unsettled';
  return judged.covered < 1 ? 'unfinished' : 'equal';
}

/**
 * Drift that has no keys: counts that differ, or fields mapped as another type in an index that realign made. (An index of others has the mapping that
 * they chose; a difference there is told, not counted.) Counts of a comparison in
 * sections, which reads a row twice that moves meanwhile, or of one that left something open, say nothing.
 */
export function hasUnnamedDrift({ mode, unsettledCount, sectioned, mapping, ours, rows, rejected, documents, differenceCount }: Judged): boolean {
  if (ours && mapping.length > 0) return true;
  if (mode === 'keys' || sectioned || unsettledCount > 0 || differenceCount > 0) return false;
  return rows - rejected !== documents;
}

/** 0, 2 or 75 (README.md, "Exit codes"). `repaired`: every named difference was mended and proved. */
export function auditExitCode(report: Judged & Pick<AuditReport, 'verdict'>, maxDiff: number, repaired: boolean): 0 | 2 | 75 {
  if (hasUnnamedDrift(report)) return 2;
  if (report.differenceCount > maxDiff && !repaired) return 2;
  if (report.unsettledCount > 0 || report.covered < 1) return 75;
  return 0;
}
