import assert from 'node:assert/strict';
import { connect } from '../support/servers.ts';
import { waitFor } from '../support/wait-for.ts';
import { type FaultWorld, faultTest, killAt } from './fault-world.ts';

faultTest('F2: an open writing transaction is named after --slot-timeout, and no slot is left', async (world) => {
  const writer = await connect(world.database.url);
  await writer.query('begin; insert into t values (-1)');
  const { rows } = await writer.query('select pg_backend_pid() as pid');
  const exit = await world.rebuild({ flags: ['--slot-timeout', '1s'] });
  const { message } = await world.assertStopped(exit, 75);
  assert.match(message, new RegExp(`pid ${rows[0].pid} \\(postgres`));
  assert.deepEqual(await world.sql(`select slot_name from pg_replication_slots where database = current_database()`), []);
  await writer.query('rollback');
  await writer.end();
  await world.assertServed(await world.rebuild());
});

/** The exporter is the only walsender before the load. */
const endExporter = (world: FaultWorld) => (): Promise<unknown> =>
  world.sql(`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and backend_type = 'walsender'`);

faultTest('F3: the exporting connection dies before the load may start: the slot is dropped, the same run makes another one', async (world) => {
  world.points.at('slot.created', endExporter(world));
  const exit = await world.rebuild();
  await world.assertServed(exit);
  assert.ok(exit.events.some((event) => event.type === 'retry' && event.operation === 'slot'));
});

faultTest('F3: the exporting connection dies each time: nothing is left, the same command starts over', async (world) => {
  for (const nth of [1, 2]) world.points.at('slot.created', endExporter(world), nth);
  const exit = await world.rebuild();
  await world.assertStopped(exit, 75);
  assert.deepEqual(
    await world.sql(
      'select slot_name as name from pg_replication_slots where database = current_database() union all select pubname from pg_publication',
    ),
    [],
  );
  await world.assertServed(await world.rebuild());
});

faultTest('F4: killed with a slot and no index: status shows the orphan and what it holds back, and the same command clears it', async (world) => {
  await killAt(world, 'slot.ready').run();
  assert.equal(await world.generation(), '');
  const status = await world.command('status');
  const facts = status.events.find(({ type }) => type === 'status') as unknown as {
    slots: { name: string; build: null; retainedBytes: string }[];
    orphans: string[];
  };
  assert.equal(facts.slots.length, 1);
  assert.match(facts.slots[0]?.retainedBytes ?? '', /^\d+$/);
  assert.match(facts.orphans.join(), new RegExp(String(facts.slots[0]?.name)));
  await world.assertUntouched();
  const exit = await world.rebuild();
  await world.assertServed(exit);
  assert.equal(exit.events.find(({ type }) => type === 'build.started')?.resumed, false);
});

faultTest('F4: what a kill left before the index exists is removed by abort', async (world) => {
  await killAt(world, 'slot.created').run();
  const aborted = await world.command('abort', '--yes');
  assert.equal(aborted.code, 0, aborted.stderr);
  assert.deepEqual(
    await world.sql(
      'select slot_name as name from pg_replication_slots where database = current_database() union all select pubname from pg_publication',
    ),
    [],
  );
});

faultTest('F11: the slot is dropped by an operator: exit 24, not resumed, not swapped', async (world) => {
  world.points.at('chunk.read', async () => {
    await waitFor(
      'the stream',
      async () => (await world.sql(`select 1 from pg_replication_slots where database = current_database() and active`)).length > 0,
    );
    await world.sql(`select pg_terminate_backend(active_pid, 5000) from pg_replication_slots where database = current_database() and active`);
    await world.sql(`select pg_drop_replication_slot(slot_name) from pg_replication_slots where database = current_database() and not active`);
  });
  const { kind } = await world.assertStopped(await world.rebuild(), 24);
  assert.equal(kind, 'slot-lost');
});

faultTest('F11: the slot is gone when the build is resumed: exit 24 and --fresh starts over', async (world) => {
  await killAt(world, 'chunk.settled').run();
  await waitFor(
    'the walsender to end',
    async () => (await world.sql(`select 1 from pg_replication_slots where database = current_database() and active`)).length === 0,
  );
  await world.sql(`select pg_drop_replication_slot(slot_name) from pg_replication_slots where database = current_database()`);
  const { text } = await world.assertStopped(await world.rebuild(), 24);
  assert.match(text, /--fresh/);
  await world.assertServed(await world.rebuild({ flags: ['--fresh'] }));
});

faultTest('F13: more WAL than --max-slot-wal: the build stops and drops the slot, production comes first', async (world) => {
  world.points.at('chunk.read', async () => {
    await world.sql(`select pg_logical_emit_message(false, 'fill', repeat('x', 1000000)) from generate_series(1, 12)`);
    await waitFor(
      'the slot to be dropped',
      async () => (await world.sql(`select 1 from pg_replication_slots where database = current_database()`)).length === 0,
    );
  });
  const { kind, text } = await world.assertStopped(await world.rebuild({ flags: ['--max-slot-wal', '4MiB'] }), 26);
  assert.equal(kind, 'slot-wal-limit');
  assert.match(text, /Slot and publication are dropped/);
});
