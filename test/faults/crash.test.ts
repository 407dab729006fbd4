import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FAILPOINTS, type FailpointName } from '../../src/phases/build/failpoints.ts';
import { elasticsearch, indicesLike } from '../support/servers.ts';
import { type FaultWorld, faultTest, faultWorld, killAt } from './fault-world.ts';

/** Only behind these the alias is on the new index. */
const SWAPPED: ReadonlySet<FailpointName> = new Set(FAILPOINTS.slice(FAILPOINTS.indexOf('swap.made'), FAILPOINTS.indexOf('failed.slot-dropped')));
/** A failed build passes this one, and only such a build. */
const OF_FAILURE: ReadonlySet<FailpointName> = new Set(['failed.slot-dropped']);

/** Every change that a build must not lose, made while nobody runs: between the kill and the next run. */
async function change(world: FaultWorld, round: number): Promise<void> {
  await world.sql(`update t set v = 'r${round}' where id % 97 = ${round}`);
  await world.sql(`delete from t where id = ${100 + round}`);
  await world.sql(
    `insert into t values (${10_000 + round}, 'new', 'x'), (${20_000 + round}, 'new', 'y'); delete from t where id = ${20_000 + round}`,
  );
  await world.sql(
    `begin; update t set id = -1 where id = ${300 + round}; update t set id = ${300 + round} where id = ${400 + round}; update t set id = ${400 + round} where id = -1; commit`,
  );
}

async function assertServedOrUntouched(world: FaultWorld, name: FailpointName): Promise<void> {
  if (!SWAPPED.has(name)) return world.assertUntouched();
  const { json } = await elasticsearch('GET', `/_alias/${world.alias}`);
  assert.deepEqual(Object.keys(json), [await world.generation()]);
}

/**
 * One build is killed at each moment in turn, with changes in between, and finished by the same command. It is the whole course of a build in many runs: what one run
 * passed, the next one must find again on the servers.
 */
async function killedEverywhere(names: readonly FailpointName[]): Promise<void> {
  const world = await faultWorld();
  try {
    let round = 0;
    for (const name of names) {
      await killAt(world, name).run();
      await assertServedOrUntouched(world, name);
      // Behind the drain nothing is promised but what is there.
      if (inTurn.indexOf(name) < inTurn.indexOf('cleanup.drained')) await change(world, ++round);
    }
    const exit = await world.rebuild();
    await world.assertServed(exit);
    assert.equal(exit.events.find(({ type }) => type === 'build.started')?.resumed, true);
    const indices = await indicesLike(`${world.alias}*`);
    assert.equal(indices.length, 2, `no second build: ${indices.join(', ')}`);
  } finally {
    await world.dispose();
  }
}

const inTurn = FAILPOINTS.filter((name) => !OF_FAILURE.has(name));
const before = inTurn.slice(0, inTurn.indexOf('load.finished'));
const behind = inTurn.slice(inTurn.indexOf('load.finished'));

// Behind its last step a build is finished: the next run would start another one.
test('F5 F6 F7: killed at every moment up to the load, one after the other: the same command ends in the same build, equal to the table', () =>
  killedEverywhere(before));

test('F7 F8 F9 F10: killed at every moment behind the load, one after the other: the same command ends in the same build, equal to the table', () =>
  killedEverywhere(behind));

faultTest('F6: killed at half of the load: what is done is not read again', async (world) => {
  await killAt(world, 'checkpoint.written').run({ flags: ['--rate', '400'] });
  await world.assertUntouched();
  const exit = await world.rebuild();
  await world.assertServed(exit);
  const rows = Math.max(...exit.events.filter(({ type }) => type === 'progress').map((event) => Number(event.rows)));
  assert.ok(rows < 2000, `${rows} rows were read again`);
});

faultTest('F8: killed behind the verification: the next run proves it again before it swaps', async (world) => {
  await killAt(world, 'swap.asked').run();
  const index = await world.generation();
  await elasticsearch('DELETE', `/${index}/_doc/7?refresh=true`);
  const { text } = await world.assertStopped(await world.rebuild(), 22);
  assert.match(text, /realign/);
});

faultTest('a build that failed for good is killed while it removes its slot: the next run removes the rest', async (world) => {
  await world.sql(`alter table t add column d date; update t set d = 'infinity' where id = 5`);
  const killed = killAt(world, 'failed.slot-dropped');
  await killed.run();
  await world.assertUntouched();
  await world.sql(`update t set d = null`);
  await world.assertServed(await world.rebuild({ flags: ['--fresh'] }));
});
