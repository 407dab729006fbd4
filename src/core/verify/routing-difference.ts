import type { DocumentPlan } from '../encode/document-plan.ts';
import { routingOfKey } from '../encode/routing.ts';
import { excerpts, type FieldDifference, type ShownValues } from './field-difference.ts';
import { jsonText } from './json-value.ts';

/** A document that lies under another routing than its row says is named like one with a differing field. */
const ROUTING_FIELD = '_routing';

/** Empty if the document with this stored routing lies where the row with this key belongs. */
export function routingDifference(
  plan: Pick<DocumentPlan, 'key' | 'routing'>,
  key: readonly string[],
  stored: string | undefined,
  shown: ShownValues = 'excerpts',
): readonly FieldDifference[] {
  const expected = routingOfKey(plan, key);
  if (expected === stored) return [];
  const texts = { postgres: jsonText(expected), elasticsearch: jsonText(stored) };
  return [{ field: ROUTING_FIELD, ...(shown === 'whole' ? texts : excerpts(texts.postgres, texts.elasticsearch)) }];
}
