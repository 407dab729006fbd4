import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Source } from '../../../src/phases/ports.ts';
import { assertNoLeaks } from '../../support/leak-check.ts';
import { deleteIndicesLike, elasticsearch, type FreshDatabase, freshDatabase } from '../../support/servers.ts';
import { buildInProcess, type InProcessRun, uniqueAlias } from '../in-process.ts';
import { readDocument, WAYS, type Way } from './type-world.ts';

type Policy = 'reject' | 'null' | 'string';

interface Poison {
  readonly column: string;
  readonly input: string;
  /** What stands in the document under `null` and `string`; null: Elasticsearch itself refuses the row, whatever the policy. */
  readonly instead: { readonly null: string; readonly string: string } | null;
}

const STORED = { type: 'object', enabled: false };
const COLUMNS: readonly (readonly [name: string, sql: string])[] = [
  ['n', 'numeric'],
  ['f', 'float8'],
  ['g', 'float4'],
  ['d', 'date'],
  ['ts', 'timestamp'],
  ['tz', 'timestamptz'],
  ['r', 'tstzrange'],
  ['a', 'numeric[]'],
  ['c', 'pair'],
  ['j', 'json'],
  ['b', 'jsonb'],
];

const plain = (column: string, input: string, text = input): Poison => ({ column, input, instead: { null: 'null', string: JSON.stringify(text) } });

const POISONS: readonly Poison[] = [
  plain('n', `1${'0'.repeat(1000)}`),
  plain('n', `0.${'1'.repeat(16383)}`),
  plain('n', `-${'9'.repeat(131072)}`),
  plain('n', 'NaN'),
  plain('n', '-Infinity'),
  plain('f', 'NaN'),
  plain('f', 'Infinity'),
  plain('g', '-Infinity'),
  plain('d', 'infinity'),
  plain('d', '0044-03-15 BC'),
  plain('d', '10000-01-01'),
  plain('ts', '-infinity'),
  plain('ts', '294276-12-31 23:59:59.999999'),
  plain('tz', '4714-11-24 00:00:00+00 BC'),
  plain('tz', 'infinity'),
  {
    column: 'r',
    input: '[2024-01-01 00:00+00,infinity]',
    instead: { null: '{"gte":"2024-01-01T00:00:00Z","lte":null}', string: '{"gte":"2024-01-01T00:00:00Z","lte":"infinity"}' },
  },
  { column: 'a', input: '{1.0,NaN,NULL}', instead: { null: '[1.0,null,null]', string: '[1.0,"NaN",null]' } },
  { column: 'c', input: '(1,infinity)', instead: { null: '{"x":1,"at":null}', string: '{"x":1,"at":"infinity"}' } },
  { column: 'j', input: '{"a":1,"a":2}', instead: null },
  { column: 'b', input: `{"a":1e${1000}}`, instead: null },
  { column: 'b', input: `${'['.repeat(1001)}${']'.repeat(1001)}`, instead: null },
];

const idOf = (row: number, way: Way): number => 1000 * WAYS.indexOf(way) + row;
/** Every poisoned row has a healthy neighbour. */
const HEALTHY = 500;

let database: FreshDatabase;

before(async () => {
  database = await freshDatabase();
  const columns = COLUMNS.map(([name, sql]) => `${name} ${sql}`).join(', ');
  await database.client.query(`create type pair as (x float8, at timestamptz);
    create table odd (id int primary key, touched int default 0, filler text default repeat('x', 3000), ${columns}); alter table odd alter filler set storage external`);
});

after(() => database.drop());

async function insertRows(way: Way): Promise<void> {
  for (const [row, { column, input }] of POISONS.entries()) {
    await database.client.query(`insert into odd (id, ${column}) values ($1, $2)`, [idOf(row, way), input]);
    await database.client.query('insert into odd (id, n) values ($1, 1.50)', [idOf(row, way) + HEALTHY]);
  }
}

function writeFirst(source: Source): Source {
  let written: Promise<unknown> | null = null;
  const write = async (): Promise<void> => {
    await insertRows('stream');
    await database.client.query('update odd set touched = 1 where id >= $1', [idOf(0, 'lookup')]);
  };
  return {
    ...source,
    openChunk: async (request) => {
      written ??= write();
      await written;
      return source.openChunk(request);
    },
  };
}

async function build(alias: string, policy: Policy): Promise<InProcessRun> {
  await database.client.query('truncate odd');
  await insertRows('load');
  await insertRows('lookup');
  return buildInProcess({
    database,
    alias,
    table: 'public.odd',
    config: { onNonFinite: policy, onUnrepresentable: policy, fields: Object.fromEntries(COLUMNS.map(([name]) => [name, STORED])) },
    options: { maxRejects: 3 * POISONS.length, bulkBytes: 1 << 22 },
    wrapSource: writeFirst,
  });
}

async function assertAbsent(index: string, id: number, what: string): Promise<void> {
  const { status } = await elasticsearch('GET', `/${index}/_doc/${id}`);
  assert.equal(status, 404, what);
}

async function fieldOf(index: string, id: number, column: string): Promise<string> {
  const { source } = await readDocument(index, id);
  const names = COLUMNS.map(([name]) => name);
  const from = source.indexOf(`"${column}":`) + column.length + 3;
  const next = names[names.indexOf(column) + 1];
  return source.slice(from, next === undefined ? -1 : source.indexOf(`,"${next}":`, from));
}

for (const policy of ['reject', 'null', 'string'] as const) {
  test(`values that Elasticsearch cannot hold, by all three ways, under ${policy}`, async () => {
    const alias = uniqueAlias();
    try {
      const { result, rejects } = await build(alias, policy);
      const rejected = new Map(rejects.map((record) => [record.id, record]));
      for (const way of WAYS) {
        for (const [row, { column, input, instead }] of POISONS.entries()) {
          const id = idOf(row, way);
          const what = `${column} ${input.slice(0, 40)} by ${way}`;
          assert.equal(await fieldOf(result.index, id + HEALTHY, 'n'), '1.50', `the neighbour of ${what}`);
          if (policy !== 'reject' && instead !== null) {
            assert.equal(await fieldOf(result.index, id, column), instead[policy], what);
            assert.equal(rejected.has(String(id)), false, what);
            continue;
          }
          await assertAbsent(result.index, id, what);
          // Elasticsearch names no column.
          assert.equal(rejected.get(String(id))?.column, instead === null ? undefined : column, what);
          assert.ok(input.length < 20 || !rejected.get(String(id))?.reason.includes(input), what);
        }
      }
      const refused = POISONS.filter(({ instead }) => policy === 'reject' || instead === null).length;
      assert.equal(rejects.length, 3 * refused);
      await assertNoLeaks({ database, indices: [`${alias}*`], allowedIndices: [result.index] });
    } finally {
      await deleteIndicesLike(`${alias}*`);
    }
  });
}
