import type { DocumentPlan } from './document-plan.ts';

/**
 * The routing of the row with these key texts; undefined where Elasticsearch routes documents by their ids. It is a part of the key, so whatever knows a key knows the
 * shard: the same `_id` under another routing would be a second document, which no version protects (docs/servers.md E7).
 */
export function routingOfKey({ key, routing }: Pick<DocumentPlan, 'key' | 'routing'>, texts: readonly string[]): string | undefined {
  return routing === undefined ? undefined : texts[key.indexOf(routing)];
}
