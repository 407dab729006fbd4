import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { RepairOperation } from '../../src/core/sink/repair-body.ts';
import type { Sink } from '../../src/phases/sink-ports.ts';
import { assertIndexEqualsTable } from '../support/oracle.ts';
import { elasticsearch, uniqueName } from '../support/servers.ts';
import { type AuditWorld, auditWorld, edit, named, put, sourceOf } from './audit-world.ts';

const ROWS = 200;

/** Lets a test act between a repair's reading and its writing; called before each request. */
function beforeWrites(act: (operations: readonly RepairOperation[], request: number) => Promise<void>): (sink: Sink) => Sink {
  let requests = 0;
  return (sink) => ({
    ...sink,
    openRepair: async (request) => {
      const door = await sink.openRepair(request);
      const write: typeof door.write = async (operations) => {
        await act(operations, requests++);
        return door.write(operations);
      };
      return { ...door, write };
    },
  });
}

async function versionOf(index: string, id: string): Promise<bigint> {
  const { text } = await elasticsearch('GET', `/${index}/_doc/${id}?_source=false`);
  return BigInt(/"_version":(\d+)/.exec(text)?.[1] ?? '-1');
}

/** As the replay writes: version = commit LSN. */
async function external(index: string, id: string, source: string | null, version: bigint): Promise<number> {
  const action = `{"${source === null ? 'delete' : 'index'}":{"_id":"${id}","version":${version},"version_type":"external"}}`;
  const { json } = await elasticsearch('POST', `/${index}/_bulk`, `${action}\n${source === null ? '' : `${source}\n`}`);
  return Object.values(json.items[0] as { readonly [action: string]: { readonly status: number } })[0]?.status ?? 0;
}

describe('a repair beside other writers', () => {
  let world: AuditWorld;
  let newest: bigint;

  before(async () => {
    world = await auditWorld(ROWS);
    newest = (await versionOf(world.index, '1')) + 8n * 100_000n;
  });

  after(async () => world?.dispose());

  const repair = (wrapSink?: (sink: Sink) => Sink) => world.audit({ options: { repair: 'yes' }, ...(wrapSink === undefined ? {} : { wrapSink }) });
  const assertEqual = async () => assertIndexEqualsTable({ client: world.database.client, table: 'things', index: world.index });

  it('raises a version of ours by one only, so that the next change of the row is accepted', async () => {
    const { index } = world;
    const loaded = await versionOf(index, '5');
    await world.database.client.query(`update things set name = 'five' where id = 5`);
    const { report } = await repair();
    assert.deepEqual([named(report), report.repair?.proved], [['stale 5 name'], 1]);
    assert.equal(await versionOf(index, '5'), loaded + 1n);
    // What README and output say: on top of a version that was foreign already, a repair is not told from others' writes.
    await edit(index, '6', (source) => source.replace('"name 6"', '"nome 6"'));
    await repair();
    const { report: later } = await world.audit();
    assert.deepEqual([later.verdict, later.foreignWrites], ['equal', 1]);
    assert.equal(await external(index, '5', await sourceOf(index, '5'), loaded + 8n), 200);
    await assertEqual();
  });

  it('writes a missing document below every streamed change', async () => {
    const { index } = world;
    const loaded = await versionOf(index, '7');
    await world.database.client.query('delete from things where id = 7');
    // The tombstone of a delete that came by the stream: a repair that read the row before must not bring it back.
    await world.database.client.query(`insert into things (id, name) values (7, 'back')`);
    await elasticsearch('PUT', `/${index}/_settings`, { index: { gc_deletes: '0s' } });
    await external(index, '7', null, loaded + 8n);
    const { report } = await repair();
    assert.deepEqual([named(report).includes('missing 7'), report.repair?.refused], [true, []]);
    const version = await versionOf(index, '7');
    assert.equal(version, loaded, 'with no tombstone left it has the version of the load');
    await elasticsearch('PUT', `/${index}/_settings`, { index: { gc_deletes: null } });
    await assertEqual();
  });

  it('does not bring back a row that is deleted between its reading and its writing', async () => {
    const { index, database } = world;
    await database.client.query(`insert into things (id, name) values (901, 'short-lived')`);
    const { report } = await repair(
      beforeWrites(async (operations, request) => {
        if (request > 0 || !operations.some(({ id }) => id === '901')) return;
        await database.client.query('delete from things where id = 901');
        assert.equal(await external(index, '901', null, newest), 404);
      }),
    );
    assert.deepEqual([named(report), report.repair?.refused, report.repair?.settled], [['missing 901'], [], 1]);
    assert.equal((await elasticsearch('HEAD', `/${index}/_doc/901`)).status, 404);
    await assertEqual();
  });

  it('leaves a document alone that somebody wrote meanwhile, and judges it anew', async () => {
    const { index, database } = world;
    await edit(index, '9', (source) => source.replace('"name":"name 9"', '"name":"nine"'));
    const right = (await sourceOf(index, '9')).replace('"name":"nine"', '"name":"newest"');
    let writes = 0;
    const { report } = await repair(
      beforeWrites(async (operations) => {
        writes += operations.length;
        if (writes > 1) return;
        await database.client.query(`update things set name = 'newest' where id = 9`);
        await put(index, '9', right);
      }),
    );
    assert.deepEqual([named(report), report.repair?.written, report.repair?.settled], [['different 9 name'], 0, 1]);
    assert.equal(writes, 1);
    await assertEqual();
  });

  it('deletes what has no row only if it is still what was read', async () => {
    const { index, database } = world;
    await put(index, '950', '{"id":950}');
    const row = `{"id":950,"name":"now a row","n":null,"body":null,"tags":null,"doc":null,"at":null}`;
    const { report } = await repair(
      beforeWrites(async (_, request) => {
        if (request > 0) return;
        await database.client.query(`insert into things (id, name) values (950, 'now a row')`);
        await put(index, '950', row);
      }),
    );
    assert.deepEqual([named(report), report.repair?.deleted, report.repair?.settled], [['extra 950'], 0, 1]);
    await assertEqual();
  });

  it('says which document it could not write, without its values', async () => {
    const { index, database } = world;
    await database.client.query(`update things set at = '0044-03-15 00:00:00+00 BC', name = 'secret name' where id = 11`);
    const { report } = await repair();
    assert.deepEqual(
      report.repair?.refused.map(({ id }) => id),
      ['11'],
    );
    assert.match(report.repair?.refused[0]?.reason ?? '', /^column at: /);
    assert.equal(JSON.stringify(report).includes('secret name'), false);
    await database.client.query(`delete from things where id = 11`);
    await elasticsearch('DELETE', `/${index}/_doc/11`);
  });

  it('mends an index that realign did not make, by sequence numbers', async () => {
    const other = `${world.alias}-${uniqueName('other').replace('_', '-')}`;
    await elasticsearch('PUT', `/${other}`, { mappings: { dynamic: false }, settings: { number_of_replicas: 0 } });
    const { rows } = await world.database.client.query<{ id: string }>('select id::text from things');
    for (const { id } of rows.slice(0, 20)) await put(other, id, await sourceOf(world.index, id));
    await put(other, 'ghost', '{}');
    await edit(other, rows[3]?.id ?? '', (source) => source.replace('"name":"', '"name":"x'));
    const before = await versionOf(other, rows[3]?.id ?? '');
    const { report } = await world.audit({ options: { index: other, repair: 'yes' } });
    assert.deepEqual(report.kinds, { missing: rows.length - 20, extra: 1, different: 1, stale: 0 });
    assert.deepEqual([report.ours, report.foreignWrites, report.repair?.proved], [false, null, rows.length - 18]);
    assert.equal(await versionOf(other, rows[3]?.id ?? ''), before + 1n);
    await assertIndexEqualsTable({ client: world.database.client, table: 'things', index: other });
    await elasticsearch('DELETE', `/${other}`);
  });

  it('needs SELECT and nothing else on the table to compare, and only reads on both sides', async () => {
    const name = uniqueName('auditor');
    const { client, name: database } = world.database;
    await client.query(`create role ${name} login password 'auditor'; grant connect on database ${database} to ${name}; grant usage on schema public to ${name};
      grant select on things to ${name}`);
    // Any write of its session, or to the index, would now fail.
    await client.query(`alter role ${name} set default_transaction_read_only = on`);
    await elasticsearch('PUT', `/${world.index}/_settings`, { 'index.blocks.write': true });
    const seen = async (): Promise<string> => (await elasticsearch('GET', `/${world.index}`)).text;
    const before = await seen();
    for (const options of [{}, { mode: 'sample' }, { mode: 'counts' }, { maxDurationMs: 60_000 }] as const) {
      const { report } = await world.audit({ user: { name, password: 'auditor' }, options });
      assert.equal(report.verdict, 'equal', JSON.stringify(options));
    }
    assert.equal(await seen(), before, 'aliases, mapping and settings are as they were');
    await elasticsearch('PUT', `/${world.index}/_settings`, { 'index.blocks.write': null });
    await client.query(`drop owned by ${name}; drop role ${name}`);
  });
});

describe('rows that an expression of the config cannot compute', () => {
  let world: AuditWorld;

  before(async () => {
    const schema = `create table shares (id int primary key, a int not null, b int not null); insert into shares select g, g, 1 from generate_series(1, 20) g; analyze shares`;
    world = await auditWorld(20, { computed: { ratio: 'a / b' } }, { schema, table: 'public.shares' });
    await put(world.index, 'abc', '{}');
    await world.database.client.query('update shares set b = 0 where id = 5');
  });

  after(async () => world?.dispose());

  const there = async (id: string): Promise<number> => (await elasticsearch('GET', `/${world.index}/_doc/${id}?_source=false`)).status;

  it('end a repair of named keys, and keep their documents', async () => {
    const repair = world.audit({ options: { repair: 'yes', keys: ['5', 'abc'] } });
    await assert.rejects(repair, { kind: 'value-refused', hint: /nullif/ });
    assert.deepEqual([await there('5'), await there('abc')], [200, 200]);
  });

  it('do not keep a foreign document from being told as one', async () => {
    const { report } = await world.audit({ options: { repair: 'yes', keys: ['4', 'abc'] } });
    assert.deepEqual([named(report), report.repair?.proved, await there('4'), await there('abc')], [['extra abc'], 1, 200, 404]);
  });
});
