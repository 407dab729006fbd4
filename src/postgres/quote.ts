/** The one place where names and values become SQL text: replication commands and COPY take no bind parameters (docs/servers.md P2). */

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

/** `t."a", t."b"`: columns by name, because a leaf partition may have them in another order than its root (docs/servers.md P16). */
export function quoteColumns(alias: string, columns: readonly ColumnOrSql[]): string {
  return columns.map((column) => quoteColumn(alias, column)).join(', ');
}

/** A column of a table, or the expression of a computed field. */
export interface ColumnOrSql {
  readonly name: string;
  readonly sql?: string | undefined;
}

/** `t."a"`, or the expression in parentheses; it names its columns without alias, or with `t`. */
export function quoteColumn(alias: string, { name, sql }: ColumnOrSql): string {
  return sql === undefined ? `${alias}.${quoteIdentifier(name)}` : quoteExpression(sql);
}

/**
 * An SQL expression of the config as one operand. The line ends keep a comment in it from swallowing what follows. Only for expressions that `checkExpressions` has
 * accepted: there the server itself has parsed each alone, so that none can reach out of its parentheses.
 */
export function quoteExpression(sql: string): string {
  return `(\n${sql}\n)`;
}

/** ` and (…)` for the config's filter, or nothing. */
export function andFilter(where: string | undefined): string {
  return where === undefined ? '' : ` and ${quoteExpression(where)}`;
}
