import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { deleteIndicesLike, elasticsearch } from '../support/servers.ts';
import { waitFor } from '../support/wait-for.ts';
import { type CommandWorld, commandWorld, movesAlias, onceBefore } from './command-world.ts';
import type { ProxiedCall } from './elasticsearch-proxy.ts';

const ROWS = 2000;
let world: CommandWorld;

before(async () => {
  world = await commandWorld(
    'public.goods',
    `create table goods (id int primary key, name text, kind text); insert into goods select i, 'name ' || i, 'k' || i % 2 from generate_series(1, ${ROWS}) i`,
  );
});

beforeEach(() => deleteIndicesLike(`${world.alias}*`));

afterEach(() => {
  world.proxy.hooks = {};
});

after(() => world.dispose());

const aliases = async (...actions: readonly unknown[]): Promise<void> => {
  const { status, text } = await elasticsearch('POST', '/_aliases', { actions });
  assert.equal(status, 200, text);
};

/** Searches by the alias without a pause until stopped; returns how often. */
function readInLoop(): { stop(): Promise<number> } {
  let stopped = false;
  const loop = async (): Promise<number> => {
    let searches = 0;
    for (; !stopped; searches++) {
      const { status, json, text } = await elasticsearch('POST', `/${world.alias}/_search`, { size: 1, track_total_hits: true });
      assert.equal(status, 200, text);
      assert.deepEqual([json.hits.total.value, json.hits.hits.length, json._shards.failed], [ROWS, 1, 0]);
    }
    return searches;
  };
  const reading = loop();
  reading.catch(() => undefined);
  return {
    stop: () => {
      stopped = true;
      return reading;
    },
  };
}

test('a reader in a tight loop sees neither an error nor an empty result, from the first document to the clean-up', async () => {
  assert.equal((await world.rebuild()).code, 0);
  const [old = ''] = await world.served();
  const reader = readInLoop();
  const { code, stderr } = await world.rebuild();
  const searches = await reader.stop();
  assert.equal(code, 0, stderr);
  assert.ok(searches > 50, `only ${searches} searches`);
  assert.notDeepEqual(await world.served(), [old]);
  await world.assertServed([old]);
});

test('somebody else moves the alias between verification and swap: exit 23, their index stays served', async () => {
  assert.equal((await world.rebuild()).code, 0);
  const [old = ''] = await world.served();
  const other = `${world.alias}-other`;
  await elasticsearch('PUT', `/${other}`, { settings: { number_of_replicas: 0 } });
  const move = { actions: [{ remove: { index: old, alias: world.alias } }, { add: { index: other, alias: world.alias } }] };
  world.proxy.hooks = { before: onceBefore(movesAlias, async () => void (await elasticsearch('POST', '/_aliases', move))) };
  const { code, events } = await world.rebuild();
  assert.equal(code, 23);
  assert.equal(events.find(({ type }) => type === 'verify.result')?.passed, true);
  assert.deepEqual(await world.served(), [other]);
  assert.match(String(events.find(({ type }) => type === 'error')?.unchanged), /Not swapped/);
  await world.assertLeft(await world.indices());
});

test('somebody else makes the alias while the first build runs: exit 23', async () => {
  const other = `${world.alias}-other`;
  await elasticsearch('PUT', `/${other}`, { settings: { number_of_replicas: 0 } });
  const add = { actions: [{ add: { index: other, alias: world.alias, is_write_index: true } }] };
  world.proxy.hooks = { before: onceBefore(movesAlias, async () => void (await elasticsearch('POST', '/_aliases', add))) };
  assert.equal((await world.rebuild()).code, 23);
  assert.deepEqual(await world.served(), [other]);
  await world.assertLeft(await world.indices());
});

test('the name is an index: refused (20) without --adopt, and with it one call that removes the index and adds the alias', async () => {
  await elasticsearch('PUT', `/${world.alias}`, { settings: { number_of_replicas: 0 } });
  const refused = await world.rebuild();
  assert.equal(refused.code, 20);
  await world.assertLeft([world.alias]);
  const calls: ProxiedCall[] = [];
  world.proxy.hooks = { before: (call) => void (movesAlias(call) && calls.push(call)) };
  const adopted = await world.rebuild('--adopt');
  assert.equal(adopted.code, 0, adopted.stderr);
  const bodies = calls.map(({ body }) => JSON.parse(body.toString()) as { readonly actions: readonly object[] });
  assert.deepEqual(
    bodies.map(({ actions }) => actions.map((action) => Object.keys(action)[0])),
    [['remove_index', 'add']],
  );
  assert.equal((await world.indices()).length, 1);
  await world.assertServed();
});

test('filter, both routings, is_write_index and is_hidden survive', async () => {
  assert.equal((await world.rebuild()).code, 0);
  const [old = ''] = await world.served();
  const properties = { filter: { term: { kind: 'k1' } }, index_routing: '7', search_routing: '7,8', is_write_index: true, is_hidden: true };
  await aliases({ remove: { index: old, alias: world.alias } }, { add: { index: old, alias: world.alias, ...properties } });
  const { code, stderr } = await world.rebuild();
  assert.equal(code, 0, stderr);
  const [now = ''] = await world.served();
  assert.notEqual(now, old);
  const { json } = await elasticsearch('GET', `/_alias/${world.alias}`);
  assert.deepEqual(json[now].aliases[world.alias], properties);
});

test('of two rebuilds at the same time exactly one ends with 21, and the other with 0', async () => {
  const first = world.start('--rate', '2000');
  const second = world.start('--rate', '2000');
  const [a, b] = await Promise.all([first.ended, second.ended]);
  assert.deepEqual([a.code, b.code].sort(), [0, 21], a.stderr + b.stderr);
  assert.equal((await world.indices()).length, 1);
  await world.assertServed();
});

test('SIGKILL between the swap and its record: the same command finishes the clean-up and builds nothing', async () => {
  assert.equal((await world.rebuild()).code, 0);
  const [old = ''] = await world.served();
  const killed = world.start();
  world.proxy.hooks = {
    after: (call) => {
      if (!movesAlias(call)) return undefined;
      killed.kill('SIGKILL');
      return 'cut';
    },
  };
  assert.equal((await killed.ended).signal, 'SIGKILL');
  world.proxy.hooks = {};
  const [swapped = ''] = await waitFor('the swap', async () => {
    const served = await world.served();
    return served[0] === old ? null : served;
  });
  await world.database.client.query(
    `update goods set name = 'late' where id = 5; delete from goods where id = 6; insert into goods values (6, 'again', 'k0')`,
  );
  const { code, stderr, events } = await world.rebuild();
  assert.equal(code, 0, stderr);
  assert.deepEqual(
    events.filter(({ type }) => type === 'phase.started').map(({ phase }) => phase),
    ['preflight', 'cleanup'],
  );
  assert.deepEqual(await world.served(), [swapped]);
  assert.deepEqual(await world.indices(), [old, swapped]);
  await world.assertServed([old]);
});

test('the answer to the swap is lost: it is read back, and the build ends well', async () => {
  assert.equal((await world.rebuild()).code, 0);
  const [old = ''] = await world.served();
  let cuts = 0;
  world.proxy.hooks = { after: (call) => (movesAlias(call) && cuts++ === 0 ? 'cut' : undefined) };
  const { code, stderr } = await world.rebuild();
  assert.equal(code, 0, stderr);
  assert.ok(cuts > 0);
  await world.assertServed([old]);
});
