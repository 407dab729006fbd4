import assert from 'node:assert/strict';
import { LosslessNumber, parse } from 'lossless-json';
import type pg from 'pg';
import { attributesOf } from './oracle-types.ts';
import { canonicalText, expectedValue, type OraclePolicy } from './oracle-value.ts';
import { elasticsearch } from './servers.ts';

/**
 * The independent oracle: what is in the table by PostgreSQL's own `to_jsonb`, what is in the index by `_source`, compared as multisets of
 * documents. It shares no code with `src`. Writers must be quiet, or only those that the caller waited for have an effect.
 */
export interface OracleRequest {
  readonly client: pg.Client;
  /** As in SQL, quoted where needed. */
  readonly table: string;
  /** An index or alias. */
  readonly index: string;
  /** Columns that are not in the documents. */
  readonly exclude?: readonly string[];
  /** Column → field, where they differ. */
  readonly rename?: { readonly [column: string]: string };
  /** Field → SQL expression over the row. */
  readonly computed?: { readonly [field: string]: string };
  /** A condition on the rows, as in SQL. */
  readonly where?: string;
  readonly onNonFinite?: OraclePolicy;
  /** The expected `_id` of a row; the default checks it for keys of one column. */
  readonly idOf?: (keyTexts: readonly string[]) => string;
}

interface OracleDocument {
  readonly id: string | null;
  readonly text: string;
}

const PAGE = 2000;
const SETTINGS = `set local timezone = 'UTC'; set local datestyle = 'ISO, YMD'; set local intervalstyle = postgres; set local extra_float_digits = 3;
  set local bytea_output = hex; set local lc_monetary = 'C'; set local xmlbinary = base64; set local row_security = off`;

async function keyColumns(client: pg.Client, oid: number): Promise<readonly string[]> {
  const sql = `select a.attname from pg_index i cross join unnest(i.indkey) with ordinality k(attnum, place)
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum where i.indrelid = $1 and i.indisprimary order by k.place`;
  const { rows } = await client.query<{ attname: string }>(sql, [oid]);
  return rows.map(({ attname }) => attname);
}

async function tableOid(client: pg.Client, table: string): Promise<number> {
  const { rows } = await client.query<{ oid: number }>('select $1::regclass::oid as oid', [table]);
  return rows[0]?.oid ?? 0;
}

function defaultId(key: readonly string[]): string | null {
  return key.length === 1 ? (key[0] ?? null) : null;
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

async function readRows(request: OracleRequest): Promise<readonly OracleDocument[]> {
  const { client, table, exclude = [], rename = {}, computed = {}, onNonFinite = 'string' } = request;
  const oid = await tableOid(client, table);
  const columns = [...(await attributesOf(client, oid))].filter(([name]) => !exclude.includes(name));
  for (const field of Object.keys(computed)) columns.push([field, { kind: 'plain' }]);
  const document = ['to_jsonb(t.*)', ...Object.entries(computed).map(([field, sql]) => `jsonb_build_object('${field}', ${sql})`)].join(' || ');
  const keyTexts = (await keyColumns(client, oid)).map((name) => `t.${quote(name)}::text`);
  const sql = `select (${document})::text as document, array[${keyTexts.join(',')}]::text[] as key from ${table} t ${request.where ? `where ${request.where}` : ''}`;
  const { rows } = await client.query<{ document: string; key: readonly string[] }>(sql);
  return rows.map(({ document, key }) => {
    const row = parse(document) as { readonly [column: string]: unknown };
    const fields = columns.map(([name, type]) => [rename[name] ?? name, expectedValue(row[name], type, onNonFinite)] as const);
    return { id: (request.idOf ?? defaultId)(key), text: canonicalText(Object.fromEntries(fields)) };
  });
}

async function readTable(request: OracleRequest): Promise<readonly OracleDocument[]> {
  await request.client.query('begin transaction isolation level repeatable read read only');
  try {
    await request.client.query(SETTINGS);
    return await readRows(request);
  } finally {
    await request.client.query('rollback');
  }
}

interface Page {
  readonly pit_id: string;
  readonly _shards: { readonly failed: unknown; readonly total: unknown; readonly successful: unknown };
  readonly hits: { readonly hits: readonly { readonly _id: string; readonly _source: unknown; readonly sort: readonly unknown[] }[] };
}

async function readPage(pit: string, after: readonly unknown[] | null): Promise<Page> {
  const position =
    after === null ? '' : `,"search_after":[${after.map((value) => (value instanceof LosslessNumber ? value.toString() : JSON.stringify(value)))}]`;
  const body = `{"size":${PAGE},"track_total_hits":false,"sort":["_shard_doc"],"pit":{"id":${JSON.stringify(pit)},"keep_alive":"1m"}${position}}`;
  const answer = await elasticsearch('POST', '/_search?allow_partial_search_results=false', JSON.parse(body));
  assert.equal(answer.status, 200, answer.text.slice(0, 500));
  const page = parse(answer.text) as unknown as Page;
  assert.equal(String(page._shards.failed), '0');
  assert.equal(String(page._shards.successful), String(page._shards.total));
  return page;
}

/** Every document of the index after a refresh, read by a point in time. */
async function readIndex(index: string): Promise<readonly OracleDocument[]> {
  await elasticsearch('POST', `/${encodeURIComponent(index)}/_refresh`);
  const opened = await elasticsearch('POST', `/${encodeURIComponent(index)}/_pit?keep_alive=1m`);
  assert.equal(opened.status, 200, opened.text.slice(0, 500));
  let pit: string = opened.json.id;
  const documents: OracleDocument[] = [];
  for (let after: readonly unknown[] | null = null; ; ) {
    const page = await readPage(pit, after);
    pit = page.pit_id;
    documents.push(...page.hits.hits.map((hit) => ({ id: hit._id, text: canonicalText(hit._source) })));
    const last = page.hits.hits.at(-1);
    if (last === undefined) break;
    after = last.sort;
  }
  await elasticsearch('DELETE', '/_pit', { id: pit });
  return documents;
}

function tally(documents: readonly OracleDocument[], withId: boolean): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { id, text } of documents) {
    const key = withId ? `${JSON.stringify(id)} ${text}` : text;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** One line for each document that only one side has (a changed one gives two lines); empty = equal. */
export async function differencesOf(request: OracleRequest): Promise<readonly string[]> {
  const [rows, documents] = [await readTable(request), await readIndex(request.index)];
  const withId = rows.every(({ id }) => id !== null);
  const [wanted, found] = [tally(rows, withId), tally(documents, withId)];
  const differences: string[] = [];
  for (const key of new Set([...wanted.keys(), ...found.keys()])) {
    const surplus = (found.get(key) ?? 0) - (wanted.get(key) ?? 0);
    if (surplus !== 0) differences.push(`${surplus > 0 ? 'only in the index' : 'only in the table'}: ${key}`);
  }
  return differences.sort();
}

/** Fails unless the index holds exactly the table's rows as documents; names at most 20 differences. */
export async function assertIndexEqualsTable(request: OracleRequest): Promise<void> {
  const differences = await differencesOf(request);
  assert.deepEqual(differences.slice(0, 20), [], `${differences.length} differences between ${request.table} and ${request.index}`);
}
