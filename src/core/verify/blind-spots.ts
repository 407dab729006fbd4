import type { VerifyReport } from '../events.ts';

type Seen = Pick<VerifyReport, 'mode' | 'method' | 'rows' | 'rejected' | 'sampled'>;

/** What a comparison of this mode cannot see, one sentence each, for the report. */
export function blindSpots(seen: Seen): readonly string[] {
  const found: string[] = [];
  if (seen.mode === 'counts')
    found.push('Only counts were compared: wrong values are not seen, nor is a missing document that an extra one makes up for.');
  if (seen.mode === 'sample') found.push('Outside the sample, wrong values are not seen, nor is a missing document that an extra one makes up for.');
  if (seen.mode !== 'counts') found.push(sampleSentence(seen));
  if (seen.method === 'settling') {
    found.push('The two sides were not frozen at one LSN: documents that differed were looked at again until they agreed or stopped changing.');
  }
  if (seen.rejected > 0)
    found.push(`${seen.rejected} rejected ${seen.rejected === 1 ? 'row is' : 'rows are'} not in the index and were not compared.`);
  found.push(
    'Only _source was compared: what Elasticsearch leaves out of its search structures (ignore_above, milliseconds of dates, rounding of float fields) is not seen.',
  );
  found.push('What is written to the index later is not seen; `realign audit` compares again.');
  return found;
}

function sampleSentence({ mode, sampled, rows }: Seen): string {
  const { random } = sampled;
  const subject = mode === 'full' ? 'A value that is encoded wrongly is seen by the independent sample only' : 'Values are seen in the sample only';
  if (random === 0) return `${subject}, and no row was sampled.`;
  if (random >= rows) return `${subject}; it had every row.`;
  return `${subject}: ${confidence(random)}`;
}

/** The rule of three: with no hit in n draws the 95 % upper bound of the rate is 3/n (Hanley and Lippman-Hand, JAMA 1983). */
export function confidence(random: number): string {
  const bound = (300 / random).toPrecision(2);
  return `if none of ${random} random documents differs, then with 95 % confidence fewer than 3/${random} (${Number(bound)} %) of all documents do.`;
}
