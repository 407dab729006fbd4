import { createHash } from 'node:crypto';
import { MAX_ID_BYTES } from './document-id.ts';

/** Between the texts of a key that makes no `_id`: no text of PostgreSQL holds it, so that such a name can never be taken for an id. */
const BETWEEN = '\0';
const SHOWN_CHARACTERS = 100;

/** What stands for the id of a row whose key makes none, inside the program and in the state of a build; `shownId` is for everybody else. */
export function keyAsId(key: readonly string[]): Buffer {
  return Buffer.from(key.join(BETWEEN));
}

/**
 * What people and programs are told of a row: its `_id`, or, where its key makes none, the texts of the key in the form that ids have (`a:b`), and
 * only the beginning of what is longer than any id: then with the hash that tells it from others of that beginning, the one that `idHash: sha256`
 * would take.
 */
export function shownId(id: string): string {
  const text = id.includes(BETWEEN) ? id.split(BETWEEN).map(escapePart).join(':') : id;
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_ID_BYTES) return text;
  const beginning = Array.from(text.slice(0, 2 * SHOWN_CHARACTERS))
    .slice(0, SHOWN_CHARACTERS)
    .join('');
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return `${beginning}… (${bytes} bytes, sha256 ${hash})`;
}

function escapePart(part: string): string {
  return part.replace(/[\\:]/g, '\\$&');
}
