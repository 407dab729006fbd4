import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { grantSql } from '../../src/cli/init-texts.ts';
import { runRealign } from '../support/run-realign.ts';
import { databaseUrl, elasticsearchUrl, type FreshDatabase, freshDatabase, uniqueName } from '../support/servers.ts';

describe('realign init on a real table', () => {
  const folder = mkdtempSync(join(tmpdir(), 'realign-init-'));
  const [owner, role] = [uniqueName('owner'), uniqueName('role')];
  let database: FreshDatabase;
  let env: { readonly [name: string]: string };

  before(async () => {
    database = await freshDatabase();
    const url = new URL(databaseUrl());
    url.pathname = new URL(database.url).pathname;
    env = { DATABASE_URL: url.href, ELASTICSEARCH_URL: elasticsearchUrl(), PGSSLMODE: 'disable' };
    await database.client.query(`create role ${owner};
      create schema "Odd Schema" authorization ${owner};
      create table "Odd Schema"."It's" (id bigint primary key, "a\nb" text, price numeric(10,2), at timestamptz);
      alter table "Odd Schema"."It's" owner to ${owner}; insert into "Odd Schema"."It's" values (1)`);
  });

  after(async () => {
    await database.client.query(`revoke create on database ${new URL(database.url).pathname.slice(1)} from ${role}`).catch(() => undefined);
    await database.client.query(`drop schema "Odd Schema" cascade; drop owned by ${owner}; drop role if exists ${role}, ${owner}`);
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  const table = `"Odd Schema"."It's"`;
  const init = (...flags: readonly string[]) => runRealign({ args: ['init', '--table', table, ...flags], config: null, env, output: 'human' });

  it('writes a config that plan understands, and never over a file', async () => {
    const path = join(folder, 'realign.yaml');
    const exit = await init('--config', path);
    assert.equal(exit.code, 0, exit.stderr);
    const text = readFileSync(path, 'utf8');
    assert.match(text, /# {3}"price": +\{"type":"double"\} +# numeric\(10,2\)/);
    const plan = await runRealign({ args: ['plan', 'it-s', '--config', path], config: null, env });
    assert.equal(plan.code, 0, plan.stdout);
    const again = await init('--config', path);
    assert.equal(again.code, 64);
    assert.match(again.stderr, /is there already/);
    assert.equal(readFileSync(path, 'utf8'), text);
  });

  it('prints SQL that gives a role what it needs and no more', async () => {
    const { stdout, code } = await init('--print-sql');
    assert.equal(code, 0);
    assert.ok(stdout.includes(grantSql(table).trimEnd()));
    await database.client.query(stdout.replaceAll(/\brealign\b/g, role));
    const { rows } = await database.client.query(
      `select has_table_privilege($1, $2, 'select') as reads, has_schema_privilege($1, 'Odd Schema', 'usage') as uses,
         has_database_privilege($1, current_database(), 'create') as creates, pg_has_role($1, $3, 'member') as publishes,
         (select rolsuper or rolcreatedb or rolcreaterole from pg_roles where rolname = $1) as more`,
      [role, table, owner],
    );
    assert.deepEqual(rows[0], { reads: true, uses: true, creates: true, publishes: true, more: false });
  });

  it('the SQL never makes the role a member of a superuser', async () => {
    await database.client.query('create table public.of_super (id int primary key)');
    await assert.rejects(
      database.client.query(grantSql('public.of_super').replaceAll(/\brealign\b/g, uniqueName('never'))),
      /belongs to the superuser/,
    );
  });

  it('names a table that is not there, and the mistake in its name', async () => {
    for (const [name, message] of [
      ['public.nowhere', /there is no table public\.nowhere/],
      ['a.b.c', /expected schema\.table/],
    ] as const) {
      const exit = await runRealign({ args: ['init', '--table', name, '--config', join(folder, 'none.yaml')], config: null, env, output: 'human' });
      assert.equal(exit.code, 64, exit.stderr);
      assert.match(exit.stderr, message);
    }
  });
});
