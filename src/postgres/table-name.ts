import { Failure } from '../core/failure.ts';
import { query, type Session, textOf } from './connect.ts';
import { sqlstateOf } from './sqlstate.ts';

/** A relation's name in parts, unquoted. */
export interface TableName {
  readonly schema: string;
  readonly name: string;
}

/** Splits a name written as in SQL (`products`, `crm.customers`, `"Odd Schema"."Table"`); without a schema it is `public`. Throws `config`. */
export async function parseTableName(session: Session, text: string): Promise<TableName> {
  const parts = await parseIdentifiers(session, text);
  const [first, second] = parts;
  if (first !== undefined && parts.length === 1) return { schema: 'public', name: first };
  if (first !== undefined && second !== undefined && parts.length === 2) return { schema: first, name: second };
  throw badName(text, undefined);
}

async function parseIdentifiers(session: Session, text: string): Promise<readonly string[]> {
  try {
    const rows = await query(session, { doing: 'reading the table name' }, 'select array_to_json(parse_ident($1))::text as parts', [text]);
    return JSON.parse(textOf(rows[0], 'parts')) as readonly string[];
  } catch (error) {
    if (sqlstateOf(error) !== '22023') throw error;
    throw badName(text, error);
  }
}

function badName(text: string, cause: unknown): Failure {
  return new Failure('config', `not a table name: ${JSON.stringify(text)}`, {
    hint: `Write schema.table, with double quotes where SQL needs them, e.g. '"Odd Schema"."Table"'.`,
    ...(cause === undefined ? {} : { cause }),
  });
}
