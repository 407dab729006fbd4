import assert from 'node:assert/strict';
import type pg from 'pg';
import { connect, elasticsearch } from '../support/servers.ts';
import { randomOf, type Writer } from './writers.ts';

export const ROUTED = { routing: 'tenant_id', settings: { number_of_replicas: 0, number_of_shards: 3 } } as const;
const TENANTS = 9;

/** `orders`, whose documents are routed by the first column of the key; every seventh row has a TOASTed body. */
export function ordersSchema(rows: number): string {
  return `create table orders (tenant_id int, id int, name text, body text, primary key (tenant_id, id));
    alter table orders alter column body set storage external; create index on orders (id);
    insert into orders select 1 + g % ${TENANTS}, g, 'name ' || g, repeat(md5(g::text), case when g % 7 = 0 then 80 else 5 end) from generate_series(1, ${rows}) g;
    analyze orders`;
}

/** Exactly one document a row, each under the routing of its row, and all of a tenant found by its routing alone. */
export async function assertPlaces(client: pg.Client, index: string): Promise<void> {
  await elasticsearch('POST', `/${index}/_refresh`);
  const { json } = await elasticsearch('POST', `/${index}/_search?allow_partial_search_results=false`, { size: 10_000, _source: false });
  const hits: readonly { readonly _id: string; readonly _routing: string }[] = json.hits.hits;
  assert.equal(json.hits.total.value, hits.length, 'more documents than one answer holds');
  const { rows } = await client.query<{ place: string; tenant: string }>(
    `select tenant_id || ':' || id || ' in ' || tenant_id as place, tenant_id::text as tenant from orders`,
  );
  assert.deepEqual(hits.map(({ _id, _routing }) => `${_id} in ${_routing}`).sort(), rows.map(({ place }) => place).sort());
  for (const tenant of new Set(rows.map((row) => row.tenant))) {
    const counted = await elasticsearch('POST', `/${index}/_count?routing=${tenant}`, { query: { term: { tenant_id: tenant } } });
    assert.equal(counted.json.count, rows.filter((row) => row.tenant === tenant).length, `documents of tenant ${tenant} in its shard`);
  }
}

const MOST_COMMITS = 1500;

/** Writes random transactions until stopped, at most 1,500; a third of them moves rows to other tenants, and so to other shards. */
export function startOrdersWriter(url: string, seed: number, rows: number): Writer {
  const random = randomOf(seed);
  let stopped = false;
  const work = async (): Promise<number> => {
    const client = await connect(url);
    let commits = 0;
    try {
      for (; !stopped && commits < MOST_COMMITS; commits++) await writeTransaction(client, random, rows);
    } finally {
      await client.end();
    }
    return commits;
  };
  const finished = work();
  finished.catch(() => {});
  const stop = (): Promise<number> => {
    stopped = true;
    return finished;
  };
  return { stop };
}

async function writeTransaction(client: pg.Client, random: (below: number) => number, rows: number): Promise<void> {
  try {
    await client.query('begin');
    for (let i = 1 + random(4); i > 0; i--) await change(client, random, rows);
    await client.query(random(8) === 0 ? 'rollback' : 'commit');
  } catch (error) {
    await client.query('rollback');
    if (!['23505', '40P01', '25P02'].includes((error as { code?: string }).code ?? '')) throw error;
  }
}

async function change(client: pg.Client, random: (below: number) => number, rows: number): Promise<void> {
  const id = 1 + random(rows);
  const tenant = 1 + random(TENANTS);
  switch (random(8)) {
    case 0:
    case 1:
      await client.query('update orders set tenant_id = $2 where id = $1', [id, tenant]);
      return;
    case 2:
      await client.query('update orders set tenant_id = -tenant_id where id = $1', [id]);
      await client.query('update orders set tenant_id = $2, id = -$1::int where id = $1', [id, tenant]);
      await client.query('update orders set id = $1 where id = -$1::int', [id]);
      return;
    case 3:
      await client.query('delete from orders where id = $1', [id]);
      return;
    case 4:
      await client.query('delete from orders where id = $1', [id]);
      await client.query(`insert into orders values ($2, $1, 'again', 'b')`, [id, tenant]);
      return;
    case 5:
      await client.query(`insert into orders values ($2, $1, 'new', repeat('n', 3000)) on conflict do nothing`, [id, tenant]);
      return;
    case 6:
      await client.query('update orders set name = $2 where id = $1', [id, `u${random(1e9)}`]);
      return;
    default:
      await client.query('update orders set body = repeat($2, 400) where id = $1', [id, `x${random(1e6)} `]);
  }
}
