import { Failure, type FailureKind } from '../core/failure.ts';
import type { Column } from '../core/table.ts';
import { query, type Session } from './connect.ts';
import { keyValues } from './key-rows.ts';

/**
 * What a cast of a text raises that is no value of the type: data exceptions, the check of a domain, and a syntax error (of ltree and cube, that is: the statements here have
 * one shape for all values).
 */
export const NO_VALUE_OF_ITS_TYPE: Readonly<Record<string, FailureKind>> = {
  '22': 'value-refused',
  '23514': 'value-refused',
  '42601': 'value-refused',
};

/** A text that the database's encoding cannot hold. Where rows are read as well, these two are told of the table (`source-changed`). */
const NO_TEXT: Readonly<Record<string, FailureKind>> = { '22021': 'value-refused', '22P05': 'value-refused' };

/**
 * Whether all of these are values of the key columns' types and of the database's encoding. Reads no table: what is refused here is refused for the key. The values are selected
 * because the checks of a domain are left out for a column that nobody asks for.
 */
export async function canBeKeys(session: Session, key: readonly Column[], keys: readonly (readonly string[])[]): Promise<boolean> {
  const overrides = { ...NO_VALUE_OF_ITS_TYPE, ...NO_TEXT };
  try {
    await query(session, { doing: 'asking whether texts are keys', overrides }, `select k.* from ${keyValues(key, keys)}`);
    return true;
  } catch (error) {
    if (error instanceof Failure && error.kind === 'value-refused') return false;
    throw error;
  }
}
