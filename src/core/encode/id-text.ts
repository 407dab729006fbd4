import { keyTexts, type Row } from '../row.ts';
import { keyAsId } from './shown-id.ts';

/** The bytes of an id that is held as latin1 text, a character for each byte: as a key of maps a string costs less than a buffer. */
export function idBytes(latin1: string): Buffer {
  return Buffer.from(latin1, 'latin1');
}

/** The same id as everybody else writes it: in UTF-8, as in the list of rejects and in answers. */
export function idInUtf8(latin1: string): string {
  return idBytes(latin1).toString('utf8');
}

/** What stands, as latin1 text, for the id of a row whose key makes none. */
export function standInId(row: Row, key: readonly number[]): string {
  return keyAsId(keyTexts(row, key)).toString('latin1');
}
