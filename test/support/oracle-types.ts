import type pg from 'pg';

/** A type as the oracle sees it: what `to_jsonb` does not already render as the documents have it. */
export type OracleType =
  | { readonly kind: 'plain' | 'number' | 'timestamptz' | 'bytea' | 'oid' }
  | { readonly kind: 'array'; readonly element: OracleType }
  | { readonly kind: 'range' | 'multirange'; readonly bound: OracleType; readonly boundName: string }
  | { readonly kind: 'composite'; readonly attributes: ReadonlyMap<string, OracleType> };

interface TypeRow {
  readonly typname: string;
  readonly typtype: string;
  readonly element: number;
  readonly typbasetype: number;
  readonly typrelid: number;
  readonly subtype: number;
  readonly subname: string;
}

const TYPE = `select t.typname, t.typtype, t.typbasetype, t.typrelid,
    case when t.typcategory = 'A' then t.typelem else 0 end as element,
    coalesce(r.rngsubtype, m.rngsubtype, 0) as subtype,
    coalesce(r.rngsubtype, m.rngsubtype, 0)::regtype::text as subname
  from pg_type t left join pg_range r on r.rngtypid = t.oid left join pg_range m on m.rngmultitypid = t.oid where t.oid = $1`;

const ATTRIBUTES = 'select attname, atttypid from pg_attribute where attrelid = $1 and attnum > 0 and not attisdropped order by attnum';

const BASE: { readonly [name: string]: OracleType } = {
  int2: { kind: 'number' },
  int4: { kind: 'number' },
  int8: { kind: 'number' },
  float4: { kind: 'number' },
  float8: { kind: 'number' },
  numeric: { kind: 'number' },
  oid: { kind: 'oid' },
  bytea: { kind: 'bytea' },
  timestamptz: { kind: 'timestamptz' },
};

/** Attributes of a table or composite type in order. */
export async function attributesOf(client: pg.Client, relationOid: number): Promise<ReadonlyMap<string, OracleType>> {
  const { rows } = await client.query<{ attname: string; atttypid: number }>(ATTRIBUTES, [relationOid]);
  const attributes = new Map<string, OracleType>();
  for (const { attname, atttypid } of rows) attributes.set(attname, await oracleType(client, atttypid));
  return attributes;
}

async function oracleType(client: pg.Client, oid: number): Promise<OracleType> {
  const { rows } = await client.query<TypeRow>(TYPE, [oid]);
  const type = rows[0];
  if (type === undefined) throw new Error(`the oracle knows no type with OID ${oid}`);
  if (type.typtype === 'd') return oracleType(client, type.typbasetype);
  if (type.typtype === 'c') return { kind: 'composite', attributes: await attributesOf(client, type.typrelid) };
  if (type.typtype === 'r' || type.typtype === 'm') {
    const kind = type.typtype === 'r' ? 'range' : 'multirange';
    return { kind, bound: await oracleType(client, type.subtype), boundName: type.subname };
  }
  if (type.element !== 0) return { kind: 'array', element: await oracleType(client, type.element) };
  return BASE[type.typname] ?? { kind: 'plain' };
}
