import type { ValueForm } from './encode/value-form.ts';

/** One column that goes into the document (or is part of the key), in the order of the SELECT list. */
export interface Column {
  readonly name: string;
  readonly attnum: number;
  /** PostgreSQL's own spelling of the declared type, from `format_type`, e.g. `numeric(12,2)`. */
  readonly typeName: string;
  readonly typeOid: number;
  readonly typmod: number;
  readonly notNull: boolean;
  /** Stored ones are in the stream from PostgreSQL 18 on, virtual ones never: documents are then built by lookup. */
  readonly generated: boolean;
  /** How its text becomes JSON. */
  readonly form: ValueForm;
  /** Only for a domain (or an array of one): the declared type it stands for, which decides the mapping. */
  readonly baseTypeName?: string;
  /** Only for a computed field: the SQL expression over the row, as the config has it, in place of a column; `name` is the field's name. */
  readonly sql?: string;
}

/** A relation that holds rows: the table itself, or one leaf partition. */
export interface Leaf {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly relfilenode: number;
  /** Heap size in 8 KiB blocks when it was read. */
  readonly blocks: number;
}

/** The source table as the catalog describes it. `columns` has every readable column; the document plan picks from them. */
export interface SourceTable {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly partitioned: boolean;
  readonly columns: readonly Column[];
  /** Names of the primary key columns in index order; empty if there is none. */
  readonly key: readonly string[];
  readonly replicaIdentity: 'default' | 'full' | 'index' | 'nothing';
  readonly leaves: readonly Leaf[];
  /** `reltuples` summed over the leaves; −1 if never analysed. */
  readonly estimatedRows: number;
  readonly bytes: number;
  /** A hash over everything whose change sends no row message (OIDs, columns and types, key, identity, persistence, partition set). */
  readonly fingerprint: string;
}

/**
 * The name of a relation as it is written in SQL, in the config and behind `--table`: with double quotes where they are needed, so that it can be
 * pasted.
 */
export function nameInSql({ schema, name }: { readonly schema: string; readonly name: string }): string {
  return [schema, name].map((part) => (/^[a-z_][a-z0-9_$]*$/.test(part) ? part : `"${part.replaceAll('"', '""')}"`)).join('.');
}
