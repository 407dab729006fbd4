import { Failure } from '../core/failure.ts';
import { isTrue, query, type Session, textOf } from './connect.ts';
import { quoteIdentifier, quoteLiteral } from './quote.ts';
import { toFailure } from './sqlstate.ts';

/** The comment of a publication; null if it has none or there is no such publication. */
export async function readComment(session: Session, publication: string): Promise<string | null> {
  const rows = await query(session, { doing: `reading the control of ${publication}` }, COMMENT, [publication]);
  return rows[0]?.comment ?? null;
}

/**
 * Replaces the comment by what `change` makes of it, one writer at a time: two orders at once are both kept. Throws `source-changed` if the publication
 * is gone, `denied` if this role does not own it.
 */
export async function changeComment(session: Session, publication: string, change: (comment: string | null) => string): Promise<void> {
  const context = { doing: `writing the control of ${publication}` };
  await query(session, context, 'begin');
  try {
    await query(session, context, 'select pg_advisory_xact_lock(hashtextextended($1, 0))', [`realign control ${publication}`]);
    const rows = await query(session, context, COMMENT, [publication]);
    if (rows[0] === undefined) throw gone(publication);
    const text = change(rows[0].comment ?? null);
    await query(session, context, `comment on publication ${quoteIdentifier(publication)} is ${quoteLiteral(text)}`);
    await query(session, context, 'commit');
  } catch (error) {
    // What failed first is told. A rollback fails only with its connection, and the server rolls back what a lost connection had begun.
    await session.client.query('rollback').catch(() => undefined);
    throw toFailure(error, { ...context, overrides: { '42704': 'source-changed' } });
  }
}

/** True while some session holds the alias's lock: looked at without trying it, which could make a build that starts just now fail. */
export async function isLocked(session: Session, key: bigint): Promise<boolean> {
  const high = (BigInt.asUintN(64, key) >> 32n).toString();
  const low = (BigInt.asUintN(64, key) & 0xffffffffn).toString();
  const rows = await query(
    session,
    { doing: 'looking at the lock of the alias' },
    `select exists (select from pg_locks where locktype = 'advisory' and granted and objsubid = 1 and classid::text = $1 and objid::text = $2
       and database = (select oid from pg_database where datname = current_database())) as locked`,
    [high, low],
  );
  return isTrue(rows[0], 'locked');
}

/** The server's own time: two hosts may disagree. */
export async function serverTime(session: Session): Promise<Date> {
  const rows = await query(session, { doing: 'reading the time' }, `select (extract(epoch from clock_timestamp()) * 1000)::int8::text as ms`);
  return new Date(Number(textOf(rows[0], 'ms')));
}

const COMMENT = `select obj_description(oid, 'pg_publication') as comment from pg_publication where pubname = $1`;

function gone(publication: string): Failure {
  return new Failure('source-changed', `publication ${publication} does not exist any more`, {
    hint: 'The build has ended, or somebody dropped it: see realign status.',
  });
}
