import { createHash } from 'node:crypto';
import type { ReferenceRequest, ReferenceRow } from '../phases/ports.ts';
import { NO_VALUE_OF_ITS_TYPE } from './can-be-keys.ts';
import { query, type Session, type TextRow, textOf } from './connect.ts';
import { hasExpressions } from './expression.ts';
import { inParts, keyValues, matchesKey, readKeyOperators } from './key-rows.ts';
import { andFilter, quoteColumn, quoteFromRelation, quoteIdentifier } from './quote.ts';
import { referenceExpression } from './reference-expression.ts';
import { beginUnder, endTransaction } from './snapshot-transaction.ts';
import { readTypes } from './types-catalog.ts';

const KEYS_PER_STATEMENT = 500;
/** The block sample is taken this much larger than asked, then thinned by a hash of the key, so that neighbours in a block do not crowd it. */
const OVERSAMPLING = 20;

/** Rows as PostgreSQL itself renders them in JSON: named ones, or a random sample that the seed repeats under the same snapshot. */
export async function readReference(session: Session, request: ReferenceRequest): Promise<readonly ReferenceRow[]> {
  const types = await readTypes(
    session,
    request.fields.map(({ column }) => column.typeOid),
  );
  const operators = await readKeyOperators(session, request.table, request.key);
  const values = request.fields.map(({ column }, i) => referenceExpression(`r.v${i}`, column.typeOid, types));
  const select = `select ${[...request.key.map((_, i) => `r.k${i}::text`), ...values].map((sql, i) => `${sql} as c${i}`).join(', ')}`;
  const { rows } = request;
  await beginUnder(session, request.snapshotName);
  const found: ReferenceRow[] = [];
  if ('keys' in rows) {
    for (const keys of inParts(rows.keys, KEYS_PER_STATEMENT)) {
      const row = `${rowSelect(request)} where ${matchesKey(request.key, operators)}${andFilter(request.where)}`;
      found.push(...(await run(session, request, `${select} from ${keyValues(request.key, keys)} cross join lateral (${row}) r`)));
    }
  } else found.push(...(await sample(session, request, select, rows)));
  await endTransaction(session);
  return found;
}

/** The key columns as `k0`, `k1`, … and the values of the fields as `v0`, `v1`, … of the row `t`; in a query of its own, so that an expression of the config sees no other names. */
function rowSelect({ table, key, fields }: ReferenceRequest, tablesample = ''): string {
  const columns = [
    ...key.map((column, i) => `${quoteColumn('t', column)} as k${i}`),
    ...fields.map(({ column }, i) => `${quoteColumn('t', column)} as v${i}`),
  ];
  return `select ${columns.join(', ')} from ${quoteFromRelation(table)} t ${tablesample}`;
}

/** A sample of blocks first; the whole table if that is too few rows (a small table, one never analysed, a filter that few rows pass). */
async function sample(
  session: Session,
  request: ReferenceRequest,
  select: string,
  wanted: { readonly random: number; readonly seed: string },
): Promise<readonly ReferenceRow[]> {
  const { estimatedRows } = request.table;
  const percent = estimatedRows <= 0 ? 100 : Math.min(100, (wanted.random * OVERSAMPLING * 100) / estimatedRows);
  if (percent < 100) {
    const rows = await run(
      session,
      request,
      `${select} ${sampled(request, wanted, `tablesample system (${percent}) repeatable (${shortSeed(wanted.seed)})`)}`,
    );
    if (rows.length >= wanted.random) return rows;
  }
  return run(session, request, `${select} ${sampled(request, wanted, '')}`);
}

function sampled(request: ReferenceRequest, wanted: { readonly random: number; readonly seed: string }, tablesample: string): string {
  const key = request.key.map((column) => `t.${quoteIdentifier(column.name)}::text`).join(`, `);
  const order = `hashtextextended(concat_ws(E'\\x01', ${key}), ${longSeed(wanted.seed)})`;
  return `from (${rowSelect(request, tablesample)} where true${andFilter(request.where)} order by ${order} limit ${wanted.random}) r`;
}

async function run(session: Session, request: ReferenceRequest, sql: string): Promise<readonly ReferenceRow[]> {
  const columns = request.fields.map(({ column }) => column);
  const context = {
    doing: `reading reference rows of ${request.table.schema}.${request.table.name}`,
    expressions: hasExpressions({ columns, where: request.where }),
    overrides: NO_VALUE_OF_ITS_TYPE,
  };
  const rows = await query(session, context, sql);
  return rows.map((row) => referenceRow(request, row));
}

function referenceRow(request: ReferenceRequest, row: TextRow): ReferenceRow {
  const offset = request.key.length;
  const fields = request.fields.map(({ field }, i) => `${JSON.stringify(field)}:${textOf(row, `c${offset + i}`)}`);
  return { key: request.key.map((_, i) => textOf(row, `c${i}`)), json: `{${fields.join(',')}}` };
}

function longSeed(seed: string): string {
  return `'${createHash('sha256').update(seed).digest().readBigInt64BE(0)}'::int8`;
}

function shortSeed(seed: string): number {
  return createHash('sha256').update(seed).digest().readUInt32BE(8);
}
