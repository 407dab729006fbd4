import { type JsonObject, type JsonValue, jsonText, ownValue } from './json-value.ts';

/** One top-level field that differs, with an excerpt of both values around the first character that differs. */
export interface FieldDifference {
  readonly field: string;
  readonly postgres: string;
  readonly elasticsearch: string;
}

/** Excerpts for a transcript; whole only where somebody asked for values. */
export type ShownValues = 'excerpts' | 'whole';

/** Stands for the document as a whole where a side is not a JSON object. */
const WHOLE_DOCUMENT = '_source';
const EXCERPT_LENGTH = 80;
const CONTEXT_LENGTH = 20;

/** The fields of either side for which `equal` says no, PostgreSQL's first, each once. */
export function differingFields(
  postgres: JsonObject,
  elasticsearch: JsonObject,
  equal: (field: string, left: JsonValue | undefined, right: JsonValue | undefined) => boolean,
  shown: ShownValues = 'excerpts',
): readonly FieldDifference[] {
  const fields = new Set([...Object.keys(postgres), ...Object.keys(elasticsearch)]);
  const found: FieldDifference[] = [];
  for (const field of fields) {
    const left = ownValue(postgres, field);
    const right = ownValue(elasticsearch, field);
    if (equal(field, left, right)) continue;
    const texts = { postgres: jsonText(left), elasticsearch: jsonText(right) };
    found.push({ field, ...(shown === 'whole' ? texts : excerpts(texts.postgres, texts.elasticsearch)) });
  }
  return found;
}

/** The difference of two documents of which at least one is no JSON object: never taken for equal. */
export function unreadable(postgres: string, elasticsearch: string): readonly FieldDifference[] {
  return [{ field: WHOLE_DOCUMENT, ...excerpts(postgres, elasticsearch) }];
}

/** Both texts cut to about 80 characters that show where they part; a cut at the start only would print two equal texts. */
export function excerpts(postgres: string, elasticsearch: string): { readonly postgres: string; readonly elasticsearch: string } {
  const from = Math.max(0, firstDifference(postgres, elasticsearch) - CONTEXT_LENGTH);
  return { postgres: excerpt(postgres, from), elasticsearch: excerpt(elasticsearch, from) };
}

function firstDifference(left: string, right: string): number {
  let at = 0;
  while (at < left.length && at < right.length && left.charCodeAt(at) === right.charCodeAt(at)) at++;
  return at;
}

function excerpt(text: string, from: number): string {
  if (text.length <= EXCERPT_LENGTH) return text;
  const shown = text.slice(from, from + EXCERPT_LENGTH);
  return `${from > 0 ? '…' : ''}${shown}${from + EXCERPT_LENGTH < text.length ? '…' : ''}`;
}
