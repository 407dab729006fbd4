import type { PgType } from '../core/encode/value-form.ts';
import { query, type Session, type TextRow, textOf } from './connect.ts';

/**
 * The rows of `pg_type` that the given types are made of: elements, base types, subtypes and attributes, followed to the end.
 * A true array is one that `array_out` prints: int2vector and oidvector have an element type too, but another text form.
 */
export async function readTypes(session: Session, typeOids: readonly number[]): Promise<ReadonlyMap<number, PgType>> {
  const rows = await query(session, { doing: 'reading the types of the table' }, CLOSURE, [`{${[...new Set(typeOids)].join(',')}}`]);
  return new Map(rows.map((row) => [Number(textOf(row, 'oid')), pgType(row)]));
}

/** The labels of all enums among the types, as one text for the fingerprint: renaming a label changes rows without a message (docs/servers.md P23). */
export async function readEnumLabels(session: Session, types: ReadonlyMap<number, PgType>): Promise<string> {
  const enums = [...types.values()].filter((type) => type.kind === 'e').map((type) => type.oid);
  const rows = await query(
    session,
    { doing: 'reading the enum labels' },
    `select coalesce(json_agg(json_build_array(enumtypid::text, enumlabel) order by enumtypid, enumsortorder), '[]')::text as labels
       from pg_enum where enumtypid = any($1::oid[])`,
    [`{${enums.join(',')}}`],
  );
  return textOf(rows[0], 'labels');
}

const CLOSURE = `
  with recursive parts(oid) as (
    select unnest($1::oid[])
    union
    select part.oid from parts join pg_type t on t.oid = parts.oid
      cross join lateral (
        select case when t.typoutput = 'array_out'::regproc then t.typelem end
        union all select nullif(t.typbasetype, 0)
        union all select r.rngsubtype from pg_range r where r.rngtypid = t.oid or r.rngmultitypid = t.oid
        union all select a.atttypid from pg_attribute a where t.typtype = 'c' and a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped
      ) as part(oid)
    where part.oid is not null
  )
  select t.oid::text, t.typname as name, n.nspname as schema, t.typtype as kind,
    case when t.typoutput = 'array_out'::regproc then t.typelem else 0 end::text as element,
    t.typdelim as delimiter, t.typbasetype::text as base,
    coalesce((select r.rngsubtype from pg_range r where r.rngtypid = t.oid or r.rngmultitypid = t.oid), 0)::text as subtype,
    coalesce((select json_agg(json_build_object('name', a.attname, 'typeOid', a.atttypid::int8) order by a.attnum)
      from pg_attribute a where t.typtype = 'c' and a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped), '[]')::text as attributes
  from parts join pg_type t on t.oid = parts.oid join pg_namespace n on n.oid = t.typnamespace`;

function pgType(row: TextRow): PgType {
  return {
    oid: Number(textOf(row, 'oid')),
    name: textOf(row, 'name'),
    schema: textOf(row, 'schema'),
    kind: textOf(row, 'kind') as PgType['kind'],
    elementOid: Number(textOf(row, 'element')),
    delimiter: textOf(row, 'delimiter'),
    baseOid: Number(textOf(row, 'base')),
    subtypeOid: Number(textOf(row, 'subtype')),
    attributes: JSON.parse(textOf(row, 'attributes')) as PgType['attributes'],
  };
}
