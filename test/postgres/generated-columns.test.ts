import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Failpoint } from '../../src/phases/build/failpoints.ts';
import { buildInProcess, type InProcessRun, uniqueAlias } from '../e2e/in-process.ts';
import { onceAt } from '../e2e/moments.ts';
import { assertIndexEqualsTable } from '../support/oracle.ts';
import { deleteIndicesLike } from '../support/servers.ts';
import { describe, type Fixture, openFixture } from './fixture.ts';

let fixture: Fixture;
let version = 0;

before(async () => {
  fixture = await openFixture(`
    create table g (id int primary key, n int, body text, twice int generated always as (n * 2) stored, loud text generated always as (upper(body)) stored);
    alter table g alter body set storage external, alter loud set storage external;
    insert into g (id, n, body) select i, i, repeat('body ' || i, 900) from generate_series(1, 40) i;
    create table keyed (id int, k int generated always as (id * 2) stored primary key, v text);
    insert into keyed (id, v) select i, 'v' || i from generate_series(1, 20) i`);
  version = (await fixture.source.identity()).versionNumber;
});

after(() => fixture.drop());

interface Built {
  readonly run: InProcessRun;
  readonly alias: string;
  readonly lookedUp: number;
}

async function build(table: string, failpoint: Failpoint): Promise<Built> {
  const alias = uniqueAlias();
  let lookedUp = 0;
  const run = await buildInProcess({
    database: fixture.database,
    alias,
    table,
    failpoint,
    wrapSource: (source) => ({
      ...source,
      lookup: (request) => {
        lookedUp += request.keys.length;
        return source.lookup(request);
      },
    }),
  });
  return { run, alias, lookedUp };
}

async function assertServed({ run, alias }: Built, table: string): Promise<void> {
  await assertIndexEqualsTable({ client: fixture.app, table, index: run.result.index });
  await deleteIndicesLike(`${alias}*`);
}

test('stored generated columns come with the stream from 18 on, and by lookup before', async () => {
  const built = await build(
    'public.g',
    onceAt('load.finished', () =>
      fixture.app.query(`update g set n = n + 1, body = 'short ' || id where id <= 10; insert into g (id, n, body) values (100, 5, 'new')`),
    ),
  );
  assert.equal(built.lookedUp, version >= 180000 ? 0 : 11);
  await assertServed(built, 'g');
});

test('an unchanged one outside of the row is looked up like any other', async () => {
  const built = await build(
    'public.g',
    onceAt('load.finished', () => fixture.app.query('update g set n = n + 1 where id between 20 and 25; update g set id = 200 where id = 26')),
  );
  assert.equal(built.lookedUp, 7);
  await assertServed(built, 'g');
});

test('a publication that has them no more, or only now, is right all the same', async () => {
  const { app } = fixture;
  const alter = async (kinds: string): Promise<void> => {
    const { rows } = await app.query<{ name: string }>('select quote_ident(pubname) as name from pg_publication');
    if (version >= 180000) await app.query(`alter publication ${rows[0]?.name} set (publish_generated_columns = ${kinds})`);
  };
  const built = await build(
    'public.g',
    onceAt('load.finished', async () => {
      await app.query(`update g set n = n + 1, body = 'a' where id < 10`);
      await alter('none');
      await app.query(`update g set n = n + 1, body = 'b' where id between 5 and 15`);
      await alter('stored');
      await app.query(`update g set n = n + 1, body = 'c' where id between 10 and 20`);
    }),
  );
  await assertServed(built, 'g');
});

test('with replica identity full the application can still write', async () => {
  const { app } = fixture;
  await app.query('alter table g replica identity full');
  const built = await build(
    'public.g',
    onceAt('chunk.opened', () => app.query('update g set n = n + 1 where id < 10; delete from g where id = 11; update g set id = 300 where id = 12')),
  );
  await assertServed(built, 'g');
  await app.query('alter table g replica identity default');
});

test('a generated key is followed from 18 on, and refused before', async () => {
  const { app, source } = fixture;
  if (version < 180000) {
    await assert.rejects(source.createPublication('realign_keyed', await describe(source, 'keyed')), {
      kind: 'preflight-refused',
      message: /generated \(k\)/,
    });
    const findings = await source.preflight('public.keyed', { excludedColumns: [] });
    assert.ok(findings.some(({ level, code }) => level === 'fail' && code === 'primary-key'));
    await app.query(`update keyed set v = 'w' where id = 1`);
    return;
  }
  const built = await build(
    'public.keyed',
    onceAt('load.finished', () =>
      app.query(`update keyed set id = id + 100 where id < 5; delete from keyed where id = 6; update keyed set v = 'w' where id = 7`),
    ),
  );
  assert.equal(built.lookedUp, 0);
  await assertServed(built, 'keyed');
});

test('virtual columns are looked up, and refused with replica identity full', async () => {
  const { app, source } = fixture;
  if (version < 180000)
    return assert.rejects(app.query('create table v (id int primary key, w int generated always as (id * 2) virtual)'), { code: '42601' });
  await app.query(
    'create table v (id int primary key, n int, w int generated always as (n * 2) virtual); insert into v select i, i from generate_series(1, 20) i',
  );
  const built = await build(
    'public.v',
    onceAt('load.finished', () => app.query('update v set n = 7 where id < 5')),
  );
  assert.equal(built.lookedUp, 4);
  await assertServed(built, 'v');
  await app.query('alter table v replica identity full');
  await assert.rejects(source.createPublication('realign_virtual', await describe(source, 'v')), { kind: 'preflight-refused', message: /virtual/ });
  await app.query('update v set n = 8 where id = 1');
});
