import type { Finding } from '../../core/finding.ts';
import type { RowExpressions } from '../../core/plan/index-config.ts';
import { query, type Session, textOf } from '../connect.ts';
import { type ExpressionProblem, explainExpressions, problemOf, type SelectableRelation } from '../expression.ts';
import { fail, ok, tableCheck, warn } from './check.ts';
import { functionNames, readsElsewhere } from './explained.ts';

interface Expression {
  readonly place: string;
  readonly path: readonly string[];
  readonly sql: string;
  /** It must be a condition. */
  readonly condition: boolean;
}

function expressionsOf({ where, computed }: RowExpressions): readonly Expression[] {
  const filter = where === null ? [] : [{ place: 'where', path: ['where'], sql: where, condition: true }];
  const fields = Object.entries(computed).map(([field, sql]) => ({
    place: `fields.${field}.sql`,
    path: ['fields', field, 'sql'],
    sql,
    condition: false,
  }));
  return [...filter, ...fields];
}

/**
 * The SQL of the config (`where`, `fields.….sql`), tried on the server, each by itself: mistakes with their place in the expression, then what the
 * replay could not follow.
 */
export const checkExpressions = tableCheck(async ({ session, relation, expressions }) => {
  const table = { ...relation, partitioned: relation.kind === 'p' };
  const findings: Finding[] = [];
  const accepted: string[] = [];
  for (const expression of expressionsOf(expressions)) {
    const finding = await judge(session, table, expression);
    if (finding === null) accepted.push(expression.place);
    else findings.push(finding);
  }
  return accepted.length === 0 ? findings : [...findings, ok('expression', `${accepted.join(', ')}: accepted`)];
});

async function judge(session: Session, table: SelectableRelation, { place, path, sql, condition }: Expression): Promise<Finding | null> {
  const problem = await problemOf(session, table, sql, condition);
  if (problem !== null) return fail('expression', `${place}: ${problem.message}`, fixOf(problem), path);
  const plan = await explainExpressions(session, table, condition ? { where: sql, computed: {} } : { where: null, computed: { [place]: sql } });
  if (readsElsewhere(plan)) return elsewhere(place, path);
  const unsteady = await unsteadyFunctions(session, functionNames(plan));
  return unsteady.length === 0 ? null : changing({ place, path, condition }, unsteady);
}

function fixOf({ sqlstate }: ExpressionProblem): string {
  if (sqlstate === '42501') return 'Grant SELECT on the columns it names, and EXECUTE on its functions.';
  if (sqlstate === '42883' || sqlstate === '42704') {
    return 'Correct it in the config. Functions, types and operators outside pg_catalog need their schema: public.f(x), x::public.t, x operator(public.->) y.';
  }
  return 'Correct it in the config: one SQL expression over the columns of the row.';
}

function elsewhere(place: string, path: readonly string[]): Finding {
  return fail(
    'expression',
    `${place}: the expression reads other rows or tables, and a change there would not reach the index`,
    'Use the columns of the row only: no subqueries. A column kept by a trigger can hold what comes from elsewhere.',
    path,
  );
}

function changing({ place, path, condition }: Omit<Expression, 'sql'>, unsteady: readonly string[]): Finding {
  const effect = condition ? 'a row can leave or enter the filter' : 'its value can change';
  return warn(
    'expression-volatility',
    `${place} uses what is not immutable (${unsteady.join(', ')}): ${effect} without any change of the row, and then the index does not follow`,
    'Use immutable functions of the columns only; never the present time or random values.',
    path,
  );
}

/**
 * Functions that are not immutable. A built-in one counts only if no form of it is immutable: those with both kinds (date_trunc, extract) differ by the time zone, which every
 * session pins.
 */
async function unsteadyFunctions(session: Session, names: readonly string[]): Promise<readonly string[]> {
  const words = names.filter((name) => /^(current_|local|session_user|user$)/.test(name));
  const rows = await query(
    session,
    { doing: 'looking at the functions of the expressions' },
    `select distinct wanted as name from json_array_elements_text($1::json) as wanted
     where (select case when bool_and(n.nspname = 'pg_catalog') then bool_and(p.provolatile <> 'i') or bool_or(p.provolatile = 'v') else bool_or(p.provolatile <> 'i') end
       from pg_proc p join pg_namespace n on n.oid = p.pronamespace
       where case when array_length(parse_ident(wanted, false), 1) = 2
         then n.nspname = (parse_ident(wanted, false))[1] and p.proname = (parse_ident(wanted, false))[2]
         else n.nspname = 'pg_catalog' and p.proname = (parse_ident(wanted, false))[1] end)
     order by 1`,
    [JSON.stringify(names)],
  );
  return [...new Set([...words, ...rows.map((row) => textOf(row, 'name'))])];
}
