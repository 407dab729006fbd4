import assert from 'node:assert/strict';
import { isBulk } from '../support/http-fault-proxy.ts';
import { waitFor } from '../support/wait-for.ts';
import { type FaultWorld, faultTest, killAt } from './fault-world.ts';

const WALSENDER = `from pg_stat_activity where datname = current_database() and backend_type = 'walsender'`;
const SLOT = `from pg_replication_slots where database = current_database() and not temporary`;

async function walsenderPid(world: FaultWorld): Promise<unknown> {
  return await waitFor('the walsender', async () => (await world.sql(`select active_pid as pid ${SLOT} and active`))[0]?.pid ?? null);
}

faultTest('F26: the walsender is killed inside a large transaction: it comes again whole, and is acknowledged only whole', async (world) => {
  world.points.at('load.finished', async () => {
    await world.sql(`update t set v = 'big', body = repeat(md5(id::text), 200)`);
  });
  const cut = world.postgres.once({ direction: 'down', on: 'stream', kind: 'cut', after: 900, inMessage: true });
  const exit = await world.rebuild();
  await cut;
  await world.assertServed(exit);
  assert.ok(exit.events.some((event) => event.type === 'retry' && event.operation === 'stream'));
});

faultTest('F26: the walsender is terminated while changes stream', async (world) => {
  world.points.at('load.finished', async () => {
    await world.sql(`update t set v = 'before'`);
    await world.sql(`select pg_terminate_backend(pid, 5000) ${WALSENDER}`);
    await world.sql(`update t set v = 'after' where id % 2 = 0; delete from t where id % 3 = 0`);
  });
  await world.assertServed(await world.rebuild());
});

faultTest('F7: killed between the acknowledgement of a bulk and that of the slot: the changes come again and change nothing', async (world) => {
  const killed = killAt(world, 'replay.durable', 2);
  world.points.at('load.finished', () => world.sql(`update t set v = 'late' where id <= 500; delete from t where id > 1900`));
  await killed.run();
  await world.assertUntouched();
  await world.assertServed(await world.rebuild());
});

faultTest('F29: bulks stall longer than wal_sender_timeout: the connection is kept by status messages that acknowledge nothing', async (world) => {
  const role = `${world.alias}_role`;
  await world.sql(`create role ${role} login superuser password 'x'; alter role ${role} set wal_sender_timeout = '1500ms'`);
  try {
    const url = new URL(world.database.url);
    url.username = role;
    url.password = 'x';
    world.points.at('load.finished', async () => {
      const pid = await walsenderPid(world);
      let heldLsn = '';
      let arrived = false;
      const until = (async () => {
        await waitFor('the held bulk', () => arrived && heldLsn !== '');
        const { rows } = await world.database.client.query(`select clock_timestamp() + interval '4 s' as until`);
        await waitFor(
          'more than two timeouts',
          async () => (await world.sql(`select 1 where clock_timestamp() > '${rows[0].until.toISOString()}'`)).length > 0,
        );
        assert.equal(await walsenderPid(world), pid);
        const passed = await world.sql(`select 1 ${SLOT} and confirmed_flush_lsn >= '${heldLsn}'`);
        assert.deepEqual(passed, [], 'the held change is not acknowledged');
      })();
      until.catch((error: unknown) => assert.fail(error as Error));
      world.http.next(
        (call) => {
          if (isBulk(call)) arrived = true;
          return isBulk(call);
        },
        { kind: 'hold', until },
      );
      await world.sql(`update t set v = 'held' where id = 1`);
      heldLsn = String((await world.sql('select pg_current_wal_insert_lsn()::text as lsn'))[0]?.lsn);
    });
    await world.assertServed(await world.rebuild({ databaseUrl: url.href }));
  } finally {
    await world.sql(`drop role ${role}`);
  }
});

faultTest('F30: the table is idle and the cluster is busy: the slot advances all the same', async (world) => {
  await world.sql('create table other (n int)');
  world.points.at('verify.compared', async () => {
    await world.sql('insert into other select generate_series(1, 2000)');
    const [target] = await world.sql('select pg_current_wal_insert_lsn()::text as lsn');
    await world.sql('insert into other select generate_series(1, 2000)');
    await waitFor('the slot to pass the changes of the other table', async () => {
      return (await world.sql(`select 1 ${SLOT} and confirmed_flush_lsn >= '${target?.lsn}'`)).length > 0;
    });
  });
  await world.assertServed(await world.rebuild());
});

faultTest('F33 F34 F35: key swaps, unchanged TOAST, TRUNCATE and a refill while the replay runs', async (world) => {
  world.points.at('load.finished', async () => {
    await world.sql(`update t set v = 'toast kept' where id % 50 = 0`);
    await world.sql('begin; update t set id = -7 where id = 7; update t set id = 7 where id = 8; update t set id = 8 where id = -7; commit');
    await world.sql(`update t set id = id + 100000 where id between 20 and 30`);
  });
  world.points.at('catchup.applied', async () => {
    await world.sql(
      `begin; insert into t values (777777, 'gone', 'x'); truncate t; insert into t select g, 'refilled', repeat('y', 5000) from generate_series(1, 300) g; commit`,
    );
    await world.sql(`update t set v = 'and changed' where id < 50`);
  });
  await world.assertServed(await world.rebuild());
});

faultTest('F35: TRUNCATE in the middle of the load', async (world) => {
  world.points.at('chunk.settled', () => world.sql(`truncate t; insert into t select g, 'after', 'x' from generate_series(1500, 1700) g`), 2);
  await world.assertServed(await world.rebuild({ flags: ['--rate', '800'] }));
});

faultTest('F28: 60,000 updates in one transaction through 96 MB of heap and a short wal_sender_timeout', async (world) => {
  await world.sql(`insert into t select g, 'v', repeat(md5(g::text), 12) from generate_series(10001, 70000) g`);
  const role = `${world.alias}_role`;
  await world.sql(`create role ${role} login superuser password 'x'; alter role ${role} set wal_sender_timeout = '3s'`);
  try {
    const url = new URL(world.database.url);
    url.username = role;
    url.password = 'x';
    world.points.at('chunk.settled', () => world.sql(`update t set v = 'big' where id > 10000`));
    await world.assertServed(await world.rebuild({ databaseUrl: url.href, env: { NODE_OPTIONS: '--max-old-space-size=96' } }));
  } finally {
    await world.sql(`drop role ${role}`);
  }
});
