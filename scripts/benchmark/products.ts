import type pg from 'pg';
import { randomOf } from '../../test/e2e/writers.ts';

const WORDS = 30_000;
const SENTENCES = 4000;
const SYLLABLES = ['ka', 'lo', 'mi', 'ner', 'tos', 'vi', 'dra', 'quel', 'über', 'ñan', 'sta', 'pro', 'fen', 'gul', 'ha', 'ri'];

/** Zipf-like: low numbers come often. */
function word(random: (below: number) => number): string {
  let rest = Math.floor(WORDS * (random(1_000_000) / 1_000_000) ** 3);
  let text = '';
  do {
    text += SYLLABLES[rest % SYLLABLES.length];
    rest = Math.floor(rest / SYLLABLES.length);
  } while (rest > 0);
  return text;
}

function sentence(random: (below: number) => number): string {
  const words = Array.from({ length: 11 }, () => word(random));
  if (random(6) === 0) words[3] = `"${words[3]}"`;
  return `${words.join(' ')}${random(5) === 0 ? '\n' : '.'}`;
}

/**
 * The `products` table of the performance notes: 11 columns, about 660 bytes a row as COPY text and 865 as bulk NDJSON, words by a Zipf-like law with quotes, newlines and
 * UTF-8; the same seed gives the same rows.
 */
export async function createProducts(client: pg.Client, rows: number, seed: number): Promise<void> {
  const random = randomOf(seed);
  const sentences = Array.from({ length: SENTENCES }, () => sentence(random));
  await client.query(`drop table if exists products;
    create table products (id bigint primary key, sku varchar(20), title text, description text, price numeric(12,2), tags text[], attrs jsonb,
      category_id int, in_stock bool, created_at timestamptz, updated_at timestamptz)`);
  await client.query('create temporary table pool (n int primary key, s text)');
  await client.query('insert into pool select ordinality, s from unnest($1::text[]) with ordinality u(s, ordinality)', [sentences]);
  const pick = (salt: number): string => `(select s from pool where n = 1 + abs(hashint8(g * 31::bigint + ${salt})) % ${SENTENCES})`;
  await client.query(`insert into products select g, 'SKU-' || lpad((g * 7919::bigint % 100000000)::text, 8, '0'), left(${pick(1)}, 60),
      ${[2, 3, 4, 5].map(pick).join(` || ' ' || `)}, (abs(hashint8(g)) % 1000000) / 100.0, array['t' || g % 50, 'tag ' || g % 7, 'x' || g % 300],
      jsonb_build_object('brand', 'b' || g % 400, 'size', g % 60, 'weight', (g % 1000) / 10.0, 'color', left(md5(g::text), 6)),
      g % 500, g % 3 = 0, timestamptz '2020-01-01 00:00:00+00' + g * interval '17.123456 seconds', timestamptz '2024-01-01 00:00:00+00' + g * interval '3 seconds'
    from generate_series(1, ${rows}) g`);
  await client.query('drop table pool');
  await client.query('vacuum analyze products');
}

/** What the notes used: attrs as flattened, everything else as inferred. */
export const PRODUCT_FIELDS = {
  attrs: { type: 'flattened' },
  title: { type: 'text' },
  description: { type: 'text' },
  tags: { type: 'keyword' },
} as const;

/** The mapping that realign makes of them, for the indices of the other cases. */
export const PRODUCT_MAPPING = {
  dynamic: 'strict',
  properties: {
    id: { type: 'long' },
    sku: { type: 'keyword' },
    title: { type: 'text' },
    description: { type: 'text' },
    price: { type: 'double' },
    tags: { type: 'keyword' },
    attrs: { type: 'flattened' },
    category_id: { type: 'integer' },
    in_stock: { type: 'boolean' },
    created_at: { type: 'date' },
    updated_at: { type: 'date' },
  },
};
