import type { AuditReport } from '../audit-report.ts';
import { blindSpots, confidence } from './blind-spots.ts';

export type Audited = Pick<AuditReport, 'mode' | 'method' | 'rows' | 'rejected' | 'sampled' | 'sampledDocuments' | 'ours' | 'fedBy' | 'covered'> & {
  /** Null if the user may not refresh the index. */
  readonly refreshed: boolean;
};

/** What an audit of this kind cannot see, one sentence each, for the report. */
export function auditBlindSpots(seen: Audited): readonly string[] {
  const { mode } = seen;
  const found = mode === 'keys' ? [keysSentence(seen.rows)] : [...blindSpots({ ...seen, mode })];
  if (mode === 'sample' && seen.sampledDocuments > 0) {
    found.push(`Extra documents are seen in a sample of the index only: ${confidence(seen.sampledDocuments)}`);
  }
  if (seen.covered < 1) found.push(`Only ${Math.floor(seen.covered * 100)} % were looked at; the next run with the same --state goes on there.`);
  if (!seen.refreshed) {
    found.push(
      'The user may not refresh the index (privilege maintenance): documents written since the last refresh were not seen and may count as drift.',
    );
  }
  found.push(...ownershipSentences(seen));
  return found;
}

function keysSentence(keys: number): string {
  return `Only the ${keys} named ${keys === 1 ? 'key was' : 'keys were'} compared.`;
}

function ownershipSentences({ ours, fedBy }: Audited): readonly string[] {
  if (!ours) {
    return [
      'realign did not make this index from this server: its versions do not tell who wrote a document, nor stale from different, and its mapping is compared as a hint only.',
    ];
  }
  const once = 'A document that is as it was loaded, and was then written once by somebody else with the same content, counts as ours.';
  return fedBy === 'realign' ? [once] : [once, 'No slot feeds this index any more, so changes of the table do not reach it by realign.'];
}
