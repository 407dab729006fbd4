import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemClock } from '../../src/cli/clock.ts';
import type { LimitChanges } from '../../src/core/control.ts';
import type { RunEvent } from '../../src/core/events.ts';
import { Failure } from '../../src/core/failure.ts';
import type { BulkAnswer } from '../../src/core/sink/operation.ts';
import type { Sink } from '../../src/phases/sink-ports.ts';
import { steer } from '../../src/phases/steering/steer.ts';
import { connect } from '../support/servers.ts';
import { waitFor } from '../support/wait-for.ts';
import { withSides } from './in-process.ts';
import { type RuleWorld, ruleWorld } from './rule-world.ts';

let world: RuleWorld;

before(async () => {
  world = await ruleWorld();
  await world.database.client.query(`
    create table big (id int primary key, v text);
    insert into big select g, repeat('x', 200) from generate_series(1, 4000) g;
    create table switch (busy boolean); insert into switch values (true)`);
});
after(() => world.dispose());

const NO_THROTTLES = { replicaLagMs: null, query: null, flagFile: null };
const CHUNKS = { chunkBlocks: 8 };

/** Builds `big` and remembers what was told. */
function watched(request: Parameters<RuleWorld['build']>[0]) {
  const events: RunEvent[] = [];
  const run = world.build({ table: 'public.big', ...request, onEvent: (event) => void events.push(event) });
  run.catch(() => undefined);
  const told = (reason: string, detail: RegExp) =>
    waitFor(`throttle ${reason}`, () => events.some((event) => event.type === 'throttle' && event.reason === reason && detail.test(event.detail)));
  return { run, events, told };
}

test('limits.query and limits.flagFile hold the load back, with the reason shown, until they are over', async () => {
  let exists = true;
  const throttles = { ...NO_THROTTLES, query: 'select busy from public.switch', flagFile: '/held' };
  const { run, events, told } = watched({ options: { ...CHUNKS, throttles }, fileExists: async () => exists });
  await told('query', /limits\.query/);
  await told('flag-file', /\/held/);
  await waitFor('the reasons in the progress', () =>
    events.some((event) => event.type === 'progress' && event.rows === 0 && /limits\.query.*limits\.flagFile/.test(event.throttle)),
  );
  exists = false;
  await told('flag-file', /^over$/);
  await world.database.client.query('update switch set busy = false');
  await told('query', /^over$/);
  assert.equal((await run).result.outcome, 'built');
});

test('limits.query that cannot run is refused by the preflight: nothing is made', async () => {
  for (const query of [
    'select 1; drop table public.switch',
    'select busy from public.swich',
    'select 1',
    'delete from public.switch returning busy',
  ]) {
    const { run, events } = watched({ options: { throttles: { ...NO_THROTTLES, query } } });
    await assert.rejects(
      run,
      (error) => error instanceof Failure && error.kind === 'preflight-refused' && /limits\.query/.test(error.message),
      query,
    );
    assert.ok(!events.some(({ type }) => type === 'build.started'), query);
  }
  const slots = await world.database.client.query(`select from pg_replication_slots where database = current_database()`);
  assert.equal(slots.rowCount, 0);
});

test('limits.query that fails later holds the load back and is told loudly; the build ends well once it works again', async () => {
  const throttles = { ...NO_THROTTLES, query: 'select off from public.valve' };
  await world.database.client.query('create table valve as select false as off');
  const { run, events, told } = watched({ options: { ...CHUNKS, rate: 1500, throttles } });
  await waitFor('a chunk', () => events.some((event) => event.type === 'progress' && event.rows > 0));
  await world.database.client.query('alter table valve rename to broken');
  await told('query', /relation "public\.valve" does not exist \(SQLSTATE 42P01\)/);
  const warnings = () => events.filter((event) => event.type === 'warning' && event.code === 'limits-query');
  await waitFor('the warning', () => warnings().length === 1);
  await world.database.client.query('insert into big values (-1, $1)', ['while it holds']);
  await world.database.client.query('alter table broken rename to valve');
  await told('query', /^over$/);
  await withSides(world.database, (sides) => steer({ ...sides, ...steering(world.alias), order: { kind: 'set', limits: { rate: 0 } } }));
  assert.equal((await run).result.outcome, 'built');
  assert.equal(warnings().length, 1);
});

test('a standby that is behind holds the load back', async () => {
  let lagMs = 60_000;
  const { run, told } = watched({
    options: { ...CHUNKS, throttles: { ...NO_THROTTLES, replicaLagMs: 10_000 } },
    wrapSource: (source) => ({ ...source, replicaLag: async () => ({ lagMs, hidden: 0 }) }),
  });
  await told('replica-lag', /60\.0 s behind/);
  lagMs = 10;
  assert.equal((await run).result.outcome, 'built');
});

test('the real figure: no standby, no lag', async () => {
  assert.deepEqual(await withSides(world.database, ({ source }) => source.replicaLag()), { lagMs: 0, hidden: 0 });
});

test('who waits for ACCESS EXCLUSIVE gets it between two chunks, and the build goes on behind him', async () => {
  const { run, events, told } = watched({ options: { ...CHUNKS, rate: 1500 } });
  await waitFor('a chunk', () => events.some((event) => event.type === 'progress' && event.rows > 0));
  const client = await connect(world.database.url);
  try {
    await client.query(`begin; set local lock_timeout = '15s'; lock table big in access exclusive mode`);
    await told('lock', /ACCESS EXCLUSIVE on (public\.)?big/);
    await client.query('commit');
  } finally {
    await client.end();
  }
  await told('lock', /^over$/);
  await withSides(world.database, (sides) => steer({ ...sides, ...steering(world.alias), order: { kind: 'set', limits: { rate: 0 } } }));
  assert.equal((await run).result.outcome, 'built');
});

const steering = (alias: string) => ({ clock: systemClock, alias, signal: new AbortController().signal });

test('limits that are set while it runs: the rate, the readers, the WAL of the slot', async () => {
  const set = (limits: LimitChanges) =>
    withSides(world.database, (sides) => steer({ ...sides, ...steering(world.alias), order: { kind: 'set', limits } }));
  const { run, events } = watched({ options: { ...CHUNKS, rate: 200, copyJobs: 1 } });
  await waitFor('the load', () => events.some((event) => event.type === 'progress' && event.phase === 'load'));
  await set({ maxSlotWal: 12_345_678_901, copyJobs: 4, bulkJobs: 4 });
  await waitFor('the new limit', () => events.some((event) => event.type === 'progress' && event.slotWalLimitBytes === '12345678901'));
  await set({ rate: 0 });
  assert.equal((await run).result.outcome, 'built');
});

test('429s shrink what is under way and recover', async () => {
  let refusals = 6;
  let inFlight = 0;
  let most = 0;
  const overloaded = async (): Promise<BulkAnswer> => ({ kind: 'retry', errorType: 'es_rejected_execution_exception' });
  const wrapSink = (sink: Sink): Sink => ({
    ...sink,
    bulk: async (buildAlias, body) => {
      if (refusals-- > 0) return overloaded();
      inFlight++;
      most = Math.max(most, inFlight);
      try {
        return await sink.bulk(buildAlias, body);
      } finally {
        inFlight--;
      }
    },
  });
  const { result, events } = await world.build({ table: 'public.big', wrapSink, options: { ...CHUNKS, bulkJobs: 4, bulkBytes: 16 << 10 } });
  assert.equal(result.outcome, 'built');
  assert.ok(events.some((event) => event.type === 'retry' && event.errorType === 'es_rejected_execution_exception'));
  assert.ok(most >= 1 && most <= 4 + 4, `${most} bulks at once`);
});

test('the limit of the slot names who else keeps the WAL, stops the build and leaves no slot', async () => {
  const { run, events } = watched({ options: { ...CHUNKS, rate: 300, maxSlotWalBytes: 3n << 20n } });
  await waitFor('the load', () => events.some((event) => event.type === 'phase.started' && event.phase === 'load'));
  const client = await connect(world.database.url);
  try {
    await client.query('begin; create table noise as select g, repeat(md5(g::text), 10) as v from generate_series(1, 40000) g');
    await assert.rejects(run, (error) => {
      return error instanceof Failure && error.kind === 'slot-wal-limit' && /open writing transactions keep it too: pid \d+/.test(error.message);
    });
  } finally {
    await client.query('rollback');
    await client.end();
  }
});

test('--swap-when: what was asked for is obeyed on one data node too; only the default adapts, and says so', async () => {
  const asked: string[] = [];
  const wrapSink = (sink: Sink): Sink => ({
    ...sink,
    identity: async () => ({ ...(await sink.identity()), dataNodes: 1 }),
    waitForHealth: async (_index, level) => asked.push(level) > 0,
  });
  const told: number[] = [];
  for (const [swapWhen, replicas] of [
    ['green', 1],
    ['yellow', 1],
    [null, 1],
    [null, 0],
  ] as const) {
    const config = { settings: { number_of_replicas: replicas } };
    const preflight: Sink['preflight'] = async () => [];
    const { events } = await world.build({
      table: 'public.t',
      config,
      wrapSink: (sink) => ({ ...wrapSink(sink), preflight }),
      options: { swapWhen },
    });
    told.push(events.filter((event) => event.type === 'warning' && event.code === 'swap-when').length);
  }
  assert.deepEqual(asked, ['green', 'yellow', 'yellow', 'green']);
  assert.deepEqual(told, [0, 0, 1, 0]);
});
