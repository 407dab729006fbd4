import { formOf } from '../core/encode/form-of.ts';
import { Failure } from '../core/failure.ts';
import type { Column, Leaf, SourceTable } from '../core/table.ts';
import { nameInSql } from '../core/table.ts';
import { isTrue, query, type Session, type TextRow, textOf } from './connect.ts';
import { fingerprintOf } from './fingerprint.ts';
import { parseTableName, type TableName } from './table-name.ts';
import { readEnumLabels, readTypes } from './types-catalog.ts';

/** `pg_class` of the table itself, as far as everyone here needs it. */
export interface Relation extends TableName {
  readonly oid: number;
  readonly kind: string;
  readonly persistence: string;
  readonly identity: string;
  /** The index of REPLICA IDENTITY USING INDEX, or 0. */
  readonly identityIndexOid: number;
}

const IDENTITIES: Readonly<Record<string, SourceTable['replicaIdentity']>> = { d: 'default', f: 'full', i: 'index', n: 'nothing' };

/** The relation of that name now, or null. */
export async function findRelation(session: Session, table: TableName): Promise<Relation | null> {
  const rows = await query(
    session,
    { doing: 'looking up the table' },
    `select c.oid::text, c.relkind as kind, c.relpersistence as persistence, c.relreplident as identity,
       coalesce((select i.indexrelid from pg_index i where i.indrelid = c.oid and i.indisreplident), 0)::text as identity_index
     from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relname = $2`,
    [table.schema, table.name],
  );
  const row = rows[0];
  if (row === undefined) return null;
  return {
    ...table,
    oid: Number(textOf(row, 'oid')),
    kind: textOf(row, 'kind'),
    persistence: textOf(row, 'persistence'),
    identity: textOf(row, 'identity'),
    identityIndexOid: Number(textOf(row, 'identity_index')),
  };
}

/**
 * The table as the catalog has it now, in one snapshot; null if there is no relation of that name. Without `sizes` it takes no lock on any relation, so it never waits: whoever
 * holds a lock on the table may ask though somebody waits for ACCESS EXCLUSIVE on it. Throws `preflight-refused` for what is no table.
 */
export async function describeTable(session: Session, qualifiedName: string, sizes = true): Promise<SourceTable | null> {
  const name = await parseTableName(session, qualifiedName);
  await query(session, { doing: 'reading the catalog' }, 'begin isolation level repeatable read read only');
  const relation = await findRelation(session, name);
  const table = relation === null ? null : await describeRelation(session, relation, sizes);
  await query(session, { doing: 'reading the catalog' }, 'commit');
  return table;
}

async function describeRelation(session: Session, relation: Relation, sizes: boolean): Promise<SourceTable> {
  if (relation.kind !== 'r' && relation.kind !== 'p') {
    throw new Failure('preflight-refused', `${nameInSql(relation)} is not a table`, { hint: 'Name a plain or partitioned table.' });
  }
  const columnRows = await readColumns(session, relation.oid);
  const types = await readTypes(
    session,
    columnRows.map((row) => Number(textOf(row, 'type'))),
  );
  const key = await readKey(session, relation.oid);
  const leafRows = await readLeaves(session, relation.oid, sizes);
  const enumLabels = await readEnumLabels(session, types);
  return {
    oid: relation.oid,
    schema: relation.schema,
    name: relation.name,
    partitioned: relation.kind === 'p',
    columns: columnRows.map((row) => column(row, formOf(Number(textOf(row, 'type')), types))),
    key,
    replicaIdentity: IDENTITIES[relation.identity] ?? 'nothing',
    leaves: leafRows.map(leaf),
    estimatedRows: estimate(leafRows),
    bytes: leafRows.reduce((sum, row) => sum + Number(textOf(row, 'bytes')), 0),
    fingerprint: fingerprintOf({ relation, columns: columnRows, types, enumLabels, key, leaves: leafRows }),
  };
}

/**
 * For a domain, or an array of one, what it stands for in the end: of domains over domains the last type, with the modifier nearest to it (as getBaseTypeAndTypmod does); else NULL.
 */
const BASE_TYPE_NAME = `(
  with recursive base(oid, typmod, depth, brackets) as (
    select case when t.typoutput = 'array_out'::regproc then t.typelem else t.oid end, -1, 0, case when t.typoutput = 'array_out'::regproc then '[]' else '' end
      from pg_type t where t.oid = a.atttypid
    union all
    select t.typbasetype, case when t.typtypmod >= 0 then t.typtypmod else base.typmod end, depth + 1, brackets from base join pg_type t on t.oid = base.oid where t.typtype = 'd'
  )
  select format_type(oid, typmod) || brackets from base where depth > 0 order by depth desc limit 1)`;

async function readColumns(session: Session, oid: number): Promise<readonly TextRow[]> {
  return query(
    session,
    { doing: 'reading the columns' },
    `select attname as name, attnum::text as attnum, format_type(atttypid, atttypmod) as type_name, ${BASE_TYPE_NAME} as base_type_name, atttypid::text as type, atttypmod::text as typmod,
       attnotnull, attgenerated as generated
     from pg_attribute a where attrelid = $1 and attnum > 0 and not attisdropped order by a.attnum`,
    [oid],
  );
}

/** Names of the primary key's columns in index order (not in column order: docs/servers.md P11). */
async function readKey(session: Session, oid: number): Promise<readonly string[]> {
  const rows = await query(
    session,
    { doing: 'reading the primary key' },
    `select a.attname as name
     from pg_index i cross join lateral unnest(i.indkey) with ordinality as k(attnum, place)
       join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
     where i.indrelid = $1 and i.indisprimary and k.place <= i.indnkeyatts order by k.place`,
    [oid],
  );
  return rows.map((row) => textOf(row, 'name'));
}

/** The relations that hold the rows: the table, or all leaves of a partitioned one. */
async function readLeaves(session: Session, oid: number, sizes: boolean): Promise<readonly TextRow[]> {
  const size = (name: string): string => (sizes ? `coalesce(${name}(c.oid), 0)` : '0::int8');
  // pg_partition_tree would lock the partitions, and the functions for sizes lock every relation.
  return query(
    session,
    { doing: 'reading the partitions' },
    `with recursive tree(relid) as (
       select $1::oid
       union
       select i.inhrelid from tree join pg_class p on p.oid = tree.relid and p.relkind = 'p'
         join pg_inherits i on i.inhparent = p.oid and not i.inhdetachpending
     )
     select c.oid::text, n.nspname as schema, c.relname as name, coalesce(pg_relation_filenode(c.oid), 0)::text as relfilenode,
       (${size('pg_relation_size')} / current_setting('block_size')::int8)::text as blocks,
       c.reltuples::float8::text as tuples, ${size('pg_table_size')}::text as bytes,
       c.relkind as kind, c.relpersistence as persistence, c.relreplident as identity
     from tree join pg_class c on c.oid = tree.relid join pg_namespace n on n.oid = c.relnamespace
     where c.relkind not in ('p') order by c.oid`,
    [oid],
  );
}

function column(row: TextRow, form: Column['form']): Column {
  return {
    name: textOf(row, 'name'),
    attnum: Number(textOf(row, 'attnum')),
    typeName: textOf(row, 'type_name'),
    typeOid: Number(textOf(row, 'type')),
    typmod: Number(textOf(row, 'typmod')),
    notNull: isTrue(row, 'attnotnull'),
    generated: textOf(row, 'generated') !== '',
    form,
    ...(typeof row.base_type_name === 'string' ? { baseTypeName: row.base_type_name } : {}),
  };
}

function leaf(row: TextRow): Leaf {
  return {
    oid: Number(textOf(row, 'oid')),
    schema: textOf(row, 'schema'),
    name: textOf(row, 'name'),
    relfilenode: Number(textOf(row, 'relfilenode')),
    blocks: Number(textOf(row, 'blocks')),
  };
}

/** Leaves never analysed carry −1; one such leaf that holds anything makes the sum meaningless. */
function estimate(leaves: readonly TextRow[]): number {
  let sum = 0;
  for (const row of leaves) {
    const tuples = Number(textOf(row, 'tuples'));
    if (tuples < 0 && Number(textOf(row, 'blocks')) > 0) return -1;
    sum += Math.max(tuples, 0);
  }
  return sum;
}
