import type { PgType, ValueForm } from './value-form.ts';

const STRING: ValueForm = { kind: 'string' };

/**
 * Types whose form their OID decides; built-in OIDs never change (pg_type.dat). int2vector (22) and oidvector (30) are arrays for the catalog, but
 * print as `1 2 3`: strings.
 */
const BUILT_IN: ReadonlyMap<number, ValueForm> = new Map<number, ValueForm>([
  ...[20, 21, 23, 26, 700, 701, 1700].map((oid): [number, ValueForm] => [oid, { kind: 'number' }]),
  [16, { kind: 'boolean' }],
  [17, { kind: 'bytea' }],
  [22, STRING],
  [30, STRING],
  [114, { kind: 'json' }],
  [3802, { kind: 'json' }],
  [1082, { kind: 'date' }],
  [1114, { kind: 'timestamp' }],
  [1184, { kind: 'timestamptz' }],
]);

/**
 * The form of a type: domains are followed to their base, arrays, ranges, multiranges and composites into their parts. `types` must hold
 * every type reached that is not one of the plain built-in ones; an unknown type is a string, as its text always is.
 */
export function formOf(typeOid: number, types: ReadonlyMap<number, PgType>): ValueForm {
  const builtIn = BUILT_IN.get(typeOid);
  if (builtIn !== undefined) return builtIn;
  const type = types.get(typeOid);
  return type === undefined ? STRING : formOfType(type, types);
}

function formOfType(type: PgType, types: ReadonlyMap<number, PgType>): ValueForm {
  switch (type.kind) {
    case 'd':
      return formOf(type.baseOid, types);
    case 'r':
      return { kind: 'range', bound: formOf(type.subtypeOid, types) };
    case 'm':
      return { kind: 'multirange', bound: formOf(type.subtypeOid, types) };
    case 'c':
      return { kind: 'composite', attributes: type.attributes.map(({ name, typeOid }) => ({ name, form: formOf(typeOid, types) })) };
    case 'b':
      return formOfBase(type, types);
    case 'e':
    case 'p':
      return STRING;
  }
}

function formOfBase(type: PgType, types: ReadonlyMap<number, PgType>): ValueForm {
  if (type.elementOid !== 0) return { kind: 'array', element: formOf(type.elementOid, types), delimiter: type.delimiter === ';' ? ';' : ',' };
  return type.name === 'hstore' ? { kind: 'hstore' } : STRING;
}
