import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { type OwnServers, ownServers } from '../../support/own-servers.ts';
import { elasticsearch } from '../../support/servers.ts';
import { waitFor } from '../../support/wait-for.ts';
import { faultTest } from '../fault-world.ts';

let servers: OwnServers;

/** Three nodes, so that the cluster has a master when one of them is gone. */
before(async () => {
  servers = await ownServers({ ES_NODES: '3' });
});

after(() => servers.down());

faultTest('F53: replicas that are never allocated: exit 75 without a swap, and --swap-when yellow takes it', async (world) => {
  const index = { settings: { number_of_replicas: 5 } };
  const { message } = await world.assertStopped(await world.rebuild({ index, flags: ['--stall-timeout', '3s'] }), 75);
  assert.match(message, /green/);
  const exit = await world.rebuild({ index, flags: ['--swap-when', 'yellow'] });
  await world.assertServed(exit);
});

faultTest('F44 F54: a node with a copy of the index is killed (kill -9) in the load, and comes back behind it: nothing is lost', async (world) => {
  const index = { settings: { number_of_replicas: 1 } };
  world.points.at('catchup.restored', async () => {
    const holder = async (): Promise<string> => {
      const { json } = await elasticsearch('GET', `/_cat/shards/${await world.generation()}?format=json&h=node,prirep,state`);
      return (json as { node: string; prirep: string }[]).find(({ prirep, node }) => prirep === 'p' && node !== 'node-1')?.node ?? 'node-2';
    };
    await servers.killElasticsearch(Number((await holder()).slice(-1)) - 1);
    await world.sql(`update t set v = 'with a node less' where id % 4 = 0; delete from t where id % 9 = 0`);
    await servers.revive();
    await waitFor('three nodes', async () => (await elasticsearch('GET', '/_cluster/health')).json?.number_of_nodes === 3, 120_000);
  });
  await world.assertServed(await world.rebuild({ index }));
});
