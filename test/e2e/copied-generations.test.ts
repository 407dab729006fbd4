import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { Failure } from '../../src/core/failure.ts';
import { abortBuild } from '../../src/phases/generations/abort.ts';
import { readInventory } from '../../src/phases/generations/inventory.ts';
import { findLeftovers, sweep } from '../../src/phases/generations/sweep.ts';
import { elasticsearch, indicesLike } from '../support/servers.ts';
import { waitFor } from '../support/wait-for.ts';
import { type InProcessRun, withSides } from './in-process.ts';
import { type RuleWorld, ruleWorld } from './rule-world.ts';

let world: RuleWorld;

beforeEach(async () => {
  world = await ruleWorld();
});
afterEach(() => world.dispose());

/** A clone carries the `_meta` of its source, and no alias. */
async function clone(index: string, name: string): Promise<string> {
  const copy = `${world.alias}-${name}`;
  const calls = [
    ['PUT', `/${index}/_settings`, { 'index.blocks.write': true }],
    ['POST', `/${index}/_clone/${copy}`, { settings: { 'index.blocks.write': null } }],
    ['PUT', `/${index}/_settings`, { 'index.blocks.write': null }],
  ] as const;
  for (const [method, path, body] of calls) {
    const { status, text } = await elasticsearch(method, path, body);
    assert.equal(status, 200, text);
  }
  const { json } = await elasticsearch('GET', `/${copy}/_mapping`);
  assert.equal(json[copy].mappings._meta.realign.alias, world.alias, 'the copy carries the state');
  return copy;
}

const exists = async (index: string): Promise<boolean> => (await indicesLike(`${world.alias}*`)).includes(index);

async function slots(): Promise<readonly unknown[]> {
  return (await world.database.client.query(`select slot_name, active from pg_replication_slots where database = current_database()`)).rows;
}

test('a clone of a finished generation is not deleted, whatever is kept, and is named', async () => {
  const first = (await world.build()).result.index;
  const backup = await clone(first, 'backup');
  await world.build();
  const { result } = await world.build({ options: { keep: 1 } });
  assert.ok(!(await exists(first)), 'beyond keep');
  assert.ok(await exists(backup), 'made by somebody else');
  await withSides(world.database, async ({ source, sink }) => {
    const request = { source, sink, alias: world.alias, keep: 0 };
    const { staying } = await findLeftovers(request);
    assert.match(staying.find(({ index }) => index === backup)?.reason ?? '', /a copy of build/);
    assert.deepEqual(await sweep(request), [`index ${result.previous}`]);
    await abortBuild(request);
    const { copies, generations } = await readInventory(request);
    assert.deepEqual([copies.map(({ index }) => index), generations.map(({ index }) => index)], [[backup], [result.index]]);
    const uuid = (await sink.indexUuid(backup)) ?? '';
    await assert.rejects(sink.deleteIndex(backup, uuid), (error) => error instanceof Failure && error.kind === 'sink-refused');
  });
  assert.ok(await exists(backup));
});

test('cleanup and abort leave the slot of a follower alone though a clone of its index names it', async () => {
  const aborter = new AbortController();
  let index = '';
  let follows = false;
  const run: Promise<InProcessRun> = world.build({
    options: { follow: true },
    signal: aborter.signal,
    onEvent: (event) => {
      if (event.type === 'build.started') index = event.generation;
      if (event.type === 'phase.started' && event.phase === 'follow') follows = true;
    },
  });
  run.catch(() => undefined);
  try {
    await waitFor('the follower', async () => follows || (await Promise.race([run, false])));
    await clone(index, 'backup');
    const before = await slots();
    assert.equal(before.length, 1);
    await withSides(world.database, async ({ source, sink }) => {
      const request = { source, sink, alias: world.alias, keep: 0 };
      assert.deepEqual(await sweep(request), []);
      await assert.rejects(abortBuild(request), (error) => error instanceof Failure && error.kind === 'locked');
    });
    assert.deepEqual(await slots(), before);
    await world.database.client.query(`update t set v = 'followed' where id = '1'`);
    const followed = async (): Promise<boolean> => (await elasticsearch('GET', `/${index}/_doc/1`)).json._source.v === 'followed';
    await waitFor('the follower to go on', followed);
  } finally {
    aborter.abort(new Failure('terminated', 'the test is over'));
    await Promise.allSettled([run]);
    await withSides(world.database, (sides) => abortBuild({ ...sides, alias: world.alias }));
  }
});

test('the true unfinished build is resumed or aborted, not a clone of it', async () => {
  const stopHalfway = async (): Promise<string> => {
    let index = '';
    const stop = world.build({
      failpoint: async (name) => {
        if (name === 'load.finished') throw new Failure('terminated', 'stopped by the test');
      },
      onEvent: (event) => {
        if (event.type === 'build.started') index = event.generation;
      },
    });
    await assert.rejects(stop, (error) => error instanceof Failure && error.kind === 'terminated');
    return index;
  };
  const half = await stopHalfway();
  // Before and behind it in the order of names.
  const copies = [await clone(half, '0-copy'), await clone(half, 'copy')];
  const resumed = await world.build();
  assert.equal(resumed.result.index, half);
  assert.ok(resumed.events.some((event) => event.type === 'build.started' && event.resumed));
  await world.assertEqual(half);
  const next = await stopHalfway();
  copies.push(await clone(next, 'copy-2'));
  const { removed } = await withSides(world.database, (sides) => abortBuild({ ...sides, alias: world.alias }));
  assert.deepEqual(
    removed.filter((what) => what.startsWith('index ')),
    [`index ${next}`],
  );
  for (const copy of copies) assert.ok(await exists(copy), copy);
});
