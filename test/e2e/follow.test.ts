import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { systemClock } from '../../src/cli/clock.ts';
import { Failure } from '../../src/core/failure.ts';
import { planRollback, type RollbackRequest, rollBack } from '../../src/phases/generations/rollback.ts';
import { assertIndexEqualsTable } from '../support/oracle.ts';
import { elasticsearch } from '../support/servers.ts';
import { waitFor } from '../support/wait-for.ts';
import type { InProcessBuild, InProcessRun } from './in-process.ts';
import { withSides } from './in-process.ts';
import { type RuleWorld, ruleWorld } from './rule-world.ts';
import { seedRows, startWriter, WORKLOAD_SCHEMA } from './writers.ts';

let world: RuleWorld;
let aborters: AbortController[] = [];
let runs: Promise<InProcessRun>[] = [];

beforeEach(async () => {
  world = await ruleWorld();
  aborters = [];
  runs = [];
});

afterEach(async () => {
  for (const aborter of aborters) aborter.abort(new Failure('terminated', 'the test is over'));
  await Promise.allSettled(runs);
  // What a stopped follower keeps is meant to stay; here nobody resumes it.
  await world.database.client.query(
    `select pg_drop_replication_slot(slot_name) from pg_replication_slots where database = current_database() and not active`,
  );
  const { rows } = await world.database.client.query<{ name: string }>('select pubname as name from pg_publication');
  for (const { name } of rows) await world.database.client.query(`drop publication ${name}`);
  await world.dispose();
});

interface Follower {
  readonly run: Promise<InProcessRun>;
  readonly aborter: AbortController;
  readonly index: string;
}

interface FollowerRequest extends Partial<InProcessBuild> {
  readonly onPhase?: (phase: string, detail: string) => void;
}

/** Starts `rebuild --follow` and waits until it follows. */
async function startFollower({ onPhase, ...request }: FollowerRequest = {}): Promise<Follower> {
  const aborter = new AbortController();
  let index = '';
  let follows = false;
  const run = world.build({
    ...request,
    options: { follow: true, ...request.options },
    signal: aborter.signal,
    onEvent: (event) => {
      if (event.type === 'phase.finished') onPhase?.(event.phase, event.detail);
      if (event.type === 'build.started') index = event.generation;
      if (event.type === 'phase.started' && event.phase === 'follow') follows = true;
    },
  });
  aborters.push(aborter);
  runs.push(run);
  run.catch(() => undefined);
  await waitFor('the follower', async () => follows || (await Promise.race([run, false])));
  return { run, aborter, index };
}

async function read(index: string, id: string): Promise<string | null> {
  const { status, json } = await elasticsearch('GET', `/${index}/_doc/${id}`);
  return status === 200 ? json._source.v : null;
}

const write = async (sql: string): Promise<void> => void (await world.database.client.query(sql));
const seen = (index: string, id: string, value: string | null) =>
  waitFor(`${id} = ${value} in ${index}`, async () => (await read(index, id)) === value);

const rollbackRequest = (to: string | null): Omit<RollbackRequest, 'source' | 'sink'> => ({
  clock: systemClock,
  reporter: { report: () => undefined },
  alias: world.alias,
  to,
  signal: new AbortController().signal,
});

test('a follower applies changes after the swap, and the same command goes on where it was stopped', async () => {
  const first = await startFollower();
  await write(`update t set v = 'followed' where id = '1'; delete from t where id = '2'`);
  await seen(world.alias, '1', 'followed');
  first.aborter.abort(new Failure('terminated', 'stopped by SIGTERM'));
  await assert.rejects(first.run, (error) => error instanceof Failure && error.kind === 'terminated');
  await write(`insert into t values ('while nobody looked', 'x')`);
  const second = await startFollower();
  assert.equal(second.index, first.index);
  await seen(world.alias, 'while nobody looked', 'x');
  await world.assertEqual(second.index);
});

test('an idle table in a busy database keeps no log: the slot advances by keepalives', async () => {
  const { index } = await startFollower();
  const { rows } = await world.database.client.query<{ lsn: string }>('select pg_current_wal_insert_lsn()::text as lsn');
  await write('create table noise (id int); insert into noise select generate_series(1, 20000)');
  const behind = `select pg_wal_lsn_diff(confirmed_flush_lsn, '${rows[0]?.lsn}')::int8 > 100000 as past from pg_replication_slots where database = current_database()`;
  await waitFor('the slot to pass the noise', async () => (await world.database.client.query<{ past: boolean }>(behind)).rows[0]?.past);
  await world.assertEqual(index);
});

test('the next rebuild takes over at its swap: the follower ends well, and its slot is gone', async () => {
  const old = await startFollower();
  const { result } = await world.build();
  const ended = await old.run;
  assert.equal(ended.result.outcome, 'built');
  assert.notEqual(result.index, old.index);
  assert.equal(result.previous, old.index);
  const { rows } = await world.database.client.query('select slot_name from pg_replication_slots where database = current_database()');
  assert.deepEqual(rows, []);
  await world.assertEqual(result.index);
});

test('kept fresh: a rollback to the older generation loses nothing', async () => {
  const old = await startFollower();
  const { result } = await world.build({ options: { keepFreshMs: 600_000 } });
  await write(`update t set v = 'after the swap' where id = '7'`);
  await withSides(world.database, async (sides) => {
    const plan = await planRollback({ ...sides, ...rollbackRequest(null) });
    assert.deepEqual([plan.from.index, plan.to.index, plan.freshness.kind], [result.index, old.index, 'fresh']);
    await rollBack({ ...sides, ...rollbackRequest(null) });
  });
  assert.equal(await read(world.alias, '7'), 'after the swap');
  await write(`update t set v = 'after the rollback' where id = '8'`);
  await seen(world.alias, '8', 'after the rollback');
  await elasticsearch('POST', `/${old.index}/_refresh`);
  await world.assertEqual(old.index);
});

test('under two writers: a follower, a build that takes over and follows, the older generation kept fresh; both are the table in the end', async () => {
  await write(WORKLOAD_SCHEMA);
  await write(seedRows(800));
  const writers = [1, 2].map((seed) => startWriter(world.database.url, seed, 1000));
  const request: Partial<InProcessBuild> = { table: 'public.things' };
  const old = await startFollower(request);
  const young = await startFollower({ ...request, options: { keepFreshMs: 600_000 } });
  const served = Object.keys((await elasticsearch('GET', `/_alias/${world.alias}`)).json);
  assert.deepEqual(served, [young.index]);
  for (const writer of writers) await writer.stop();
  const { client } = world.database;
  const { rows } = await client.query<{ lsn: string }>('select pg_current_wal_insert_lsn()::text as lsn');
  const behind = `select count(*)::int as count from pg_replication_slots where database = current_database() and confirmed_flush_lsn < '${rows[0]?.lsn}'`;
  await waitFor('both followers', async () => (await client.query<{ count: number }>(behind)).rows[0]?.count === 0);
  for (const index of [old.index, young.index]) {
    await elasticsearch('POST', `/${index}/_refresh`);
    await assertIndexEqualsTable({ client, table: 'public.things', index });
  }
});

test('what a dead follower left is removed by the build that takes over, and kept fresh ends in time', async () => {
  const dead = await startFollower();
  dead.aborter.abort(new Failure('terminated', 'killed'));
  await assert.rejects(dead.run);
  const second = await startFollower({ options: { fresh: true } });
  const slots = async () =>
    (await world.database.client.query('select slot_name from pg_replication_slots where database = current_database()')).rows.length;
  assert.equal(await slots(), 1);
  const { result } = await world.build({ options: { keepFreshMs: 1500 } });
  assert.equal((await second.run).result.index, second.index);
  assert.equal(await slots(), 0);
  await world.assertEqual(result.index);
});

test('without a follower nothing can be kept fresh, and a rollback says how stale the generation is', async () => {
  const first = await world.build();
  const isRefused = (error: unknown) => error instanceof Failure && error.kind === 'preflight-refused' && /keep-fresh/.test(error.message);
  await assert.rejects(world.build({ options: { keepFreshMs: 1000 } }), isRefused);
  const second = await world.build();
  await withSides(world.database, async (sides) => {
    const { freshness } = await rollBack({ ...sides, ...rollbackRequest(first.result.index) });
    assert.equal(freshness.kind, 'stale');
    assert.match(freshness.kind === 'stale' ? String(freshness.appliedLsn) : '', /^[0-9A-F]+\/[0-9A-F]+$/);
    assert.deepEqual(Object.keys((await elasticsearch('GET', `/_alias/${world.alias}`)).json), [first.result.index]);
    const foreign = rollBack({ ...sides, ...rollbackRequest('somebody-elses-index') });
    await assert.rejects(foreign, (error) => error instanceof Failure && error.kind === 'preflight-refused');
    assert.equal((await planRollback({ ...sides, ...rollbackRequest(null) })).to.index, second.result.index);
  });
});

test('a column that changes ends the following: exit 24, readers stay, the slot is gone', async () => {
  const { run, index } = await startFollower();
  await write('alter table t add column added int');
  await assert.rejects(run, (error) => error instanceof Failure && error.kind === 'source-changed');
  assert.deepEqual(Object.keys((await elasticsearch('GET', `/_alias/${world.alias}`)).json), [index]);
  const { rows } = await world.database.client.query('select slot_name from pg_replication_slots where database = current_database()');
  assert.deepEqual(rows, []);
});

test('--if-changed with --follow: a generation that nobody fed is built anew, and the preflight says why; one that is followed is not', async () => {
  await world.build();
  assert.equal((await world.build({ options: { ifChanged: true } })).result.outcome, 'unchanged');
  const told: string[] = [];
  const unfed = await world.build({ options: { ifChanged: true } });
  const follower = await startFollower({
    options: { ifChanged: true },
    onPhase: (phase, detail) => phase === 'preflight' && told.push(detail),
  });
  assert.notEqual(follower.index, unfed.result.index);
  assert.match(told.join(), new RegExp(`^nothing has changed, but nobody follows ${unfed.result.index} .* only a new build can be followed$`));
  const beside = await world.build({ options: { ifChanged: true, follow: true } });
  assert.deepEqual([beside.result.outcome, beside.result.index], ['unchanged', follower.index]);
  follower.aborter.abort(new Failure('terminated', 'stopped by SIGTERM'));
  await assert.rejects(follower.run);
  const again = await startFollower({ options: { ifChanged: true } });
  assert.equal(again.index, follower.index, 'its slot is there: it is gone on with');
});

test('--if-changed and --run-key: nothing to do while the table and the config are what they were', async () => {
  const first = await world.build({ options: { runKey: 'monday' } });
  const again = await world.build({ options: { runKey: 'monday' } });
  assert.deepEqual([again.result.outcome, again.result.index], ['already-done', first.result.index]);
  assert.equal((await world.build({ options: { ifChanged: true } })).result.outcome, 'unchanged');
  assert.equal((await world.build({ options: { ifChanged: true }, config: { rename: { v: 'value' } } })).result.outcome, 'built');
  await write('alter table t add column added int');
  assert.equal((await world.build({ options: { ifChanged: true }, config: { rename: { v: 'value' } } })).result.outcome, 'built');
});
