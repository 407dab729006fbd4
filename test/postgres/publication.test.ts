import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describe, type Fixture, openFixture } from './fixture.ts';

let fixture: Fixture;

before(async () => {
  fixture = await openFixture(`
    create table t (id int primary key, v text);
    create table "Odd" (id int primary key);
    create table bare (id int, v text);
    insert into bare values (1, 'a');
    create table late (id int primary key deferrable, v text);
    create table mute (id int primary key, v text);
    alter table mute replica identity nothing;
    insert into mute values (1, 'a');
    create table parts (id int primary key, v text) partition by hash (id);
    create table parts_0 partition of parts for values with (modulus 1, remainder 0)`);
});

after(() => fixture.drop());

test('publishes exactly the table with all operations, and accepts what is already so', async () => {
  const { source } = fixture;
  for (const name of ['t', '"Odd"', 'parts']) {
    const table = await describe(source, name);
    await source.createPublication('realign_P1', table);
    await source.createPublication('realign_P1', table);
    assert.deepEqual(await source.readPublication('realign_P1'), {
      tables: [table.oid],
      insert: true,
      update: true,
      delete: true,
      truncate: true,
      viaRoot: true,
    });
    assert.deepEqual(await source.listPublications('realign_'), ['realign_P1']);
    await source.dropPublication('realign_P1');
    await source.dropPublication('realign_P1');
    assert.equal(await source.readPublication('realign_P1'), null);
  }
});

test('a publication of another definition is not taken over', async () => {
  const { source, app } = fixture;
  const table = await describe(source, 't');
  const definitions = ["for table t with (publish = 'insert')", 'for all tables', 'for table t, "Odd" with (publish_via_partition_root)'];
  if ((await source.identity()).versionNumber >= 150000)
    definitions.push('for table t (id) with (publish_via_partition_root)', 'for table t where (id > 1) with (publish_via_partition_root)');
  for (const definition of definitions) {
    await app.query(`create publication theirs ${definition}`);
    await assert.rejects(source.createPublication('theirs', table), { kind: 'state-unknown' }, definition);
    await app.query('drop publication theirs');
  }
});

test('a table without a usable identity is refused, and the application can still write it', async () => {
  const { source, app } = fixture;
  for (const name of ['bare', 'late', 'mute']) {
    await assert.rejects(source.createPublication('danger', await describe(source, name)), { kind: 'preflight-refused' }, name);
    await app.query(`insert into ${name} values (2, 'b'); update ${name} set v = 'c'; delete from ${name} where id = 2`);
  }
  assert.equal(await source.readPublication('danger'), null);
});
