import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Failure } from '../../src/core/failure.ts';
import { isRepairAlias, repairAliasOf } from '../../src/core/plan/names.ts';
import type { RepairDoor } from '../../src/phases/audit-ports.ts';
import { abortBuild } from '../../src/phases/generations/abort.ts';
import { readInventory } from '../../src/phases/generations/inventory.ts';
import { findLeftovers, sweep } from '../../src/phases/generations/sweep.ts';
import type { Sink } from '../../src/phases/sink-ports.ts';
import { elasticsearch, indicesLike } from '../support/servers.ts';
import { type AuditWorld, auditWorld, edit } from './audit-world.ts';
import { buildInProcess, type InProcessBuild, withSides } from './in-process.ts';

let world: AuditWorld;

before(async () => {
  world = await auditWorld(40);
});
after(() => world?.dispose());

const repair = (wrapSink: (sink: Sink) => Sink = (sink) => sink) => world.audit({ options: { repair: 'yes' }, wrapSink });

async function aliasesOf(index: string): Promise<readonly string[]> {
  return Object.keys((await elasticsearch('GET', `/${index}/_alias`)).json[index].aliases);
}

const repairsOn = async (index: string): Promise<readonly string[]> => (await aliasesOf(index)).filter((alias) => isRepairAlias(index, alias));

async function leave(index: string, alias: string): Promise<void> {
  const { status, text } = await elasticsearch('POST', '/_aliases', { actions: [{ add: { index, alias, is_hidden: true } }] });
  assert.equal(status, 200, text);
}

const damage = (id: string): Promise<void> => edit(world.index, id, (source) => source.replace('"name":"', '"name":"x'));

/** A repair that is killed at its first write: nothing of what follows comes to be. */
const killed = (sink: Sink): Sink => ({
  ...sink,
  openRepair: async (request): Promise<RepairDoor> => {
    const die = (): Promise<never> => Promise.reject(new Error('killed'));
    return { ...(await sink.openRepair(request)), write: die, close: die };
  },
});

test('what a killed repair left is told, and taken away by the next repair, by cleanup and by abort', async () => {
  const { index, alias } = world;
  await damage('3');
  const kill = async (): Promise<string> => {
    await assert.rejects(repair(killed), /killed/);
    const [left = ''] = await repairsOn(index);
    assert.notEqual(left, '');
    return left;
  };
  await kill();
  // As versions before this one left it.
  await leave(index, `${index}-REPAIR`);
  assert.equal((await repairsOn(index)).length, 2);
  const { report } = await repair();
  assert.deepEqual([report.repair?.proved, await repairsOn(index)], [1, []]);
  await damage('3');
  await withSides(world.database, async (sides) => {
    const request = { ...sides, alias, keep: 1 };
    const first = await kill();
    assert.match((await readInventory(request)).orphans.join(), new RegExp(`alias ${first} was left on ${index}`));
    assert.deepEqual((await findLeftovers(request)).repairs, [{ index, alias: first }]);
    assert.deepEqual(await sweep(request), [`alias ${first}`]);
    const second = await kill();
    assert.deepEqual((await abortBuild(request)).removed, [`alias ${second}`]);
  });
  assert.deepEqual(await aliasesOf(index), [alias]);
  await repair();
});

test('two repairs of one index at once: neither takes the alias of the other away', async () => {
  await damage('4');
  let seen: readonly string[] = [];
  const { report } = await repair((sink) => ({
    ...sink,
    openRepair: async (request) => {
      const door = await sink.openRepair(request);
      const write: RepairDoor['write'] = async (operations) => {
        if (seen.length === 0) {
          await repair();
          await withSides(world.database, (sides) => sweep({ ...sides, alias: world.alias, keep: 1 }));
          seen = await repairsOn(world.index);
          assert.deepEqual(seen, [request.alias]);
        }
        return door.write(operations);
      };
      return { ...door, write };
    },
  }));
  assert.equal(seen.length, 1);
  assert.deepEqual([report.repair?.refused, report.repair?.settled], [[], 1]);
  assert.deepEqual(await repairsOn(world.index), []);
});

test('an index that is another one by now does not keep the alias', async () => {
  const { index } = world;
  await withSides(world.database, ({ sink }) => {
    const opened = sink.openRepair({ index, uuid: 'of-the-one-before', alias: repairAliasOf(index, 'abc123') });
    return assert.rejects(opened, (error) => error instanceof Failure && error.kind === 'target-vanished');
  });
  assert.deepEqual(await repairsOn(index), []);
});

test('an alias that was left is no reader: the generation is cleaned up, and the unfinished build goes whole', async () => {
  const { alias, index, database } = world;
  const request: InProcessBuild = { database, alias, table: 'public.things', config: { settings: { number_of_replicas: 0 } } };
  await leave(index, repairAliasOf(index, 'abc123'));
  const { result } = await buildInProcess({ ...request, options: { keep: 0 } });
  assert.deepEqual(await indicesLike(`${alias}*`), [result.index]);
  let half = '';
  const stopped = buildInProcess({
    ...request,
    failpoint: async (name) => {
      if (name === 'load.finished') throw new Failure('terminated', 'stopped by the test');
    },
    onEvent: (event) => {
      if (event.type === 'build.started') half = event.generation;
    },
  });
  await assert.rejects(stopped, (error) => error instanceof Failure && error.kind === 'terminated');
  await leave(half, repairAliasOf(half, 'abc123'));
  await withSides(database, (sides) => abortBuild({ ...sides, alias }));
  assert.deepEqual(await indicesLike(`${alias}*`), [result.index]);
});
