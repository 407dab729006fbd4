import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertNoLeaks } from './leak-check.ts';
import { assertIndexEqualsTable, differencesOf } from './oracle.ts';
import { deleteIndicesLike, elasticsearch, type FreshDatabase, freshDatabase, uniqueName } from './servers.ts';

const TABLE = `
  create type mood as enum ('sad', 'ok');
  create type size as (width numeric, taken timestamptz);
  create domain positive as int8 check (value > 0);
  create table everything (
    id positive primary key, price numeric, ratio float8, mood mood, at timestamptz, local timestamp, day date, doc jsonb, raw bytea, flags boolean[],
    grid int[], times timestamptz[], span int4range, period tstzrange, spans int4multirange, size size, pair point, reg oid, code char(4), note text)`;

const ROWS = `insert into everything values
  (9007199254740993, 12.50, 'NaN', 'ok', '2024-01-02 03:04:05.123456+00', '2024-01-02 03:04:05.1', '2024-02-29', '{"b": 1.10, "a": 12345678901234567890}', '\\x0102ff',
   '{t,NULL,f}', '{{1,2},{3,4}}', '{"2024-01-02 00:00:00+00"}', '[1,5)', '["2024-01-02 00:00:00+00",)', '{[1,3),[5,7)}', row(1.5, '2024-01-02 00:00:00+00'), '(1,2)', 42,
   'ab', 'quote " and \\ and ü'),
  (2, '-0.00', 0, null, null, null, null, 'null', '', '{}', null, null, 'empty', null, '{}', null, null, null, null, '')`;

const FIRST =
  '{"id":9007199254740993,"price":12.50,"ratio":null,"mood":"ok","at":"2024-01-02T03:04:05.123456Z","local":"2024-01-02T03:04:05.1","day":"2024-02-29",' +
  '"doc":{"b": 1.10, "a": 12345678901234567890},"raw":"AQL/","flags":[true,null,false],"grid":[[1,2],[3,4]],"times":["2024-01-02T00:00:00Z"],' +
  '"span":{"gte":1,"lt":5},"period":{"gte":"2024-01-02T00:00:00Z"},"spans":[{"gte":1,"lt":3},{"gte":5,"lt":7}],' +
  '"size":{"width":1.5,"taken":"2024-01-02T00:00:00Z"},"pair":"(1,2)","reg":42,"code":"ab  ","note":"quote \\" and \\\\ and ü"}';

const SECOND =
  '{"id":2,"price":0,"ratio":0.0,"mood":null,"at":null,"local":null,"day":null,"doc":null,"raw":"","flags":[],"grid":null,"times":null,"span":null,' +
  '"period":null,"spans":[],"size":null,"pair":null,"reg":null,"code":null,"note":""}';

async function write(index: string, id: string, document: string): Promise<void> {
  const body = `${JSON.stringify({ index: { _index: index, _id: id } })}\n${document}\n`;
  const answer = await elasticsearch('POST', '/_bulk', body);
  assert.equal(answer.json.errors, false, answer.text);
}

describe('the oracle', () => {
  let database: FreshDatabase;
  const index = uniqueName('oracle');

  before(async () => {
    database = await freshDatabase();
    await database.client.query(`${TABLE}; ${ROWS}`);
    await elasticsearch('PUT', `/${index}`, { mappings: { enabled: false }, settings: { number_of_shards: 2, number_of_replicas: 0 } });
    await write(index, '9007199254740993', FIRST);
    await write(index, '2', SECOND);
  });

  after(async () => {
    await deleteIndicesLike(index);
    await assertNoLeaks({ database, indices: [index] });
    await database.drop();
  });

  it('accepts the documented form of every type', async () => {
    await assertIndexEqualsTable({ client: database.client, table: 'everything', index, onNonFinite: 'null' });
  });

  it('sees a digit beyond 2^53, a changed id, a missing document and an extra one', async () => {
    const request = { client: database.client, table: 'everything', index, onNonFinite: 'null' } as const;
    await write(index, '9007199254740993', FIRST.replace('9007199254740993', '9007199254740992'));
    assert.equal((await differencesOf(request)).length, 2);
    await write(index, '9007199254740993', FIRST);
    await write(index, 'two', SECOND);
    assert.deepEqual(
      (await differencesOf(request)).map((line) => line.slice(0, 17)),
      ['only in the index'],
    );
    await elasticsearch('DELETE', `/${index}/_doc/2`);
    assert.equal((await differencesOf(request)).length, 2);
  });
});
