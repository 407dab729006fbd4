/**
 * How the text of a PostgreSQL value becomes JSON text (docs/types.md). Composite types name their attributes in order; a domain has
 * the form of its base type.
 */
export type ValueForm =
  | { readonly kind: 'number' }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'string' }
  | { readonly kind: 'date' }
  | { readonly kind: 'timestamp' }
  | { readonly kind: 'timestamptz' }
  | { readonly kind: 'json' }
  | { readonly kind: 'bytea' }
  | { readonly kind: 'hstore' }
  | { readonly kind: 'array'; readonly element: ValueForm; readonly delimiter: ',' | ';' }
  | { readonly kind: 'range'; readonly bound: ValueForm }
  | { readonly kind: 'multirange'; readonly bound: ValueForm }
  | { readonly kind: 'composite'; readonly attributes: readonly CompositeAttribute[] };

export interface CompositeAttribute {
  readonly name: string;
  readonly form: ValueForm;
}

/** One row of `pg_type`, with what `formOf` needs to follow it. */
export interface PgType {
  readonly oid: number;
  readonly name: string;
  readonly schema: string;
  /** `typtype`: base, composite, domain, enum, pseudo, range, multirange. */
  readonly kind: 'b' | 'c' | 'd' | 'e' | 'p' | 'r' | 'm';
  /** The element type of a true array (`typcategory = 'A'` and `typelem ≠ 0`), else 0. */
  readonly elementOid: number;
  readonly delimiter: string;
  readonly baseOid: number;
  /** The subtype of a range or of a multirange's range, else 0. */
  readonly subtypeOid: number;
  readonly attributes: readonly { readonly name: string; readonly typeOid: number }[];
}
