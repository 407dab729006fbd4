import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { assertNoLeaks } from '../support/leak-check.ts';
import { assertIndexEqualsTable, type OracleRequest } from '../support/oracle.ts';
import { deleteIndicesLike, elasticsearch, type FreshDatabase, freshDatabase } from '../support/servers.ts';
import { buildInProcess, type InProcessBuild, uniqueAlias } from './in-process.ts';
import { onceAt } from './moments.ts';

let database: FreshDatabase;
let alias = '';

before(async () => {
  database = await freshDatabase();
});

afterEach(() => deleteIndicesLike(`${alias}*`));

after(() => database.drop());

/** `body` and `tags` lie outside of the row: an UPDATE that does not touch them does not carry them. */
const TOASTED = `
  create table t (id int primary key, n int not null, body text, tags text[], note text, extra jsonb);
  alter table t alter body set storage external, alter tags set storage external, alter extra set storage external;
  insert into t select i, 0, repeat('body ' || i || ' ', 1000), array_fill(('tag ' || i)::text, array[900]), 'short', jsonb_build_object('k', repeat('x' || i, 3000)) from generate_series(1, 60) i`;

/** Each kind of change, on keys of its own. */
const CHANGES = `
  update t set n = n + 1 where id <= 10;
  update t set body = null, n = 2 where id = 11;
  update t set tags = null where id = 12;
  update t set extra = 'null' where id = 13;
  update t set extra = null, body = '' where id = 14;
  begin; update t set body = repeat('new ', 2000) where id = 15; update t set n = 3 where id = 15; update t set note = 'third' where id = 15; commit;
  begin; update t set body = null where id = 16; update t set n = 4 where id = 16; commit;
  begin; update t set n = 5 where id = 17; update t set body = repeat('late ', 2000) where id = 17; commit;
  update t set id = 1018, n = 6 where id = 18;
  update t set id = id + 1000 where id between 19 and 21;
  begin; update t set id = -22 where id = 22; update t set id = 22 where id = 23; update t set id = 23 where id = -22; commit;
  begin; update t set n = 7 where id = 24; delete from t where id = 24; insert into t (id, n, body) values (24, 8, 'short again'); update t set n = 9 where id = 24; commit;
  begin; update t set n = 7 where id = 25; delete from t where id = 25; commit;
  update t set n = 10 where id = 26; update t set id = 1026 where id = 26; update t set n = 11 where id = 1026;
  update t set n = 12 where id = 27; delete from t where id = 27;
  begin; savepoint s; update t set body = repeat('undone ', 2000), n = 13 where id = 28; rollback to s; update t set note = 'kept' where id = 28; commit;
  update t set tags[1] = 'first' where id = 29;
  update t set tags = array_append(tags, null) where id = 30;
  insert into t select i, 0, repeat('fresh ' || i, 2000), array_fill('f'::text, array[3000]) from generate_series(100, 105) i; update t set n = 1 where id between 100 and 103;
  delete from t where id = 104`;

interface Case extends Partial<OracleRequest> {
  readonly what: string;
  readonly sql: string;
  readonly changes?: string;
  readonly config?: InProcessBuild['config'];
}

const CASES: readonly Case[] = [
  { what: 'unchanged TOAST, set to NULL, changed, moved to another key: REPLICA IDENTITY DEFAULT', sql: TOASTED },
  { what: 'the same with REPLICA IDENTITY FULL', sql: `${TOASTED}; alter table t replica identity full` },
  {
    what: 'the same with REPLICA IDENTITY USING an INDEX that contains the key',
    sql: `${TOASTED}; create unique index t_identity on t (n, id); alter table t replica identity using index t_identity`,
  },
  {
    what: 'a generated stored column, and TOAST in it',
    sql: `${TOASTED}; alter table t add column double int generated always as (n * 2) stored, add column loud text generated always as (upper(body)) stored;
          alter table t alter loud set storage external`,
  },
  {
    what: 'only a generated column and the key in the document',
    sql: `${TOASTED}; alter table t add column double int generated always as (n * 2) stored`,
    config: { columns: { include: ['id', 'double'], exclude: [] } },
    exclude: ['n', 'body', 'tags', 'note', 'extra'],
  },
  {
    what: 'a key of several columns, one of them text, and an array in a row of its own',
    sql: `create table t (a text, b int, n int not null default 0, body text, primary key (a, b)); alter table t alter body set storage external;
          insert into t select 'a:' || i || '\\', i, 0, repeat('body ' || i, 1000) from generate_series(1, 40) i`,
    changes: `update t set n = 1 where b <= 5; update t set a = 'moved:' || a, n = 2 where b between 6 and 10; update t set b = -b where b between 11 and 15;
              delete from t where b = 16; begin; update t set a = a || 'x' where b = 17; update t set n = 3 where b = 17; commit; update t set body = null where b = 18`,
    idOf: (key) => key.map((part) => part.replace(/[\\:]/g, '\\$&')).join(':'),
  },
  {
    // The other columns leave no room in the row, so that the key itself lies outside of it.
    what: 'a TOASTed primary key, updated, changed and deleted',
    sql: `create table t (id text primary key, n int, p text, q text); alter table t alter id set storage external, alter p set storage plain, alter q set storage plain;
          insert into t select repeat(i::text, 160), 0, repeat('p', 1000), repeat('q', 1000) from generate_series(100, 130) i`,
    changes: `update t set n = 1 where n = 0 and id < repeat('105', 160); update t set id = repeat('9', 470) where id = repeat('110', 160); delete from t where id = repeat('111', 160);
              begin; update t set n = 2 where id = repeat('112', 160); update t set id = repeat('8', 450) where id = repeat('112', 160); update t set n = 3 where id = repeat('8', 450); commit;
              update t set id = 'short' where id = repeat('113', 160); update t set n = 4 where id = 'short'`,
  },
];

for (const moment of ['chunk.opened', 'load.finished'] as const) {
  for (const { what, sql, changes = CHANGES, config = {}, ...oracle } of CASES) {
    test(`${what}: changes ${moment === 'load.finished' ? 'behind' : 'beside'} the load`, async () => {
      const { client } = database;
      await client.query(`drop table if exists t; ${sql}`);
      alias = uniqueAlias();
      const failpoint = onceAt(moment, async () => {
        // One by one: several statements in one query would be one transaction.
        for (const statement of changes.split(';')) await client.query(statement);
      });
      const run = await buildInProcess({ database, alias, table: 'public.t', config, failpoint });
      assert.ok(failpoint.passed());
      await assertIndexEqualsTable({ client, table: 't', index: run.result.index, ...oracle });
      await assertNoLeaks({ database, indices: [`${alias}*`], allowedIndices: [run.result.index] });
    });
  }
}

test('the key of the case above does lie outside of its row, and the body of the others too', async () => {
  const { client } = database;
  const toasted = async (): Promise<number> => {
    const { rows } = await client.query(`select pg_relation_size(reltoastrelid) as bytes from pg_class where oid = 't'::regclass`);
    return Number(rows[0].bytes);
  };
  for (const { what, sql } of CASES) {
    await client.query(`drop table if exists t; ${sql}`);
    assert.ok((await toasted()) > 0, what);
  }
});

test('many changes of the same keys: a lookup reads the newest row under an older version, and the last change wins', async () => {
  const { client } = database;
  await client.query(`drop table if exists t; ${TOASTED}`);
  alias = uniqueAlias();
  const failpoint = onceAt('load.finished', async () => {
    for (let n = 1; n <= 200; n++)
      await client.query('update t set n = $1, body = case when $1 % 3 = 0 then repeat($2, 1500) else body end where id = $3', [
        n,
        `v${n} `,
        1 + (n % 5),
      ]);
  });
  const run = await buildInProcess({ database, alias, table: 'public.t', failpoint });
  await assertIndexEqualsTable({ client, table: 't', index: run.result.index });
  assert.equal((await elasticsearch('GET', `/${alias}/_count`)).json.count, 60);
});
