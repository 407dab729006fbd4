import type { ReportedDifference } from './report-schema.ts';

/** The kinds of differences in words. */
export const KIND_WORDS = {
  missing: 'missing in Elasticsearch',
  extra: 'extra in Elasticsearch',
  different: 'different value',
  stale: 'stale (an older state)',
} as const;

/** In how many of the named differences each field differs, the most frequent first. */
export function fieldCounts(differences: readonly ReportedDifference[]): readonly { readonly name: string; readonly count: number }[] {
  const counts = new Map<string, number>();
  for (const field of differences.flatMap(({ fields }) => fields)) counts.set(field, (counts.get(field) ?? 0) + 1);
  return [...counts].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
}
