import { CopyTextReader } from '../core/encode/copy-text.ts';
import { copyRow, type Row } from '../core/row.ts';
import type { LookupRequest, LookupResult } from '../phases/ports.ts';
import type { Session } from './connect.ts';
import { startCopy } from './copy-out.ts';
import { inParts, joinKeys, type KeyOperators, readKeyOperators } from './key-rows.ts';
import { quoteColumns, quoteFromRelation } from './quote.ts';
import { beginUnder, endTransaction, readSnapshot } from './snapshot-transaction.ts';

const KEYS_PER_STATEMENT = 1000;

/** The SELECT of a lookup, apart so that a test can EXPLAIN it. */
export function lookupSelect(request: LookupRequest, operators: KeyOperators, keys: readonly (readonly string[])[]): string {
  return `select ${quoteColumns('t', request.columns)} from ${quoteFromRelation(request.table)} t ${joinKeys(request.key, operators, keys)}`;
}

/** Reads rows by key through COPY, so that their texts are the same bytes as the load's and the stream's. All in one snapshot. */
export async function lookup(session: Session, request: LookupRequest): Promise<LookupResult> {
  const operators = await readKeyOperators(session, request.table, request.key);
  await beginUnder(session, request.snapshotName ?? null);
  const snapshot = await readSnapshot(session);
  const rows: Row[] = [];
  for (const keys of inParts(request.keys, KEYS_PER_STATEMENT)) await readRows(session, lookupSelect(request, operators, keys), request, rows);
  await endTransaction(session);
  return { snapshot, rows };
}

async function readRows(session: Session, select: string, request: LookupRequest, rows: Row[]): Promise<void> {
  const reader = new CopyTextReader(request.columns.length);
  const copy = startCopy(session, { doing: `looking up rows of ${request.table.schema}.${request.table.name}` }, select);
  for await (const chunk of copy.chunks()) reader.push(chunk, (row) => rows.push(copyRow(row)));
  reader.end();
}
