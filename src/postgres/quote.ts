/** The one place where names and values become SQL text: replication commands and COPY take no bind parameters (facts/postgres 1.2). */

/** `"name"` with inner quotes doubled. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** `'text'` with inner quotes doubled; right only with `standard_conforming_strings = on`, which every session pins. */
export function quoteLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** `"schema"."name"`. */
export function quoteQualified(relation: { readonly schema: string; readonly name: string }): string {
  return `${quoteIdentifier(relation.schema)}.${quoteIdentifier(relation.name)}`;
}

/** `only "schema"."name"` for a plain table, so that inheritance children never mix in; a partitioned table is read through its root. */
export function quoteFromRelation(relation: { readonly schema: string; readonly name: string; readonly partitioned: boolean }): string {
  return relation.partitioned ? quoteQualified(relation) : `only ${quoteQualified(relation)}`;
}

/** `t."a", t."b"`: columns by name, because a leaf partition may have them in another order than its root (facts/postgres 4.2). */
export function quoteColumns(alias: string, columns: readonly { readonly name: string }[]): string {
  return columns.map((column) => `${alias}.${quoteIdentifier(column.name)}`).join(', ');
}
