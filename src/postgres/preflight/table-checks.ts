import { meant } from '../../core/nearest-name.ts';
import { query, textOf } from '../connect.ts';
import { nearestTable } from '../nearest-table.ts';
import { quoteQualified } from '../quote.ts';
import { identityProblems, STREAMS_GENERATED } from '../replica-identity.ts';
import { type Check, fail, ok, tableCheck, warn } from './check.ts';

/** Why a relation of that `relkind` cannot be followed. */
const NOT_A_TABLE: Readonly<Record<string, readonly [kind: string, fix: string]>> = {
  v: ['a view', 'Name the table below it; a view has no WAL of its own.'],
  m: ['a materialized view', 'Name the table below it; a refresh of a materialized view is not in the stream.'],
  f: ['a foreign table', 'Run it on the server that holds the rows; their changes are not in the WAL of this one.'],
  i: ['an index', 'Name the table.'],
  S: ['a sequence', 'Name a table.'],
  c: ['a composite type', 'Name a table.'],
  t: ['a TOAST table', 'Name the table it belongs to.'],
  I: ['an index', 'Name the table.'],
};

export const checkTableKind: Check = async ({ session, relation, tableText }) => {
  if (relation === null) {
    const similar = meant(await nearestTable(session, tableText));
    const fix = 'Correct --table, or `table` in the config; names are quoted as in SQL: \'"Odd Schema"."Table"\'.';
    return [fail('table', `the table ${tableText} does not exist${similar}`, fix, ['table'])];
  }
  const other = NOT_A_TABLE[relation.kind];
  if (other !== undefined) return [fail('table', `${tableText} is ${other[0]}`, other[1], ['table'])];
  if (relation.persistence === 'u')
    return [fail('table', `${tableText} is unlogged: its changes are not in the WAL`, `alter table ${quoteQualified(relation)} set logged;`)];
  if (relation.persistence === 't') return [fail('table', `${tableText} is a temporary table`, 'Name a permanent table.')];
  return [ok('table', `${tableText}: ${relation.kind === 'p' ? 'partitioned table' : 'table'}`)];
};

/** Children are published under their own names and shapes, and their keys may collide with the parent's (docs/servers.md P17). */
export const checkInheritance = tableCheck(async ({ session, relation, tableText }) => {
  if (relation.kind === 'p') return [];
  const rows = await query(
    session,
    { doing: 'looking for inheritance' },
    `select (select count(*) from pg_inherits where inhparent = $1)::text as children,
       (select string_agg(inhparent::regclass::text, ', ') from pg_inherits i join pg_class p on p.oid = i.inhparent where inhrelid = $1 and p.relkind = 'r') as parents`,
    [relation.oid],
  );
  if (textOf(rows[0], 'children') === '0') return [];
  return [fail('inheritance', `${tableText} has inheritance children`, 'Build from a table without children, or turn it into a partitioned table.')];
});

export const checkPartitions = tableCheck(async ({ session, relation, tableText }) => {
  if (relation.kind !== 'p') return [];
  const rows = await query(
    session,
    { doing: 'looking at the partitions' },
    `select c.oid::regclass::text as name, case c.relkind when 'f' then 'a foreign table' else 'unlogged' end as reason
     from pg_partition_tree($1) tree join pg_class c on c.oid = tree.relid where c.relkind = 'f' or c.relpersistence <> 'p'`,
    [relation.oid],
  );
  return rows.map((row) =>
    fail(
      'partition',
      `${tableText}: partition ${textOf(row, 'name')} is ${textOf(row, 'reason')}; its changes are not in the WAL`,
      'Detach it, or make it a logged table.',
    ),
  );
});

export const checkKeyAndIdentity = tableCheck(async ({ session, relation, tableText, id }) => {
  const problems = await identityProblems(session, relation.oid, id);
  // A column that the table has not is one of the config's mistakes, told with the name that may be meant.
  const told = problems.filter(({ unknownColumn }) => unknownColumn !== true);
  if (problems.length > 0) return told.map(({ code, message, fix }) => fail(code, `${tableText}: ${message}`, fix, [id === null ? 'table' : 'id']));
  const identity = relation.identity === 'f' ? 'full' : relation.identity === 'i' ? 'index' : 'default';
  if (id !== null) return [ok('id', `${tableText}: id (${id.join(', ')}), replica identity ${identity}`)];
  const rows = await query(
    session,
    { doing: 'reading the primary key' },
    "select substring(pg_get_constraintdef(oid) from '\\((.*)\\)') as key from pg_constraint where conrelid = $1 and contype = 'p'",
    [relation.oid],
  );
  return [ok('primary-key', `${tableText}: primary key (${textOf(rows[0], 'key')}), replica identity ${identity}`)];
});

/** Those that the stream does not carry: every change is read again by key (docs/servers.md P18). */
export const checkGeneratedColumns = tableCheck(async ({ session, relation, tableText, excludedColumns }) => {
  const rows = await query(
    session,
    { doing: 'looking for generated columns' },
    `select string_agg(attname, ', ' order by attnum) as names from pg_attribute
     where attrelid = $1 and attnum > 0 and not attisdropped and attgenerated in (${session.version < STREAMS_GENERATED ? "'s', 'v'" : "'v'"}) and attname <> all (array(select json_array_elements_text($2::json)))`,
    [relation.oid, JSON.stringify(excludedColumns)],
  );
  const names = rows[0]?.names ?? null;
  if (names === null) return [];
  return [
    warn(
      'generated-columns',
      `${tableText}: generated columns (${names}) are not in the stream; each changed row is read again by key`,
      'Exclude them if the index does not need them.',
    ),
  ];
});
