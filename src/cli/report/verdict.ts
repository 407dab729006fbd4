import { isRepaired } from '../../core/verify/audit-verdict.ts';
import { formatCount, formatCounted } from '../config/quantity.ts';
import type { IndexReport, Report, Verification } from './report-schema.ts';

/** How a run of one index is told in a line. `tone` never stands alone: the mark and the words say the same. */
export interface Verdict {
  readonly tone: 'good' | 'bad' | 'warn';
  readonly mark: '✓' | '✗' | '!';
  /** A few words. */
  readonly headline: string;
  readonly sentence: string;
}

const good = (headline: string, sentence: string): Verdict => ({ tone: 'good', mark: '✓', headline, sentence });
const bad = (headline: string, sentence: string): Verdict => ({ tone: 'bad', mark: '✗', headline, sentence });
const warn = (headline: string, sentence: string): Verdict => ({ tone: 'warn', mark: '!', headline, sentence });

/** The verdict on one index. */
export function verdictOf(run: IndexReport): Verdict {
  const { verification, failure } = run;
  if (verification?.audit != null && (failure === null || run.exitCode === 2)) return auditVerdict(run.exitCode, verification, verification.audit);
  if (run.result === 'interrupted') {
    return run.phases.length === 0
      ? warn('Not started', 'The run was stopped before this index was begun.')
      : warn('Interrupted, can be resumed', failure?.unchanged ?? '');
  }
  if (run.result === 'nothing-to-do') return good('Nothing to do', 'What is served was made of the same table and config.');
  if (run.result === 'skipped') return warn('Skipped', 'Another build of it is running.');
  if (failure !== null || run.exitCode !== 0) return failedVerdict(run);
  if (run.swap === null) return good('Finished', 'An earlier run had swapped already; only the clean-up was left.');
  const proof = verification === null ? 'It was verified by an earlier run.' : equalSentence(verification);
  return good('Verified and swapped', `${run.index} serves ${run.swap.to}. ${proof}`);
}

/** The verdict on all of a run. */
export function overallVerdict(report: Report): Verdict {
  const [first] = report.runs;
  if (report.runs.length === 1 && first !== undefined && report.failure === null) return verdictOf(first);
  if (report.failure !== null) return bad('Failed', report.failure.message);
  const verdicts = report.runs.map(verdictOf);
  const fine = verdicts.filter(({ tone }) => tone === 'good').length;
  const headline = `${fine} of ${verdicts.length} indices without complaint`;
  if (fine === verdicts.length) return good(headline, '');
  return verdicts.some(({ tone }) => tone === 'bad') ? bad(headline, '') : warn(headline, '');
}

function failedVerdict({ failure, verification, swap }: IndexReport): Verdict {
  const sentence = failure === null ? '' : (failure.message.split('\n')[0] ?? '');
  if (swap !== null) return bad('Swapped, then failed', sentence);
  if (failure?.kind === 'verification-failed' && verification !== null && verification.differenceCount > 0) {
    return bad(`Not swapped: ${countSentence(verification.differenceCount)}`, sentence);
  }
  return bad(NOT_SWAPPED[failure?.kind ?? ''] ?? 'Failed', sentence);
}

const NOT_SWAPPED: { readonly [kind: string]: string } = {
  'verification-failed': 'Not swapped: not verified',
  'swap-vetoed': 'Not swapped: vetoed',
  'too-many-rejects': 'Not swapped: too many rejected rows',
  'alias-changed': 'Not swapped: the alias was moved',
  'preflight-refused': 'Refused before anything was made',
  locked: 'Another build is running',
};

function auditVerdict(exitCode: number, verification: Verification, audit: NonNullable<Verification['audit']>): Verdict {
  const found = countSentence(verification.differenceCount);
  const repaired = isRepaired({ repair: audit.repair, differenceCount: verification.differenceCount });
  if (audit.verdict === 'drift' && exitCode === 0) {
    return repaired
      ? good('Drift, repaired', `${found}; ${formatCount(audit.repair?.proved ?? 0)} proved equal after the repair.`)
      : warn(`Drift, as much as allowed: ${found}`, sidesSentence(verification));
  }
  // Whatever was found is mended, but 75 says that something is open.
  switch (repaired && exitCode === 75 ? openVerdict(verification) : audit.verdict) {
    case 'equal':
      return good('No drift', equalSentence(verification));
    case 'drift':
      return bad(`Drift: ${found}`, sidesSentence(verification));
    case 'unsettled':
      return warn('Not judged completely', `${formatCounted(verification.unsettledCount, 'key')} went on changing while they were looked at.`);
    case 'unfinished':
      return warn('Not finished', `${Math.floor(audit.covered * 100)} % looked at; the next run goes on there.`);
  }
}

function openVerdict({ unsettledCount }: Verification): 'unsettled' | 'unfinished' {
  return unsettledCount > 0 ? 'unsettled' : 'unfinished';
}

function equalSentence(verification: Verification): string {
  const checked = {
    full: 'Every document was compared with its row',
    sample: 'A sample was compared',
    counts: 'Only the counts were compared',
    keys: 'The named keys were compared',
  };
  return `${checked[verification.mode]}: ${sidesSentence(verification)}, no difference.`;
}

function sidesSentence({ rows, documents }: Verification): string {
  return `${formatCounted(rows, 'row')}, ${formatCounted(documents, 'document')}`;
}

function countSentence(count: number): string {
  return formatCounted(count, 'document differs', 'documents differ');
}
