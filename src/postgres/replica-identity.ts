import { query, type Session, type TextRow, textOf } from './connect.ts';

export interface IdentityProblem {
  readonly code: 'primary-key' | 'replica-identity';
  readonly message: string;
  readonly fix: string;
}

/**
 * Why the table's changes could not be followed by primary key, or null: no primary key, a deferrable one, or an identity that does not
 * carry the key's old values (facts/postgres 3.1). Leaves count too: a leaf's own identity decides what its old tuples carry.
 */
export async function identityProblem(session: Session, oid: number): Promise<IdentityProblem | null> {
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
  return rows.map(problemOf).find((problem) => problem !== null) ?? null;
}

function problemOf(row: TextRow): IdentityProblem | null {
  const name = textOf(row, 'name');
  if (row.pk === null) return { code: 'primary-key', message: 'no primary key', fix: `alter table ${name} add primary key (...);` };
  if (row.immediate === 'f') return deferrable(name);
  return uncovered(name, row);
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
  return { code: 'replica-identity', message: `${name}: ${seen}`, fix: `alter table ${name} replica identity default;` };
}
