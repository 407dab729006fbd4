import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { AuditState, SavedAudit } from '../../src/phases/audit/state.ts';
import { elasticsearch } from '../support/servers.ts';
import { type AuditWorld, auditWorld, named, put } from './audit-world.ts';
import { assertPlaces, ordersSchema, ROUTED } from './routing-world.ts';

const ROWS = 300;
const OPTIONS = { schema: ordersSchema(ROWS), table: 'public.orders' };

/** The row `id` of the seed has this tenant. */
const tenantOf = (id: number): string => String(1 + (id % 9));
const idOf = (id: number): string => `${tenantOf(id)}:${id}`;

async function sourceOf(index: string, id: number): Promise<string> {
  const { text } = await elasticsearch('GET', `/${index}/_doc/${idOf(id)}?routing=${tenantOf(id)}`);
  return text.slice(text.indexOf('"_source":') + '"_source":'.length, -1);
}

const remove = (index: string, id: number) => elasticsearch('DELETE', `/${index}/_doc/${idOf(id)}?routing=${tenantOf(id)}`);

function memory(): AuditState {
  let saved: SavedAudit | null = null;
  return {
    read: async () => saved,
    write: async (state) => {
      saved = state;
    },
    clear: async () => {
      saved = null;
    },
  };
}

describe('an audit of routed documents', () => {
  let world: AuditWorld;
  const expected = ['different 2:10 _routing', 'different 3:11 name _routing', 'extra 5:13', 'extra 9:9999', 'missing 4:12', 'stale 6:14 name'];

  before(async () => {
    world = await auditWorld(ROWS, ROUTED, OPTIONS);
    assert.deepEqual((await world.audit()).report.verdict, 'equal');
  });

  after(async () => world?.dispose());

  it('names what lies under another routing than its row says, in full', async () => {
    const { index, database } = world;
    const moved = await sourceOf(index, 10);
    await remove(index, 10);
    await put(index, idOf(10), moved, { routing: 'elsewhere' });
    const changed = (await sourceOf(index, 11)).replace('"name":"name', '"name":"nome');
    await remove(index, 11);
    await put(index, idOf(11), changed, { routing: 'elsewhere' });
    await remove(index, 12);
    const doubled = await sourceOf(index, 13);
    for (const routing of ['r0', 'r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7']) await put(index, idOf(13), doubled, { routing });
    await put(index, '9:9999', doubled, { routing: '9' });
    await database.client.query(`update orders set name = 'newer' where id = 14`);
    const { report } = await world.audit({ options: { values: 'full' } });
    assert.deepEqual(named(report), expected);
    const values = new Map(report.differences.map((difference) => [difference.id, difference.values]));
    assert.deepEqual(values.get('2:10'), [{ field: '_routing', postgres: '"2"', elasticsearch: '"elsewhere"' }]);
    assert.deepEqual(report.mapping, []);
  });

  it('likewise in a sample of everything, by named keys, and section by section', async () => {
    assert.deepEqual(named((await world.audit({ options: { mode: 'sample', sample: 5000 } })).report), expected);
    const keys = ['2:10', '3:11', '4:12', '5:13', '6:14', '9:9999', '1:9'];
    assert.deepEqual(named((await world.audit({ options: { keys } })).report), expected);
    assert.deepEqual(named((await world.audit({ options: { maxDurationMs: 60_000 }, state: memory() })).report), expected);
  });

  it('says that an index without a required routing was mapped otherwise, and finds its documents all the same', async () => {
    const other = `${world.alias}-others`;
    await elasticsearch('PUT', `/${other}`, { settings: { number_of_shards: 3, number_of_replicas: 0 } });
    for (const id of [20, 21, 22]) await put(other, idOf(id), await sourceOf(world.index, id), { routing: tenantOf(id) });
    const keys = [20, 21, 22].map(idOf);
    const routed = (await world.audit({ options: { index: other, keys } })).report;
    assert.deepEqual([routed.differenceCount, routed.mapping.at(-1)], [0, { field: '_routing', expected: 'required', actual: '(none)' }]);
    // Without a word on routing in the config, others may have chosen theirs.
    const unrouted = await world.audit({ options: { index: other, keys }, config: { routing: null } });
    assert.equal(unrouted.report.differenceCount, 0);
    // Of an index of ours it is a difference of each document.
    const ours = await world.audit({ options: { index: world.index, keys }, config: { routing: null } });
    assert.deepEqual(named(ours.report), keys.map((id) => `stale ${id} _routing`).sort());
    await elasticsearch('DELETE', `/${other}`);
  });

  it('mends nothing in an index that requires a routing under a config that names none: it could only delete', async () => {
    const keys = [20, 21, 22].map(idOf);
    const { report } = await world.audit({ options: { keys, repair: 'yes' }, config: { routing: null } });
    assert.deepEqual(
      report.repair?.refused.map(({ id, reason }) => [id, /requires a routing/.test(reason)]).sort(),
      keys.map((id) => [id, true]).sort(),
    );
    assert.deepEqual((await world.audit({ options: { keys } })).report.verdict, 'equal');
  });

  it('repairs all of it: every document ends in the shard of its row', async () => {
    const { report } = await world.audit({ options: { repair: 'yes' } });
    assert.deepEqual([report.repair?.refused, report.repair?.proved], [[], expected.length]);
    await assertPlaces(world.database.client, world.index);
    assert.equal((await world.audit()).report.verdict, 'equal');
  });
});

describe('a follower of a routed index', () => {
  let world: AuditWorld;

  before(async () => {
    world = await auditWorld(ROWS, ROUTED, { ...OPTIONS, follow: true });
  });

  after(async () => world?.dispose());

  it('moves documents with their rows, after the swap as before it', async () => {
    const { client } = world.database;
    await client.query('update orders set tenant_id = 1 + (tenant_id + id) % 9 where id % 2 = 0; delete from orders where id % 10 = 0');
    const { report } = await world.audit();
    assert.deepEqual([report.verdict, report.fedBy], ['equal', 'realign']);
    await assertPlaces(client, world.index);
  });

  it('is mended beside it: a document of another shard goes, the one of its row comes', async () => {
    const source = await sourceOf(world.index, 11);
    await remove(world.index, 11);
    await put(world.index, idOf(11), source, { routing: 'elsewhere' });
    const { report } = await world.audit({ options: { repair: 'yes' } });
    assert.deepEqual([named(report), report.repair?.proved], [['different 3:11 _routing'], 1]);
    await world.database.client.query('update orders set tenant_id = 1 where id = 11');
    assert.equal((await world.audit()).report.verdict, 'equal');
    await assertPlaces(world.database.client, world.index);
  });
});
