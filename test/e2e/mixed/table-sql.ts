import type { KeyKind, World } from './draw-world.ts';
import { TYPES_SQL } from './values.ts';

/** Enum keys need a label for each key, and some to move to. */
const LABELS = 1200;
/** Behind the rows: keys that are inserted later. */
export const SPARE_KEYS = 200;

interface KeyColumn {
  readonly name: string;
  readonly type: string;
  /** SQL of the value of the key number `g`, an integer expression; different numbers give different keys. */
  value(g: string): string;
}

const one = (type: string, value: KeyColumn['value']): readonly KeyColumn[] => [{ name: 'k', type, value }];

/** In the order of the primary key; `Ke`, `ke`, `ké` and its decomposed form are four keys. */
const KEY_COLUMNS: { readonly [kind in KeyKind]: readonly KeyColumn[] } = {
  bigint: one('bigint', (g) => `9007199254740993 + ${g}`),
  uuid: one('uuid', (g) => `md5((${g})::text)::uuid`),
  text: one('text', (g) => String.raw`(array['Key: ', 'key: ', 'kéy: ', U&'ke\0301y: '])[1 + abs(${g}) % 4] || (${g}) / 4`),
  enum: one('label', (g) => `('V' || ${g})::label`),
  numeric: one('numeric', (g) => `((${g}) || '.' || repeat('0', abs(${g}) % 3))::numeric`),
  timestamptz: one('timestamptz', (g) => `timestamptz '2001-02-03 04:05:06.7Z' + (${g}) * interval '1.000001 s'`),
  composite: [
    { name: 'b', type: 'int', value: (g) => `(${g}) % 5` },
    { name: 'a', type: 'text', value: (g) => String.raw`'x:' || (${g}) || '\'` },
  ],
};

export const hasSpot = ({ shape }: World): boolean => shape !== 'plain' && shape !== 'hash';
export const keyColumns = ({ key }: World): readonly KeyColumn[] => KEY_COLUMNS[key];

/** `k = …` for the key number `g`; with a partition column there may be several such rows. */
export const matches = (world: World, g: string): string =>
  keyColumns(world)
    .map(({ name, value }) => `${name} = ${value(g)}`)
    .join(' and ');

export const setKey = (world: World, g: string): string =>
  keyColumns(world)
    .map(({ name, value }) => `${name} = ${value(g)}`)
    .join(', ');

/** Column → SQL of its value in the row of key number `g`, made of the integer expression `h`. */
export function rowValues(world: World, g: string, h: string): ReadonlyMap<string, string> {
  return new Map([
    ...keyColumns(world).map(({ name, value }) => [name, value(g)] as const),
    ...(hasSpot(world) ? [['spot', `${h} % 5`] as const] : []),
    ['n', `${h} % 1000`],
    ['code', codeOf(h)],
    ['deleted_at', `case when ${h} % 4 = 0 then timestamptz '2024-01-01 00:00Z' end`],
    ['body', `case when ${h} % 7 = 0 then null else repeat(md5((${h})::text), 1 + ${h} % 90) end`],
    ...world.values.map(({ name, value }) => [name, `case when ${h} % 11 = 0 then null else ${value(h)} end`] as const),
  ]);
}

/** A date, as the mapping of the field wants it. */
export const codeOf = (h: string): string => `(date '2024-01-01' + ${h} % 360)::text`;

/** Rows `[from, to]`; `h` may use the key number, which is `g` there. */
export function insertRows(world: World, range: { readonly from: number; readonly to: number }, h: string): string {
  const row = rowValues(world, 'g', `(${h})`);
  return `insert into t (${[...row.keys()].join(', ')}) select ${[...row.values()].join(', ')} from generate_series(${range.from}, ${range.to}) g`;
}

/** Types, the table with its partitions and identity, and its rows. */
export function tableSql(world: World): string {
  return [
    TYPES_SQL,
    `create type label as enum (${Array.from({ length: LABELS }, (_, i) => `'V${i}'`).join(', ')})`,
    `create table t (${world.shape === 'plain' ? 'junk int, ' : ''}${[...columnsSql(world), `primary key (${keyNames(world).join(', ')})`].join(', ')})${partitionBy(world)}`,
    world.shape === 'plain' ? 'alter table t drop column junk' : '',
    ...partitionsSql(world),
    'alter table t alter body set storage external',
    ...identitySql(world),
    insertRows(world, { from: 1, to: world.rows }, 'g * 7919 % 1000003'),
  ]
    .filter((statement) => statement !== '')
    .join(';\n');
}

function keyNames(world: World): readonly string[] {
  const names = keyColumns(world).map(({ name }) => name);
  if (!hasSpot(world)) return names;
  return world.spotFirst ? ['spot', ...names] : [...names, 'spot'];
}

function columnsSql(world: World): readonly string[] {
  // Not in the order of the key.
  const key = keyColumns(world)
    .map(({ name, type }) => `${name} ${type} not null`)
    .toReversed();
  const generated = ['twice bigint generated always as (n * 2::bigint) stored', 'shout text generated always as (upper(body)) stored'];
  return [
    'n int not null default 0',
    ...key,
    ...(hasSpot(world) ? ['spot int not null'] : []),
    'code text',
    'deleted_at timestamptz',
    'body text',
    "spare text default 's'",
    ...world.values.map(({ name, type }) => `${name} ${type}`),
    ...(world.generated ? generated : []),
  ];
}

function partitionBy(world: World): string {
  if (world.shape === 'plain') return '';
  if (world.shape === 'hash') return ` partition by hash (${keyColumns(world)[0]?.name})`;
  return ` partition by ${world.shape === 'list' ? 'list' : 'range'} (spot)`;
}

function partitionsSql(world: World): readonly string[] {
  const first = keyColumns(world)[0]?.name;
  // A partition with its columns in another order: the stream has the root's.
  const attached = (bounds: string): readonly string[] => [
    `create table t_other (${columnsSql(world).toReversed().join(', ')})`,
    `alter table t attach partition t_other ${bounds}`,
  ];
  switch (world.shape) {
    case 'plain':
      return [];
    case 'hash':
      return [
        'create table t_0 partition of t for values with (modulus 3, remainder 0)',
        'create table t_1 partition of t for values with (modulus 3, remainder 1)',
        ...attached('for values with (modulus 3, remainder 2)'),
      ];
    case 'range':
      return [
        'create table t_0 partition of t for values from (minvalue) to (1)',
        ...attached('for values from (1) to (3)'),
        'create table t_d partition of t default',
      ];
    case 'list':
      return ['create table t_0 partition of t for values in (0)', ...attached('for values in (1, 2)'), 'create table t_d partition of t default'];
    case 'two-levels':
      return [
        `create table t_0 partition of t for values from (minvalue) to (2) partition by hash (${first})`,
        'create table t_00 partition of t_0 for values with (modulus 2, remainder 0)',
        'create table t_01 partition of t_0 for values with (modulus 2, remainder 1)',
        ...attached('for values from (2) to (4)'),
        'create table t_d partition of t default',
      ];
  }
}

/** Each leaf has an identity of its own. */
function identitySql(world: World): readonly string[] {
  if (world.identity === 'default') return [];
  const index = `(select i.indexrelid::regclass from pg_index i where i.indrelid = leaf and not i.indisprimary and i.indisunique)`;
  const how = world.identity === 'full' ? `'full'` : `'using index ' || ${index}`;
  const loop = `do $$ declare leaf regclass; begin
    for leaf in select c.oid from (select relid from pg_partition_tree('t') union select 't'::regclass) tree join pg_class c on c.oid = relid where relkind = 'r' loop
      execute 'alter table ' || leaf || ' replica identity ' || ${how}; end loop; end $$`;
  return world.identity === 'full' ? [loop] : [`create unique index t_identity on t (n, ${keyNames(world).join(', ')})`, loop];
}
