import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { assertNoLeaks } from '../support/leak-check.ts';
import { assertIndexEqualsTable } from '../support/oracle.ts';
import { type RealignRequest, runRealign, startRealign } from '../support/run-realign.ts';
import { deleteIndicesLike, elasticsearch, type FreshDatabase, freshDatabase, indicesLike, uniqueName } from '../support/servers.ts';
import { waitFor } from '../support/wait-for.ts';

const TABLE = `
  create table goods (id bigint primary key, name text not null, price numeric(10,2), tags text[], made timestamptz not null);
  insert into goods select i, repeat('name ' || i || ' ', 20), i / 7.0, array['a', null, 'c' || i % 10], to_timestamp(1.6e9 + i) from generate_series(1, 20000) i`;

/** The program as its users run it: a child process, its events, its exit code. */
describe('realign rebuild as a command', () => {
  let database: FreshDatabase;
  let alias = '';
  let previous: readonly string[] = [];

  const request = (...flags: readonly string[]): RealignRequest => ({
    args: ['rebuild', alias, ...flags],
    config: { indices: { [alias]: { table: 'public.goods', settings: { number_of_replicas: 0 } } } },
    databaseUrl: database.url,
  });

  before(async () => {
    database = await freshDatabase();
    await database.client.query(TABLE);
  });

  beforeEach(async () => {
    if (alias !== '') await deleteIndicesLike(`${alias}*`);
    alias = uniqueName('goods');
    previous = [];
  });

  after(async () => {
    await deleteIndicesLike(`${alias}*`);
    await database.drop();
  });

  const checkServed = async (): Promise<void> => {
    await assertIndexEqualsTable({ client: database.client, table: 'goods', index: alias });
    const { json } = await elasticsearch('GET', `/_alias/${alias}`);
    await assertNoLeaks({ database, indices: [`${alias}*`], allowedIndices: [...Object.keys(json), ...previous] });
  };

  it('serves the table under the alias and leaves nothing on PostgreSQL', async () => {
    const { code, events, stderr } = await runRealign(request());
    assert.equal(code, 0, stderr);
    assert.equal(events[0]?.type, 'version');
    assert.deepEqual([events.at(-1)?.type, events.at(-1)?.result, events.at(-1)?.exit_code], ['summary', 'succeeded', 0]);
    await checkServed();
  });

  it('goes on after SIGKILL in the middle of the load', async () => {
    const first = startRealign(request('--rate', '4000'));
    const { generation } = await first.event('the build to start', ({ type }) => type === 'build.started');
    await waitFor('some documents', async () => {
      const { json } = await elasticsearch('GET', `/${generation}/_stats/indexing`);
      return (json?._all?.primaries?.indexing?.index_total ?? 0) > 3000;
    });
    first.kill('SIGKILL');
    assert.equal((await first.ended).signal, 'SIGKILL');
    await database.client.query(`update goods set price = price + 1 where id % 500 = 0; delete from goods where id % 501 = 0`);
    const second = await runRealign(request());
    assert.equal(second.code, 0, second.stderr);
    assert.equal(second.events.find(({ type }) => type === 'build.started')?.resumed, true);
    await checkServed();
  });

  it('keeps the previous generation on a second rebuild and swaps from it', async () => {
    assert.equal((await runRealign(request())).code, 0);
    previous = await indicesLike(`${alias}-*`);
    const { code, events, stderr } = await runRealign(request());
    assert.equal(code, 0, stderr);
    assert.equal(events.find(({ type }) => type === 'swap')?.from, previous[0]);
    await checkServed();
  });

  it('estimates the next build by the last one', async () => {
    assert.equal((await runRealign(request())).code, 0);
    const wanted = request();
    const plan = await runRealign({ ...wanted, args: ['plan', alias] });
    const estimates = plan.events.find(({ type }) => type === 'plan')?.estimates as readonly {
      readonly of: string;
      readonly amount: number;
      readonly basis: string;
    }[];
    const [load, verification, disk] = estimates;
    assert.ok(load !== undefined && verification !== undefined && disk !== undefined, plan.stderr);
    assert.match(load.basis, /^\d+ rows, \d+ rows\/s in build \w{4} of \d{4}-\d\d-\d\d$/);
    assert.match(verification.basis, /^--verify full took [\d.]+ s for \d+ rows in build \w{4} of /);
    assert.match(disk.basis, new RegExp(`^${alias}-\\S+ has \\d+ bytes for \\d+ rows`));
    for (const { amount, of } of estimates) assert.ok(amount > 0, of);
  });
});
