import { createHash } from 'node:crypto';
import { nameInSql } from '../core/table.ts';
import type { ReferenceRequest, ReferenceRow } from '../phases/ports.ts';
import { blockRanges, blocksToScan } from './block-ranges.ts';
import { NO_VALUE_OF_ITS_TYPE } from './can-be-keys.ts';
import { query, type Session, type TextRow, textOf } from './connect.ts';
import { hasExpressions } from './expression.ts';
import { inParts, keyValues, matchesKey, readKeyOperators } from './key-rows.ts';
import { andFilter, quoteColumn, quoteFromRelation, quoteIdentifier } from './quote.ts';
import { referenceExpression } from './reference-expression.ts';
import { beginUnder, endTransaction } from './snapshot-transaction.ts';
import type { FailureContext } from './sqlstate.ts';
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
  const row = `${rowSelect(request)} where ${matchesKey(request.key, operators)}${andFilter(request.where)}`;
  const readNamed = async (wanted: readonly (readonly string[])[]): Promise<readonly ReferenceRow[]> => {
    const found: ReferenceRow[] = [];
    for (const keys of inParts(wanted, KEYS_PER_STATEMENT))
      found.push(...(await run(session, request, `${select} from ${keyValues(request.key, keys)} cross join lateral (${row}) r`)));
    return found;
  };
  const found =
    'keys' in rows
      ? await readNamed(rows.keys)
      : ((await sampleBlocks(session, request, select, rows)) ?? (await readNamed(await sampleKeys(session, request, rows))));
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

interface Wanted {
  readonly random: number;
  readonly seed: string;
}

/** A sample of blocks; null if that is too few rows (a small table, one never analysed, a filter that few rows pass). */
async function sampleBlocks(session: Session, request: ReferenceRequest, select: string, wanted: Wanted): Promise<readonly ReferenceRow[] | null> {
  const { estimatedRows } = request.table;
  const percent = estimatedRows <= 0 ? 100 : Math.min(100, (wanted.random * OVERSAMPLING * 100) / estimatedRows);
  if (percent >= 100) return null;
  const tablesample = `tablesample system (${percent}) repeatable (${shortSeed(wanted.seed)})`;
  const order = `order by ${keyHash(request, wanted)} limit ${wanted.random}`;
  const rows = await run(session, request, `${select} from (${rowSelect(request, tablesample)} where true${andFilter(request.where)} ${order}) r`);
  return rows.length >= wanted.random ? rows : null;
}

/** The keys with the lowest hashes in the whole table, which may be read in parts. */
async function sampleKeys(session: Session, request: ReferenceRequest, wanted: Wanted): Promise<readonly (readonly string[])[]> {
  const { table, key, where } = request;
  const keys = key.map((column, i) => `t.${quoteIdentifier(column.name)}::text as c${i}`).join(', ');
  const scan = (range: string): string =>
    `select ${keys}, ${keyHash(request, wanted)} as hash from ${quoteFromRelation(table)} t where true${range}${andFilter(where)}`;
  await query(session, { doing: `locking ${nameInSql(table)}` }, `select from ${quoteFromRelation(table)} limit 0`);
  const blocks = await blocksToScan(session, table, contextOf(request), scan(''));
  let lowest: readonly HashedKey[] = [];
  for (const range of blockRanges(blocks, session.silenceMs)) {
    const rows = await query(session, contextOf(request), `${scan(range)} order by hash limit ${wanted.random}`);
    const found = rows.map((row) => ({ hash: BigInt(textOf(row, 'hash')), key: key.map((_, i) => textOf(row, `c${i}`)) }));
    lowest = [...lowest, ...found].sort(byHash).slice(0, wanted.random);
  }
  return lowest.map((one) => one.key);
}

interface HashedKey {
  readonly hash: bigint;
  readonly key: readonly string[];
}

const byHash = (a: HashedKey, b: HashedKey): number => (a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : 0);

function keyHash({ key }: ReferenceRequest, { seed }: Wanted): string {
  const texts = key.map((column) => `t.${quoteIdentifier(column.name)}::text`).join(', ');
  return `hashtextextended(concat_ws(E'\\x01', ${texts}), ${longSeed(seed)})`;
}

async function run(session: Session, request: ReferenceRequest, sql: string): Promise<readonly ReferenceRow[]> {
  const rows = await query(session, contextOf(request), sql);
  return rows.map((row) => referenceRow(request, row));
}

function contextOf({ table, fields, where }: ReferenceRequest): FailureContext {
  const columns = fields.map(({ column }) => column);
  const doing = `reading reference rows of ${nameInSql(table)}`;
  return { doing, expressions: hasExpressions({ columns, where }), overrides: NO_VALUE_OF_ITS_TYPE };
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
