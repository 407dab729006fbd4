import type { AuditReport, AuditVerdict, RepairReport } from '../audit-report.ts';

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

/** Of a repair as far as it is judged: a report names what was refused in its own way. */
type Repaired = Pick<RepairReport, 'dryRun' | 'proved' | 'settled'> & { readonly refused: readonly unknown[] };

/** Every difference that was found was mended and proved, or had settled by then. */
export function isRepaired({ repair, differenceCount }: { readonly repair: Repaired | null; readonly differenceCount: number }): boolean {
  if (repair === null || repair.dryRun || differenceCount === 0) return false;
  return repair.refused.length === 0 && repair.proved + repair.settled === differenceCount;
}

/** 0, 2 or 75 (README.md, "Exit codes"). */
export function auditExitCode(report: Judged & Pick<AuditReport, 'repair'>, maxDiff: number): 0 | 2 | 75 {
  if (hasUnnamedDrift(report)) return 2;
  if (report.differenceCount > maxDiff && !isRepaired(report)) return 2;
  if (report.unsettledCount > 0 || report.covered < 1) return 75;
  return 0;
}
