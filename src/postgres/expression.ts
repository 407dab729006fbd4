import type pg from 'pg';
import { formOf } from '../core/encode/form-of.ts';
import { type Finding, findingsOf } from '../core/finding.ts';
import type { RowExpressions } from '../core/plan/index-config.ts';
import { PreflightRefused } from '../core/plan/preflight-refused.ts';
import type { Column } from '../core/table.ts';
import { query, type Session, textOf } from './connect.ts';
import { type ColumnOrSql, quoteExpression, quoteFromRelation } from './quote.ts';
import { sqlstateOf } from './sqlstate.ts';
import { readTypes } from './types-catalog.ts';

const { fail } = findingsOf('postgres');

/** A relation as far as a SELECT from it needs it. */
export interface SelectableRelation {
  readonly schema: string;
  readonly name: string;
  readonly partitioned: boolean;
}

/** Why the server refuses an expression of the config. */
export interface ExpressionProblem {
  readonly sqlstate: string;
  /** PostgreSQL's own words, with the place in the expression where it gives one. */
  readonly message: string;
}

interface ExpressionType {
  readonly oid: number;
  readonly typmod: number;
}

const SYNTAX_ERROR = '42601';

/** True if the statement of the request computes SQL of the config. */
export function hasExpressions(request: { readonly columns: readonly ColumnOrSql[]; readonly where?: string | undefined }): boolean {
  return request.where !== undefined || request.columns.some(({ sql }) => sql !== undefined);
}

/**
 * The computed fields as columns with the types that the server gives them. Nothing of the config gets into a statement without having been here: throws `preflight-refused`
 * with everything that the server refuses, a filter included.
 */
export async function describeComputed(session: Session, table: SelectableRelation, { where, computed }: RowExpressions): Promise<readonly Column[]> {
  const refused: Finding[] = [];
  const problem = where === null ? null : await problemOf(session, table, where, true);
  if (problem !== null) refused.push(refusal(['where'], problem));
  const described: { readonly field: string; readonly sql: string; readonly type: ExpressionType }[] = [];
  for (const [field, sql] of Object.entries(computed)) {
    const answer = (await problemOf(session, table, sql, false)) ?? (await typeOf(session, table, sql));
    if ('sqlstate' in answer) refused.push(refusal(['fields', field, 'sql'], answer));
    else described.push({ field, sql, type: answer });
  }
  if (refused.length > 0) throw new PreflightRefused(refused);
  const types = await readTypes(
    session,
    described.map(({ type }) => type.oid),
  );
  const columns: Column[] = [];
  for (const { field, sql, type } of described) {
    const { oid: typeOid, typmod } = type;
    const typeName = await formatType(session, type);
    columns.push({ name: field, attnum: 0, typeName, typeOid, typmod, notNull: false, generated: false, form: formOf(typeOid, types), sql });
  }
  return columns;
}

function refusal(path: readonly string[], { message }: ExpressionProblem): Finding {
  return fail('expression', `${path.join('.')}: ${message}`, 'Correct the expression in the config.', path);
}

/**
 * Why the expression cannot stand for one value of one row, or null. The server parses it alone, by the protocol that takes one statement only, and in two kinds of
 * brackets: what is whole in both cannot end either of them, so that it can be put into any other statement. In WHERE the server refuses aggregates, window functions and
 * functions that return sets, which would not be about one row. `condition`: it must also be a boolean.
 */
export async function problemOf(session: Session, table: SelectableRelation, sql: string, condition: boolean): Promise<ExpressionProblem | null> {
  const from = `from ${quoteFromRelation(table)} t`;
  const unbalanced = await attempt(session, { before: `select ${from} where array[\n`, sql, after: '\n] is null limit 0' });
  if ('sqlstate' in unbalanced && unbalanced.sqlstate === SYNTAX_ERROR) return unbalanced;
  const used = await attempt(session, { before: `select ${from} where (\n`, sql, after: `\n)${condition ? '' : ' is null'} limit 0` });
  if ('sqlstate' in used) return used;
  if (condition) return null;
  const type = await typeOf(session, table, sql);
  return 'sqlstate' in type ? type : null;
}

/** What EXPLAIN says of reading the expressions from the table, as parsed JSON. The expressions must have passed `problemOf`. */
export async function explainExpressions(session: Session, table: SelectableRelation, { where, computed }: RowExpressions): Promise<unknown> {
  const select = Object.values(computed).map(quoteExpression).join(', ');
  const filter = where === null ? '' : `where ${quoteExpression(where)}`;
  const rows = await query(
    session,
    { doing: 'explaining the expressions of the config' },
    `explain (verbose, format json) select ${select} from ${quoteFromRelation(table)} t ${filter}`,
  );
  return JSON.parse(textOf(rows[0], 'QUERY PLAN'));
}

async function typeOf(session: Session, table: SelectableRelation, sql: string): Promise<ExpressionType | ExpressionProblem> {
  const answer = await attempt(session, { before: 'select (\n', sql, after: `\n) from ${quoteFromRelation(table)} t limit 0` });
  if ('sqlstate' in answer) return answer;
  const [field] = answer.fields;
  if (field === undefined || answer.fields.length !== 1) return { sqlstate: SYNTAX_ERROR, message: 'this is not one expression' };
  return { oid: field.dataTypeID, typmod: field.dataTypeModifier };
}

interface Attempt {
  readonly before: string;
  readonly sql: string;
  readonly after: string;
}

/** Parses and plans the statement without reading a row, in a read-only transaction that is rolled back. */
async function attempt(session: Session, { before, sql, after }: Attempt): Promise<pg.QueryResult | ExpressionProblem> {
  await query(session, { doing: 'trying an expression of the config' }, 'begin read only');
  try {
    // The extended protocol takes one statement only.
    return await session.client.query({ text: `${before}${sql}${after}`, queryMode: 'extended' } as pg.QueryConfig);
  } catch (error) {
    const sqlstate = sqlstateOf(error);
    if (sqlstate === null) throw error;
    return { sqlstate, message: worded(error as { readonly message: string; readonly position?: string }, before, sql) };
  } finally {
    if (session.lost === null) await query(session, { doing: 'trying an expression of the config' }, 'rollback');
  }
}

function worded({ message, position }: { readonly message: string; readonly position?: string }, before: string, sql: string): string {
  const at = position === undefined ? 0 : Number(position) - before.length;
  // The place is then our own bracket behind it.
  if (at > sql.length) return 'the expression is not complete: something is still open at its end';
  return at >= 1 ? `${message} (at character ${at})` : message;
}

async function formatType(session: Session, { oid, typmod }: ExpressionType): Promise<string> {
  const rows = await query(session, { doing: 'naming a type' }, 'select format_type($1::oid, $2::int) as name', [oid, typmod]);
  return textOf(rows[0], 'name');
}
