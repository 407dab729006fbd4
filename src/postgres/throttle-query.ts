import { Failure } from '../core/failure.ts';
import type { ThrottleAnswer } from '../phases/control-ports.ts';
import { answered, query, type Session } from './connect.ts';
import { READ_ONLY, sqlstateOf, toFailure } from './sqlstate.ts';

const QUERY_TIMEOUT = '5s';
const BOOLEAN_OID = 16;
const CONTEXT = { doing: 'running limits.query' };
/** What the server says of the statement itself: names, syntax, types, rights, an attempt to write. Other messages may quote row values. */
const OF_THE_STATEMENT = /^(0A|25|26|3F|42)/;

/**
 * Asks the operator's query once: the first column of its first row. It runs read-only; one that takes longer than 5 s says by that that the server is busy. What the server
 * refuses is an answer too (`unusable`), because only the caller knows whether it is early enough to stop for it. Throws `connection-lost`.
 */
export async function throttleQuery(session: Session, sql: string): Promise<ThrottleAnswer> {
  await query(session, CONTEXT, `begin read only; set local statement_timeout = '${QUERY_TIMEOUT}'`);
  try {
    // As an extended query it can only be one statement: no `commit; drop …` behind it.
    const asked = session.client.query({ text: sql, values: [], rowMode: 'array', queryMode: 'extended' } as never) as unknown as Promise<Result>;
    return answerOf(await answered(session, asked));
  } catch (error) {
    const sqlstate = sqlstateOf(error);
    if (sqlstate === '57014') return { kind: 'hold', slow: true };
    const failure = toFailure(error, CONTEXT);
    const lost = sqlstate !== READ_ONLY && failure instanceof Failure && failure.kind === 'connection-lost';
    if (sqlstate === null || lost) throw failure;
    const words = OF_THE_STATEMENT.test(sqlstate) && error instanceof Error ? `${error.message} ` : '';
    return { kind: 'unusable', why: `${words}(SQLSTATE ${sqlstate})` };
  } finally {
    if (session.lost === null) await query(session, CONTEXT, 'rollback');
  }
}

interface Result {
  readonly rows: readonly (readonly (string | null)[])[];
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
}

/** `select 1` would never hold anything back, and nobody would notice. */
function answerOf({ rows, fields }: Result): ThrottleAnswer {
  const [field] = fields;
  if (field === undefined) return { kind: 'unusable', why: 'it gives no column' };
  if (field.dataTypeID !== BOOLEAN_OID) return { kind: 'unusable', why: `its first column, ${JSON.stringify(field.name)}, is not a boolean` };
  return rows[0]?.[0] === 't' ? { kind: 'hold', slow: false } : { kind: 'pass' };
}
