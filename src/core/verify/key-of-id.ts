import type { DocumentPlan } from '../encode/document-plan.ts';

/** The row that an `_id` names: the texts of its key columns; `hashed` if they cannot be told; `foreign` if no row of this table has such an id. */
export type KeyOfId = { readonly kind: 'key'; readonly key: readonly string[] } | { readonly kind: 'hashed' } | { readonly kind: 'foreign' };

/** Undoes the id encoding of `core/encode/document-id.ts`. */
export function keyOfId(plan: Pick<DocumentPlan, 'key' | 'idHash'>, id: string): KeyOfId {
  if (plan.idHash === 'sha256' && id.startsWith('sha256:')) return { kind: 'hashed' };
  // No text of PostgreSQL holds it, and a statement would end there.
  if (id.includes('\0')) return { kind: 'foreign' };
  if (plan.key.length === 1) return { kind: 'key', key: [id] };
  const parts = splitParts(id);
  return parts?.length === plan.key.length ? { kind: 'key', key: parts } : { kind: 'foreign' };
}

/** The parts between unescaped colons, `\:` and `\\` undone; null if a backslash stands before anything else. */
function splitParts(id: string): readonly string[] | null {
  const parts: string[] = [];
  let part = '';
  for (let at = 0; at < id.length; at++) {
    const character = id[at] as string;
    if (character === ':') {
      parts.push(part);
      part = '';
    } else if (character === '\\') {
      const escaped = id[++at];
      if (escaped !== ':' && escaped !== '\\') return null;
      part += escaped;
    } else {
      part += character;
    }
  }
  return [...parts, part];
}
