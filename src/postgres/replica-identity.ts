import { query, type Session, type TextRow, textOf } from './connect.ts';
import { quoteIdentifier } from './quote.ts';

/** From this server version on a publication can ask for stored generated columns; before, the stream never has them (docs/servers.md P18). */
export const STREAMS_GENERATED = 180_000;

export interface IdentityProblem {
  readonly code: 'primary-key' | 'id' | 'replica-identity';
  readonly message: string;
  readonly fix: string;
  /** The table lacks a column that `id` names, so that nothing else can be said of it. */
  readonly unknownColumn?: true;
}

/** Why the table's changes could not be followed by the columns `id` (null: the primary key); empty if they can. */
export async function identityProblems(session: Session, oid: number, id: readonly string[] | null): Promise<readonly IdentityProblem[]> {
  const problems = id === null ? await primaryKeyProblems(session, oid) : await idProblems(session, oid, id);
  if (problems.some(({ unknownColumn }) => unknownColumn)) return problems;
  const generated = session.version < STREAMS_GENERATED ? await generatedKeyProblem(session, oid, id) : await virtualColumnProblem(session, oid);
  return generated === null ? problems : [...problems, generated];
}

/**
 * Why the table's changes could not be followed by primary key: no primary key, a deferrable one, or an identity that does not
 * carry the key's old values (docs/servers.md P11). Leaves count too: a leaf's own identity decides what its old tuples carry.
 */
async function primaryKeyProblems(session: Session, oid: number): Promise<readonly IdentityProblem[]> {
  const rows = await query(
    session,
    { doing: 'reading the replica identity' },
    `select c.oid::regclass::text as name, c.relreplident as identity, pk.indexrelid::text as pk,
       case when pk.indimmediate then 't' else 'f' end as immediate,
       case when c.relreplident = 'i' then (select ri.indexrelid::regclass::text from pg_index ri where ri.indrelid = c.oid and ri.indisreplident) end as index,
       case when not exists (
         select from unnest(pk.indkey) with ordinality k(attnum, place) where k.place <= pk.indnkeyatts
           and k.attnum <> all (coalesce((select ri.indkey::int2[] from pg_index ri where ri.indrelid = c.oid and ri.indisreplident), '{}'))
       ) then 't' else 'f' end as covered
     from (select relid from pg_partition_tree($1) union select $1::oid) as tree join pg_class c on c.oid = tree.relid
       left join pg_index pk on pk.indrelid = c.oid and pk.indisprimary
     order by c.oid <> $1::oid, c.oid`,
    [oid],
  );
  return ofFirst(rows, problemsOf);
}

/** Those of the table itself, else of the first partition that has any: mostly all of them have the same. */
function ofFirst(rows: readonly TextRow[], problemsIn: (row: TextRow) => readonly IdentityProblem[]): readonly IdentityProblem[] {
  return rows.map((row, at) => problemsIn(row).map((problem) => ofLeaf(problem, row, at))).find((problems) => problems.length > 0) ?? [];
}

/** The first row is the table itself, which whoever tells of it has named; a partition needs its name. */
function ofLeaf(problem: IdentityProblem, row: TextRow, at: number): IdentityProblem {
  return at === 0 ? problem : { ...problem, message: `partition ${textOf(row, 'name')}: ${problem.message}` };
}

function problemsOf(row: TextRow): readonly IdentityProblem[] {
  const name = textOf(row, 'name');
  if (row.pk === null) return [{ code: 'primary-key', message: 'no primary key', fix: `alter table ${name} add primary key (...);` }];
  const covering = uncovered(name, row);
  return [...(row.immediate === 'f' ? [deferrable(name)] : []), ...(covering === null ? [] : [covering])];
}

function deferrable(name: string): IdentityProblem {
  return {
    code: 'primary-key',
    message: 'the primary key is deferrable; PostgreSQL cannot use it as replica identity',
    fix: `make the key not deferrable: alter table ${name} drop constraint ..., add primary key (...);`,
  };
}

function uncovered(name: string, row: TextRow): IdentityProblem | null {
  if (row.identity === 'd' || row.identity === 'f') return null;
  if (row.identity === 'i' && row.index !== null && row.covered === 't') return null;
  const seen = row.identity === 'n' ? 'replica identity is nothing' : 'the replica identity index does not contain all primary key columns';
  return { code: 'replica-identity', message: seen, fix: `alter table ${name} replica identity default;` };
}

/** A document could not be found by a key that no change carries. */
async function generatedKeyProblem(session: Session, oid: number, id: readonly string[] | null): Promise<IdentityProblem | null> {
  const rows = await query(
    session,
    { doing: 'looking for generated key columns' },
    `select string_agg(a.attname, ', ' order by a.attnum) as names from pg_attribute a left join pg_index pk on pk.indrelid = a.attrelid and pk.indisprimary
     where a.attrelid = $1 and a.attnum > 0 and a.attgenerated <> '' and case when $2 = 'null' then a.attnum = any(pk.indkey::int2[])
       else a.attname::text in (select json_array_elements_text(nullif($2, 'null')::json)) end`,
    [oid, JSON.stringify(id)],
  );
  const names = rows[0]?.names ?? null;
  if (names === null) return null;
  return {
    code: id === null ? 'primary-key' : 'id',
    message: `key columns are generated (${names}); before PostgreSQL 18 the stream does not carry them`,
    fix: 'Name other columns under id: those of a unique index that is the replica identity; or use PostgreSQL 18.',
  };
}

/** From 18 on the application's own UPDATE and DELETE would fail with 42P10: FULL means every column, and these are never published. */
async function virtualColumnProblem(session: Session, oid: number): Promise<IdentityProblem | null> {
  const rows = await query(
    session,
    { doing: 'looking for virtual columns' },
    `select c.oid::regclass::text as name from (select relid from pg_partition_tree($1) union select $1::oid) as tree join pg_class c on c.oid = tree.relid
     where c.relreplident = 'f' and exists (select from pg_attribute a where a.attrelid = c.oid and a.attgenerated = 'v' and not a.attisdropped)
     order by c.oid <> $1::oid, c.oid limit 1`,
    [oid],
  );
  if (rows[0] === undefined) return null;
  const name = textOf(rows[0], 'name');
  return {
    code: 'replica-identity',
    message: `${name}: replica identity is full and the table has virtual generated columns; PostgreSQL refuses updates of such a table once it is published`,
    fix: `alter table ${name} replica identity default;`,
  };
}

/**
 * The same for columns of the config's own choice: a unique index over exactly them that is checked at once, no NULL in them, and their old values in the stream. Of a
 * partitioned table every leaf has indexes and an identity of its own; the root's identity says nothing.
 */
async function idProblems(session: Session, oid: number, id: readonly string[]): Promise<readonly IdentityProblem[]> {
  const rows = await query(session, { doing: 'reading the replica identity' }, ID_FACTS, [oid, JSON.stringify(id)]);
  return ofFirst(rows, (row) => idProblemsOf(row, id));
}

const ID_FACTS = `
  with wanted as (select array_agg(name order by name) as names from json_array_elements_text($2::json) as name),
  indexes as (
    select i.indrelid, i.indisprimary, i.indisreplident,
      i.indisunique and i.indimmediate and i.indisvalid and i.indpred is null and i.indexprs is null as usable,
      array_agg(a.attname::text order by a.attname::text) as names
    from pg_index i cross join lateral unnest(i.indkey::int2[]) with ordinality as k(attnum, place)
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
    where k.place <= i.indnkeyatts group by i.indexrelid, i.indrelid, i.indisprimary, i.indisreplident, usable)
  select c.oid::regclass::text as name, c.relreplident as identity,
    (select string_agg(quote_ident(w), ', ') from unnest(wanted.names) as w
      where not exists (select from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attname::text = w)) as unknown,
    exists (select from indexes i where i.indrelid = c.oid and i.usable and i.names = wanted.names) as unique,
    (select string_agg(a.attname, ', ' order by a.attnum) from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attname::text = any(wanted.names) and not a.attnotnull) as nullable,
    c.relkind = 'p' or c.relreplident = 'f' or exists (
      select from indexes i where i.indrelid = c.oid and i.usable and i.names @> wanted.names
        and case c.relreplident when 'i' then i.indisreplident when 'd' then i.indisprimary else false end) as covered
  from (select relid from pg_partition_tree($1) union select $1::oid) as tree join pg_class c on c.oid = tree.relid cross join wanted
  order by c.oid <> $1::oid, c.oid`;

function idProblemsOf(row: TextRow, id: readonly string[]): readonly IdentityProblem[] {
  const name = textOf(row, 'name');
  const columns = id.map(quoteIdentifier).join(', ');
  if (isText(row.unknown))
    return [{ code: 'id', message: `the table has no column ${row.unknown}`, fix: 'Correct id in the config.', unknownColumn: true }];
  const problems: IdentityProblem[] = [];
  if (isText(row.nullable))
    problems.push({ code: 'id', message: `id columns may be null: ${row.nullable}`, fix: `alter table ${name} alter column ... set not null;` });
  if (row.unique !== 't') {
    const message = `no unique index over exactly (${columns}) that is checked at once, without a condition`;
    problems.push({ code: 'id', message, fix: `create unique index concurrently on ${name} (${columns});` });
  }
  if (row.covered !== 't') problems.push(notInIdentity(name, columns));
  return problems;
}

function notInIdentity(name: string, columns: string): IdentityProblem {
  return {
    code: 'replica-identity',
    message: `the replica identity does not contain the id columns (${columns}), so the stream would not tell which document a change is of`,
    fix: `alter table ${name} replica identity using index ...; (a unique index over them), or replica identity full;`,
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
