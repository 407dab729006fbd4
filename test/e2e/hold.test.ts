import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { systemClock } from '../../src/cli/clock.ts';
import { Failure } from '../../src/core/failure.ts';
import { findHeld } from '../../src/phases/steering/release-held.ts';
import { steer } from '../../src/phases/steering/steer.ts';
import { elasticsearch } from '../support/servers.ts';
import { waitFor } from '../support/wait-for.ts';
import { withSides } from './in-process.ts';
import { type RuleWorld, ruleWorld } from './rule-world.ts';

let world: RuleWorld;
const never = new AbortController().signal;

before(async () => {
  world = await ruleWorld();
});
after(() => world.dispose());

const aliasHolders = async (): Promise<readonly string[]> =>
  Object.keys((await elasticsearch('GET', `/_alias/${world.alias}`)).json ?? {}).filter((name) => name !== 'error' && name !== 'status');

/** Starts a build and waits until it is in the phase. */
async function startedTo(phase: string, options: Parameters<RuleWorld['build']>[0]) {
  let reached = false;
  const run = world.build({
    ...options,
    onEvent: (event) => {
      if (event.type === 'phase.started' && event.phase === phase) reached = true;
    },
  });
  run.catch(() => undefined);
  await waitFor(`phase ${phase}`, () => reached);
  return { run };
}

test('a held build goes on applying changes, and swaps when it is told to, verified again', async () => {
  const { run } = await startedTo('hold', { options: { hold: true } });
  assert.deepEqual(await aliasHolders(), []);
  await world.database.client.query(`update t set v = 'held' where id = '3'; delete from t where id = '4'; insert into t values ('held', 'x')`);
  await withSides(world.database, (sides) => steer({ ...sides, clock: systemClock, alias: world.alias, order: { kind: 'swap-now' }, signal: never }));
  const { result, events } = await run;
  assert.deepEqual(await aliasHolders(), [result.index]);
  const modes = events.flatMap((event) => (event.type === 'verify.result' ? [event.mode] : []));
  assert.deepEqual(modes, ['full', 'sample']);
  await world.assertEqual(result.index);
});

test('a connection that is cut in the first looks at orders and pressure, and in the proof of the tail, costs a pause and not the build', async () => {
  const cut = new Set<string>();
  const once = async (what: string): Promise<void> => {
    if (cut.has(what)) return;
    cut.add(what);
    throw new Failure('connection-lost', `cut by the test: ${what}`);
  };
  let proofs = 0;
  const { run } = await startedTo('hold', {
    options: { hold: true },
    wrapSource: (source) => ({
      ...source,
      readComment: (name) => once('orders').then(() => source.readComment(name)),
      exclusiveLock: (oids) => once('pressure').then(() => source.exclusiveLock(oids)),
      keepSnapshot: (name) => (proofs++ > 0 ? once('tail') : Promise.resolve()).then(() => source.keepSnapshot(name)),
    }),
  });
  await withSides(world.database, (sides) => steer({ ...sides, clock: systemClock, alias: world.alias, order: { kind: 'swap-now' }, signal: never }));
  const { result } = await run;
  assert.deepEqual([...cut].toSorted(), ['orders', 'pressure', 'tail']);
  await world.assertEqual(result.index);
});

test('the hold file holds until it goes away', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'realign-hold-'));
  const holdFile = join(folder, 'hold');
  writeFileSync(holdFile, '');
  const { run } = await startedTo('hold', { options: { holdFile }, fileExists: async (path) => existsSync(path) });
  rmSync(folder, { recursive: true });
  await world.assertEqual((await run).result.index);
});

test('held too long: leaves resumable; nothing runs that could be steered; the next run verifies anew and swaps', async () => {
  const isTooLong = (error: unknown) => error instanceof Failure && error.kind === 'held-too-long';
  await assert.rejects(world.build({ options: { hold: true, holdTimeoutMs: 300 } }), isTooLong);
  await withSides(world.database, async (sides) => {
    const held = await findHeld({ ...sides, clock: systemClock, alias: world.alias, signal: never });
    assert.equal(held.running, false);
    const steering = steer({ ...sides, clock: systemClock, alias: world.alias, order: { kind: 'pause' }, signal: never });
    await assert.rejects(steering, (error) => error instanceof Failure && error.kind === 'preflight-refused' && /no build of/.test(error.message));
  });
  await world.database.client.query(`update t set v = 'meanwhile' where id = '5'`);
  const { result, events } = await world.build();
  assert.equal(
    events.some((event) => event.type === 'build.started' && event.resumed),
    true,
  );
  await world.assertEqual(result.index);
});

test('stop and pause: a paused build that is stopped stays paused when it is resumed', async () => {
  await world.database.client.query(
    `create table big (id int primary key, v text); insert into big select g, repeat('x', 200) from generate_series(1, 4000) g`,
  );
  const order = (kind: 'pause' | 'resume' | 'stop') =>
    withSides(world.database, (sides) => steer({ ...sides, clock: systemClock, alias: world.alias, order: { kind }, signal: never }));
  const options = { chunkBlocks: 4, rate: 2000 };
  const { run: first } = await startedTo('load', { table: 'public.big', options: { ...options, fresh: true } });
  await order('pause');
  await order('stop');
  await assert.rejects(first, (error) => error instanceof Failure && error.kind === 'stopped');
  let reason = '';
  let rows = 0;
  const second = world.build({
    table: 'public.big',
    options,
    onEvent: (event) => {
      if (event.type !== 'progress') return;
      reason = event.throttle;
      rows = event.rows;
    },
  });
  await waitFor('the reason to be shown', () => /paused by/.test(reason));
  assert.equal(rows, 0);
  await order('resume');
  assert.equal((await second).result.outcome, 'built');
});
