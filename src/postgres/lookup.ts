import { CopyTextReader } from '../core/encode/copy-text.ts';
import { copyRow, type Row } from '../core/row.ts';
import { nameInSql } from '../core/table.ts';
import type { LookupRequest, LookupResult } from '../phases/ports.ts';
import { query, type Session } from './connect.ts';
import { startCopy } from './copy-out.ts';
import { hasExpressions } from './expression.ts';
import { inParts, type KeyOperators, keyValues, matchesKey, readKeyOperators } from './key-rows.ts';
import { andFilter, quoteColumns, quoteFromRelation } from './quote.ts';
import { beginUnder, endTransaction, readSnapshot } from './snapshot-transaction.ts';

const KEYS_PER_STATEMENT = 1000;
/**
 * One probe of the key's index for each key, whatever the statistics say: a plan that reads the whole table (a filter of the config that few rows seem to pass makes that look
 * cheap) would come again with every transaction of the replay.
 */
export const PROBE_THE_INDEX = ['hashjoin', 'mergejoin', 'seqscan', 'bitmapscan', 'material']
  .map((means, i) => `${i === 0 ? 'select' : ','} set_config('enable_${means}', 'off', true)`)
  .join('');

/**
 * The SELECT of a lookup, apart so that a test can EXPLAIN it. The row is computed in a subquery of its own, where an expression of the config sees the names of the table
 * and no others.
 */
export function lookupSelect(request: LookupRequest, operators: KeyOperators, keys: readonly (readonly string[])[]): string {
  const row = `select ${quoteColumns('t', request.columns)} from ${quoteFromRelation(request.table)} t
    where ${matchesKey(request.key, operators)}${andFilter(request.where)}`;
  return `select r.* from ${keyValues(request.key, keys)} cross join lateral (${row}) r`;
}

/** Reads rows by key through COPY, so that their texts are the same bytes as the load's and the stream's. All in one snapshot. */
export async function lookup(session: Session, request: LookupRequest): Promise<LookupResult> {
  const operators = await readKeyOperators(session, request.table, request.key);
  await beginUnder(session, request.snapshotName ?? null);
  const snapshot = await readSnapshot(session);
  await query(session, { doing: 'preparing a lookup' }, PROBE_THE_INDEX);
  const rows: Row[] = [];
  for (const keys of inParts(distinct(request.keys), KEYS_PER_STATEMENT))
    await readRows(session, lookupSelect(request, operators, keys), request, rows);
  await endTransaction(session);
  return { snapshot, rows };
}

function distinct(keys: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()];
}

async function readRows(session: Session, select: string, request: LookupRequest, rows: Row[]): Promise<void> {
  const reader = new CopyTextReader(request.columns.length);
  const copy = startCopy(session, { doing: `looking up rows of ${nameInSql(request.table)}`, expressions: hasExpressions(request) }, select);
  for await (const chunk of copy.chunks()) reader.push(chunk, (row) => rows.push(copyRow(row)));
  reader.end();
}
