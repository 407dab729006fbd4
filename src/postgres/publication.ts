import { Failure } from '../core/failure.ts';
import type { SourceTable } from '../core/table.ts';
import { nameInSql } from '../core/table.ts';
import type { PublicationState } from '../phases/ports.ts';
import { isTrue, query, type Session, textOf } from './connect.ts';
import { quoteFromRelation, quoteIdentifier } from './quote.ts';
import { identityProblems, STREAMS_GENERATED } from './replica-identity.ts';
import { sqlstateOf } from './sqlstate.ts';

/** Below the ten seconds that a stopped run waits for what is in flight: it drops the publication then, and none may come later. */
const LOCK_TIMEOUT = '8s';

/**
 * Publishes exactly this table, all four operations, no column list, no filter: both would make the application's own DDL or DML fail
 * (docs/servers.md P13, P14). An existing publication of the same definition is accepted; another one throws `state-unknown`.
 */
export async function createPublication(session: Session, name: string, table: SourceTable, key: readonly string[] | null): Promise<void> {
  // Publishing updates of a table without a usable identity makes the application's UPDATE and DELETE fail at once.
  const [problem] = await identityProblems(session, table.oid, key);
  if (problem !== undefined) throw new Failure('preflight-refused', `${nameInSql(table)}: ${problem.message}`, { hint: problem.fix });
  const existing = await readPublication(session, name);
  if (existing === null) await create(session, name, table);
  else if (!isExactly(existing, table.oid)) throw foreignPublication(name);
}

/** The publication's tables and flags, or null. A table with a column list or a row filter is not listed: it would not be whole. */
export async function readPublication(session: Session, name: string): Promise<PublicationState | null> {
  const rows = await query(
    session,
    { doing: 'reading the publication' },
    `select p.pubinsert, p.pubupdate, p.pubdelete, p.pubtruncate, p.pubviaroot,
       coalesce((select json_agg(r.prrelid::int8 order by r.prrelid) from pg_publication_rel r
         where r.prpubid = p.oid and to_jsonb(r) ->> 'prattrs' is null and to_jsonb(r) ->> 'prqual' is null), '[]')::text as tables
     from pg_publication p where p.pubname = $1`,
    [name],
  );
  const row = rows[0];
  if (row === undefined) return null;
  return {
    tables: JSON.parse(textOf(row, 'tables')) as readonly number[],
    insert: isTrue(row, 'pubinsert'),
    update: isTrue(row, 'pubupdate'),
    delete: isTrue(row, 'pubdelete'),
    truncate: isTrue(row, 'pubtruncate'),
    viaRoot: isTrue(row, 'pubviaroot'),
  };
}

/** Names of the publications that start with `prefix`. */
export async function listPublications(session: Session, prefix: string): Promise<readonly string[]> {
  const rows = await query(
    session,
    { doing: 'listing publications' },
    'select pubname as name from pg_publication where starts_with(pubname, $1) order by pubname',
    [prefix],
  );
  return rows.map((row) => textOf(row, 'name'));
}

/** Drops it if it exists. */
export async function dropPublication(session: Session, name: string): Promise<void> {
  await query(session, { doing: `dropping publication ${name}` }, `drop publication if exists ${quoteIdentifier(name)}`);
}

async function create(session: Session, name: string, table: SourceTable): Promise<void> {
  const context = { doing: `creating publication ${name} for ${nameInSql(table)}` };
  const sql = `create publication ${quoteIdentifier(name)} for table ${quoteFromRelation(table)}
    with (publish = 'insert, update, delete, truncate', publish_via_partition_root = true${generatedToo(session, table)})`;
  // It waits behind VACUUM and CREATE INDEX CONCURRENTLY, and whoever alters the table waits behind it.
  await query(session, context, `set lock_timeout = '${LOCK_TIMEOUT}'`);
  try {
    await query(session, context, sql);
  } catch (error) {
    if (sqlstateOf(error) !== '42710') throw error;
    const state = await readPublication(session, name);
    if (state === null || !isExactly(state, table.oid)) throw foreignPublication(name);
  } finally {
    if (session.lost === null) await query(session, context, 'set lock_timeout = 0');
  }
}

/**
 * Stored generated columns in the stream save a lookup for each change. From 18 on they must be there where they are part of the replica identity (FULL is all of them), or
 * the application's own UPDATE and DELETE fail with 42P10. Whether a publication has them is no part of its definition here: a column that is absent is looked up.
 */
function generatedToo(session: Session, table: SourceTable): string {
  return session.version >= STREAMS_GENERATED && table.columns.some(({ generated }) => generated) ? ', publish_generated_columns = stored' : '';
}

function isExactly(state: PublicationState, oid: number): boolean {
  const all = state.insert && state.update && state.delete && state.truncate && state.viaRoot;
  return all && state.tables.length === 1 && state.tables[0] === oid;
}

function foreignPublication(name: string): Failure {
  return new Failure('state-unknown', `publication ${name} exists with another definition`, {
    hint: `If nobody else uses it: drop publication ${quoteIdentifier(name)};`,
  });
}
