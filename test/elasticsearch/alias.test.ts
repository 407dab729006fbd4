import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { Failure } from '../../src/core/failure.ts';
import type { AliasProperties, SwapOutcome, SwapRequest } from '../../src/phases/sink-ports.ts';
import { elasticsearch, uniqueName } from '../support/servers.ts';
import { type TestSink, testSink } from './fixture.ts';

let sink: TestSink;
let prefix: string;
let clean: () => Promise<void>;
/** The alias of one test; its indices are `<prefix>-<alias>-…`. */
let alias: string;

before(async () => {
  ({ sink, alias: prefix, clean } = await testSink());
});
after(() => clean());
beforeEach(() => {
  alias = `${prefix}-${uniqueName('a')}`;
});

async function makeIndex(name: string, properties?: AliasProperties): Promise<string> {
  const index = `${alias}-${name}`;
  const body = {
    settings: { number_of_replicas: 0 },
    mappings: { properties: { n: { type: 'long' } } },
    ...(properties ? { aliases: { [alias]: properties } } : {}),
  };
  assert.equal((await elasticsearch('PUT', `/${index}`, body)).status, 200);
  return index;
}

function swap(to: string, from: string | null, more: Partial<SwapRequest> = {}): Promise<SwapOutcome> {
  return sink.swap({ alias, to, from, properties: {}, adopt: false, ...more });
}

async function holders(): Promise<readonly string[]> {
  const target = await sink.readAlias(alias);
  return target.kind === 'alias' ? [...target.indices.keys()].sort() : [];
}

test('a name is an alias, an index or nothing', async () => {
  assert.deepEqual(await sink.readAlias(alias), { kind: 'none' });
  const index = await makeIndex('1', { is_hidden: true });
  assert.deepEqual(await sink.readAlias(index), { kind: 'index' });
  assert.deepEqual(await sink.readAlias(alias), { kind: 'alias', indices: new Map([[index, { is_hidden: true }]]) });
});

test('the swap carries every property over, and twice is once', async () => {
  const carried = { filter: { term: { n: 1 } }, index_routing: 'r', search_routing: 'r', is_write_index: true, is_hidden: true };
  const old = await makeIndex('old', carried);
  const target = await sink.readAlias(alias);
  assert.ok(target.kind === 'alias');
  const properties = target.indices.get(old) ?? {};
  assert.deepEqual(properties, carried);
  const next = await makeIndex('new');
  assert.equal(await swap(next, old, { properties }), 'swapped');
  assert.equal(await swap(next, old, { properties }), 'swapped');
  assert.deepEqual(await sink.readAlias(alias), { kind: 'alias', indices: new Map([[next, carried]]) });
});

test('of eight racing swaps exactly one wins', async () => {
  const old = await makeIndex('old', {});
  const racers = await Promise.all(Array.from({ length: 8 }, (_, i) => makeIndex(`r${i}`)));
  const outcomes = await Promise.all(racers.map((to) => swap(to, old)));
  const winners = racers.filter((_, i) => outcomes[i] === 'swapped');
  assert.equal(winners.length, 1);
  assert.deepEqual(await holders(), winners);
});

test('of eight racing first builds exactly one wins', async () => {
  const racers = await Promise.all(Array.from({ length: 8 }, (_, i) => makeIndex(`r${i}`)));
  const outcomes = await Promise.all(racers.map((to) => swap(to, null)));
  const winners = racers.filter((_, i) => outcomes[i] === 'swapped');
  assert.equal(winners.length, 1);
  assert.deepEqual(await holders(), winners);
});

test('an alias that is not as recorded is left alone', async () => {
  const old = await makeIndex('old', {});
  const next = await makeIndex('new');
  assert.equal(await swap(next, null), 'alias-changed');
  assert.equal(await swap(next, `${alias}-other`), 'alias-changed');
  const third = await makeIndex('third', {});
  assert.equal(await swap(next, old), 'alias-changed');
  assert.deepEqual(await holders(), [old, third].sort());
});

test('a swap to an index that is gone changes nothing and says so', async () => {
  const old = await makeIndex('old', {});
  await assert.rejects(swap(`${alias}-gone`, old), (error) => error instanceof Failure && error.kind === 'target-vanished');
  assert.deepEqual(await holders(), [old]);
});

test('adoption replaces the concrete index by the alias in one step', async () => {
  assert.equal((await elasticsearch('PUT', `/${alias}`, {})).status, 200);
  const next = await makeIndex('new');
  assert.equal(await swap(next, null), 'alias-changed');
  const racers = [next, await makeIndex('new2')];
  const outcomes = await Promise.all(racers.map((to) => swap(to, null, { adopt: true })));
  assert.deepEqual([...outcomes].sort(), ['alias-changed', 'swapped']);
  assert.deepEqual(await holders(), [racers[outcomes.indexOf('swapped')]]);
});

test('with nothing to adopt the flag means nothing, and what became an index meanwhile is not deleted', async () => {
  const old = await makeIndex('old', {});
  const next = await makeIndex('new');
  assert.equal(await swap(next, old, { adopt: true }), 'swapped');
  await sink.removeBuildAlias(next, alias);
  assert.equal((await elasticsearch('PUT', `/${alias}`, {})).status, 200);
  assert.equal(await swap(next, old, { adopt: true }), 'alias-changed');
  assert.deepEqual(await sink.readAlias(alias), { kind: 'index' });
});

test('removing an alias twice is once', async () => {
  const index = await makeIndex('1', {});
  await sink.removeBuildAlias(index, alias);
  await sink.removeBuildAlias(index, alias);
  await sink.removeBuildAlias(`${alias}-gone`, alias);
  assert.deepEqual(await holders(), []);
});
