import type { Finding } from '../../core/finding.ts';
import type { RowExpressions } from '../../core/plan/index-config.ts';
import { query, type Session, textOf } from '../connect.ts';
import { type ExpressionProblem, explainExpressions, problemOf } from '../expression.ts';
import { fail, ok, tableCheck, warn } from './check.ts';
import { functionNames, readsElsewhere } from './explained.ts';

/** The SQL of the config (`where`, `fields.….sql`), tried on the server: each mistake with its place in the expression, then what the replay could not follow. */
export const checkExpressions = tableCheck(async ({ session, relation, expressions }) => {
  const { where, computed } = expressions;
  const places = [
    ...(where === null ? [] : [{ place: 'where', sql: where, condition: true }]),
    ...Object.entries(computed).map(([field, sql]) => ({ place: `fields.${field}.sql`, sql, condition: false })),
  ];
  if (places.length === 0) return [];
  const table = { ...relation, partitioned: relation.kind === 'p' };
  const refused: Finding[] = [];
  for (const { place, sql, condition } of places) {
    const problem = await problemOf(session, table, sql, condition);
    if (problem !== null) refused.push(fail('expression', `${place}: ${problem.message}`, fixOf(problem)));
  }
  if (refused.length > 0) return refused;
  const plan = await explainExpressions(session, table, expressions);
  if (readsElsewhere(plan)) return [elsewhere(places.map(({ place }) => place))];
  const unsteady = await unsteadyFunctions(session, functionNames(plan));
  return unsteady.length > 0 ? [changing(expressions, unsteady)] : [ok('expression', `${places.map(({ place }) => place).join(', ')}: accepted`)];
});

function fixOf({ sqlstate }: ExpressionProblem): string {
  if (sqlstate === '42501') return 'Grant SELECT on the columns it names, and EXECUTE on its functions.';
  if (sqlstate === '42883' || sqlstate === '42704') {
    return 'Correct it in the config. Functions, types and operators outside pg_catalog need their schema: public.f(x), x::public.t, x operator(public.->) y.';
  }
  return 'Correct it in the config: one SQL expression over the columns of the row.';
}

function elsewhere(places: readonly string[]): Finding {
  return fail(
    'expression',
    `${places.join(', ')}: an expression reads other rows or tables, and a change there would not reach the index`,
    'Use the columns of the row only: no subqueries. A column kept by a trigger can hold what comes from elsewhere.',
  );
}

function changing({ where }: RowExpressions, unsteady: readonly string[]): Finding {
  const effect = where === null ? 'a value can change' : 'a value can change, or a row leave the filter,';
  return warn(
    'expression-volatility',
    `an expression uses what is not immutable (${unsteady.join(', ')}): ${effect} without any change of the row, and then the index does not follow`,
    'Use immutable functions of the columns only; never the present time or random values.',
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
