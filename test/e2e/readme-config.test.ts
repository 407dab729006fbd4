import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parse } from 'yaml';
import { assertNoLeaks } from '../support/leak-check.ts';
import { runRealign } from '../support/run-realign.ts';
import { deleteIndicesLike, elasticsearch, type FreshDatabase, freshDatabase, indicesLike, uniqueName } from '../support/servers.ts';

const README = join(import.meta.dirname, '..', '..', '..', 'README.md');
const prefix = uniqueName('readme');
let database: FreshDatabase;

interface Example {
  readonly version: number;
  readonly defaults: object;
  readonly indices: { readonly [alias: string]: { readonly table: string; readonly hold?: boolean } };
}

/** The config that the README shows, whole. */
function example(): Example {
  const [, text = ''] = /^## Config\n\n```yaml\n([\s\S]*?)^```$/m.exec(readFileSync(README, 'utf8')) ?? [];
  return parse(text) as Example;
}

before(async () => {
  database = await freshDatabase();
  await database.client.query(`
    create table public.products (id bigint primary key, name text);
    insert into public.products select g, 'n' || g from generate_series(1, 50) g;
    create function public.busy() returns boolean stable language sql as 'select false';
    create schema crm;
    create table crm.customers (tenant_id int, no int, full_name text, password_hash text, price numeric(10, 2), attributes jsonb, deleted_at timestamptz, primary key (no, tenant_id));
    create unique index on crm.customers (tenant_id, no);
    insert into crm.customers select g % 3, g, 'c' || g, 'secret', g + 0.25, '{"brand":"b"}', case when g % 10 = 0 then now() end from generate_series(1, 50) g`);
});

after(async () => {
  await deleteIndicesLike(`${prefix}*`);
  await database.drop();
});

test('the config that the README shows works on any Elasticsearch', async () => {
  const { version, defaults, indices } = example();
  // Under names of this test; nobody releases a hold here.
  const entries = Object.entries(indices).map(([alias, entry]) => [
    `${prefix}-${alias}`,
    { ...entry, ...(entry.hold === true ? { hold: false } : {}) },
  ]);
  const run = await runRealign({
    args: ['rebuild', '--all'],
    config: { version, defaults, indices: Object.fromEntries(entries) },
    databaseUrl: database.url,
  });
  assert.equal(run.code, 0, run.stdout);
  const { json } = await elasticsearch('GET', `/${prefix}-customers/_search?q=no:7`);
  assert.deepEqual(
    json.hits.hits.map(({ _id, _routing, _source }: { _id: string; _routing: string; _source: object }) => [_id, _routing, _source]),
    [['1:7', '1', { tenant_id: 1, no: 7, name: 'c7', price: 7.25, attributes: { brand: 'b' }, deleted_at: null, brand: 'b' }]],
  );
  await assertNoLeaks({ database, indices: [`${prefix}*`], allowedIndices: await indicesLike(`${prefix}*`) });
});
