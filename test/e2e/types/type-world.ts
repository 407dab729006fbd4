import type pg from 'pg';
import type { IndexConfig } from '../../../src/core/plan/index-config.ts';
import { elasticsearch } from '../../support/servers.ts';
import { expectedJson } from './expected-json.ts';
import { TYPE_SCHEMA, type TypeCase } from './type-cases.ts';

/** Which way the three copies of a row come to the index. */
export const WAYS = ['load', 'stream', 'lookup'] as const;
export type Way = (typeof WAYS)[number];

const COPIES = 10_000;
/** Over the size at which PostgreSQL moves a value out of line; unchanged, it is left out of UPDATE messages, and the row must be looked up. */
const FILLER = 3000;

export const idOf = (row: number, way: Way): number => COPIES * WAYS.indexOf(way) + row;

/** The cases that this server can have; extensions may be missing. */
export async function usableCases(client: pg.Client, cases: readonly TypeCase[]): Promise<readonly TypeCase[]> {
  const { rows } = await client.query<{ name: string }>('select name from pg_available_extensions');
  const available = new Set(rows.map(({ name }) => name));
  return cases.filter(({ extension }) => extension === undefined || available.has(extension));
}

/** A table with one column for each case, owned by `owner`. */
export async function createTypeTable(client: pg.Client, cases: readonly TypeCase[], owner: string): Promise<void> {
  const extensions = [...new Set(cases.flatMap(({ extension }) => extension ?? []))];
  await client.query(`create schema app; create schema ext; grant usage on schema app, ext to ${owner}`);
  for (const extension of extensions) await client.query(`create extension ${extension} schema ext`);
  const columns = cases.map(({ name, sql }) => `"${name}" ${sql}`);
  await client.query(`${TYPE_SCHEMA} create table app.typed (id int primary key, touched int not null default 0, filler text, ${columns.join(', ')});
    alter table app.typed alter filler set storage external; alter table app.typed owner to ${owner}`);
}

/** Inserts a row by the literal texts of its values: what reads them is each type's own input function. */
export async function insertRow(client: pg.Client, cases: readonly TypeCase[], id: number, texts: readonly (string | null)[]): Promise<void> {
  const names = cases.map(({ name }) => `"${name}"`);
  const places = cases.map((_, i) => `$${i + 2}`);
  const sql = `insert into app.typed (id, filler, ${names.join(', ')}) values ($1, repeat('x', ${FILLER}), ${places.join(', ')})`;
  await client.query(sql, [id, ...texts]);
}

/** The field mappings of values that the inferred mapping does not take. */
export function storedFields(cases: readonly TypeCase[]): IndexConfig['fields'] {
  return Object.fromEntries(cases.filter(({ stored }) => stored).map(({ name }) => [name, { type: 'object', enabled: false }]));
}

const SETTINGS = `set local datestyle = 'ISO, YMD'; set local timezone = 'UTC'; set local intervalstyle = 'postgres'; set local extra_float_digits = 1;
  set local bytea_output = 'hex'; set local lc_monetary = 'C'; set local search_path = pg_catalog`;

/** For each id the exact JSON of every case's column, in the order of the cases. */
export async function expectedRows(client: pg.Client, cases: readonly TypeCase[]): Promise<ReadonlyMap<number, readonly string[]>> {
  const columns = cases.map(({ name, shape }) => `(${expectedJson(`t."${name}"`, shape)})::text`);
  await client.query(`begin; ${SETTINGS}`);
  const { rows } = await client.query<{ id: number; fields: readonly string[] }>(
    `select t.id, array[${columns.join(', ')}] as fields from app.typed t`,
  );
  await client.query('commit');
  return new Map(rows.map(({ id, fields }) => [id, fields]));
}

export interface StoredDocument {
  readonly version: bigint;
  /** The bytes of `_source` as they came. */
  readonly source: string;
}

const FOUND = ',"found":true,"_source":';

/** One document by its id, cut out of the answer without parsing it. */
export async function readDocument(index: string, id: number): Promise<StoredDocument> {
  const { status, text } = await elasticsearch('GET', `/${index}/_doc/${id}`);
  const at = text.indexOf(FOUND);
  const version = /"_version":(\d+)/.exec(text.slice(0, at))?.[1];
  if (status !== 200 || at < 0 || version === undefined) throw new Error(`document ${id}: ${status} ${text.slice(0, 300)}`);
  return { version: BigInt(version), source: text.slice(at + FOUND.length, -1) };
}

/** The document of a row, from the JSON of its cases. */
export function documentOf(cases: readonly TypeCase[], id: number, fields: readonly string[], touched: number): string {
  const pairs = cases.map(({ name }, i) => `,${JSON.stringify(name)}:${fields[i]}`);
  return `{"id":${id},"touched":${touched},"filler":"${'x'.repeat(FILLER)}"${pairs.join('')}}`;
}
