import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import pg from 'pg';
import { openSource } from '../../../src/postgres/source.ts';
import { type OwnServers, ownServers } from '../../support/own-servers.ts';
import { elasticsearch } from '../../support/servers.ts';
import { waitFor } from '../../support/wait-for.ts';
import { faultTest, killAt } from '../fault-world.ts';

let servers: OwnServers;

/** Small enough for every limit to be met: three slots, one write thread with a queue of one, requests of 2 MB. */
before(async () => {
  servers = await ownServers({
    PG_SETTINGS: 'max_replication_slots=3 checkpoint_timeout=1h',
    ES_SETTINGS: 'http.max_content_length=2mb thread_pool.write.size=1 thread_pool.write.queue_size=1',
  });
});

after(() => servers.down());

function connectionOf(url: string) {
  const { hostname, port, pathname, username, password } = new URL(url);
  return { host: hostname, port: Number(port), database: pathname.slice(1), user: username, password, ssl: false } as const;
}

faultTest('F14: all slots are in use: refused before anything is created, with who holds them', async (world) => {
  for (const n of [1, 2, 3]) await world.sql(`select pg_create_logical_replication_slot('taken_${n}', 'pgoutput')`);
  const { text } = await world.assertStopped(await world.rebuild(), 20);
  assert.match(text, /taken_1|max_replication_slots/);
  assert.deepEqual(await world.sql('select pubname from pg_publication'), []);
  for (const n of [1, 2, 3]) await world.sql(`select pg_drop_replication_slot('taken_${n}')`);
});

faultTest('F14: no walsender is free: told from a server that is away, so that a verification does without its fence', async (world) => {
  const [limit] = await world.sql(`select current_setting('max_wal_senders')::int as senders`);
  const senders = Array.from(
    { length: Number(limit?.senders) },
    () => new pg.Client({ connectionString: `${world.database.url}?replication=database` }),
  );
  const source = await openSource({ ...connectionOf(world.database.url), applicationName: 'realign-test-senders' });
  try {
    for (const sender of senders) await sender.connect();
    const request = { name: 'realign_none', temporary: true, timeoutMs: 5000, signal: new AbortController().signal };
    await assert.rejects(source.createSlot(request), { kind: 'no-free-slot' });
  } finally {
    await Promise.all(senders.map((sender) => sender.end()));
    await source.close();
  }
});

faultTest('F24: a document larger than a request may be: it is rejected alone, its neighbours are there', async (world) => {
  await world.sql(`insert into t select 5000, 'large', repeat('x', 3000000)`);
  await world.sql(`insert into t select g, 'medium', repeat('x', 900000) from generate_series(5001, 5004) g`);
  const { message } = await world.assertStopped(await world.rebuild(), 25);
  assert.match(message, /http.max_content_length/);
  const exit = await world.rebuild({ flags: ['--max-rejects', '1'] });
  assert.equal(exit.code, 0, exit.stderr);
  assert.deepEqual(
    exit.events.filter(({ type }) => type === 'rejected').map(({ id }) => id),
    ['5000'],
  );
  const { json } = await elasticsearch('GET', `/${world.alias}/_count`);
  assert.equal(json.count, 2004);
});

faultTest('F40: a write queue of one and eight connections: refused bulks are sent again, the build ends equal to the table', async (world) => {
  await world.sql(`insert into t select g, 'more', repeat(md5(g::text), 100) from generate_series(10001, 14000) g`);
  const exit = await world.rebuild({ flags: ['--bulk-jobs', '8', '--copy-jobs', '4', '--bulk-bytes', '64KiB'] });
  await world.assertServed(exit);
  assert.ok(exit.events.some((event) => event.type === 'retry' && event.errorType === 'es_rejected_execution_exception'));
});

const CLUSTER_BLOCK = 'cluster.blocks.read_only_allow_delete';

async function blockCluster(blocked: boolean): Promise<void> {
  const { status, text } = await elasticsearch('PUT', '/_cluster/settings', { persistent: { [CLUSTER_BLOCK]: blocked ? true : null } });
  assert.equal(status, 200, text);
}

faultTest(
  'F41: a block on the whole cluster before the index is made: waited for with its reason, and the build goes on when it is gone',
  async (world) => {
    world.points.at('slot.ready', () => blockCluster(true));
    const run = world.start();
    await run.event('the reason', (event) => event.type === 'retry' && event.errorType === 'sink-blocked');
    await blockCluster(false);
    await world.assertServed(await run.ended);
  },
);

faultTest(
  'F41: a block on the whole cluster that stays: exit 75 after --stall-timeout, nothing is left, and the same command builds it later',
  async (world) => {
    world.points.at('slot.ready', () => blockCluster(true));
    const exit = await world.rebuild({ flags: ['--stall-timeout', '2s'] });
    await blockCluster(false);
    const { kind } = await world.assertStopped(exit, 75);
    assert.equal(kind, 'sink-blocked');
    assert.deepEqual(await world.sql('select slot_name from pg_replication_slots where database = current_database()'), []);
    assert.deepEqual(await world.sql('select pubname from pg_publication'), []);
    await world.assertServed(await world.rebuild());
  },
);

faultTest('F12: the slot is invalidated by max_slot_wal_keep_size: exit 24, no swap', async (world) => {
  await world.sql(`alter system set max_slot_wal_keep_size = '16MB'`);
  await world.sql('select pg_reload_conf()');
  world.points.at('chunk.read', async () => {
    await world.sql('create table noise (x text)');
    for (let n = 0; n < 8; n++) {
      await world.sql(`insert into noise select repeat(md5(g::text), 60) from generate_series(1, 10000) g`);
      await world.sql('checkpoint');
      const lost = await world.sql(`select 1 from pg_replication_slots where wal_status = 'lost'`);
      if (lost.length > 0) return;
    }
    assert.fail('the slot was not invalidated');
  });
  const exit = await world.rebuild({ flags: ['--max-slot-wal', '10GiB'] });
  await world.sql('alter system reset max_slot_wal_keep_size');
  await world.sql('select pg_reload_conf()');
  const { kind } = await world.assertStopped(exit, 24);
  assert.equal(kind, 'slot-lost');
});

faultTest('F19: a backend that is stopped in a COPY: nothing arrives for the time of silence, and the connection is given up', async (world) => {
  const database = connectionOf(world.database.url);
  await world.sql(`insert into t select g, 'wide', repeat(md5(g::text), 3000) from generate_series(10001, 10300) g`);
  const source = await openSource({ ...database, applicationName: 'realign-test-silence', silenceMs: 800 });
  const table = await source.describeTable('public.t');
  const [leaf] = table?.leaves ?? [];
  assert.ok(table && leaf);
  const reader = await source.openChunk({ leaf, from: 0, to: null, columns: table.columns });
  const copying = `select pid from pg_stat_activity where datname = current_database() and query like 'copy (select%'`;
  const pid = await waitFor('the COPY', async () => (await world.sql(copying)).map((row) => Number(row.pid))[0]);
  servers.signal(pid, 'SIGSTOP');
  try {
    const reading = (async () => {
      for await (const _ of reader.chunks());
    })();
    await assert.rejects(reading, { kind: 'connection-lost', message: /nothing for 0.8 s/ });
  } finally {
    servers.signal(pid, 'SIGCONT');
  }
  await reader.close();
  await source.close();
});

faultTest('F18: a backend is killed with SIGKILL in a COPY, so that the whole server recovers: the same run goes on', async (world) => {
  world.points.at('chunk.opened', async () => {
    const [row] = await world.sql(
      `select pid from pg_stat_activity where datname = current_database() and application_name like 'realign 0%' and backend_type = 'client backend' limit 1`,
    );
    servers.signal(Number(row?.pid), 'SIGKILL');
    await waitFor('PostgreSQL after its recovery', () =>
      world.reconnect().then(
        () => true,
        () => false,
      ),
    );
  });
  const exit = await world.rebuild();
  await world.assertServed(exit);
  assert.ok(exit.events.some(({ type }) => type === 'retry'));
});

faultTest(
  'F27: PostgreSQL is stopped in immediate mode and started again, in the load and behind it: redelivery is harmless, the same run goes on',
  async (world) => {
    const restart = async (): Promise<void> => {
      await world.sql(`update t set v = 'before the stop' where id % 7 = 0; delete from t where id % 11 = 0`);
      await servers.stopPostgresNow();
      await servers.revive();
      await world.reconnect();
      await world.sql(`update t set v = 'after the stop' where id % 13 = 0`);
    };
    world.points.at('chunk.opened', restart);
    world.points.at('catchup.applied', restart);
    await world.assertServed(await world.rebuild());
  },
);

faultTest('F27: PostgreSQL stays away: exit 75 after --stall-timeout, and the same command resumes', async (world) => {
  world.points.at('chunk.opened', () => servers.stopPostgresNow());
  const exit = await world.rebuild({ flags: ['--stall-timeout', '2s'] });
  await servers.revive();
  await world.reconnect();
  await world.assertStopped(exit, 75);
  await world.assertServed(await world.rebuild());
});

faultTest('F43: Elasticsearch is stopped (SIGSTOP) with bulks under way in the load and behind it: nothing is lost', async (world) => {
  const [pid = 0] = servers.state().elasticsearch.pids;
  const bulks = (): number => world.points.hits.filter((name) => name === 'bulk.sent').length;
  const freeze = async (): Promise<void> => {
    servers.signal(pid, 'SIGSTOP');
    const before = bulks();
    await world.sql(`update t set v = 'frozen' where id % 5 = 0`);
    await waitFor('a bulk that the stopped node does not answer', () => bulks() > before);
    servers.signal(pid, 'SIGCONT');
  };
  world.points.at('chunk.read', freeze);
  world.points.at('load.finished', freeze);
  await world.assertServed(await world.rebuild());
});

faultTest(
  'F44: Elasticsearch is killed (kill -9) with bulks under way, twice, and started again: nothing acknowledged is lost, the same run goes on',
  async (world) => {
    const crash = async (): Promise<void> => {
      await servers.killElasticsearch();
      await world.sql(`update t set v = 'while it was away' where id % 9 = 0; delete from t where id % 10 = 0`);
      await servers.revive();
    };
    world.points.at('bulk.sent', crash, 2);
    world.points.at('catchup.applied', crash);
    await world.assertServed(await world.rebuild({ flags: ['--bulk-bytes', '64KiB'] }));
  },
);

faultTest('F32: a delete, then Elasticsearch killed with its tombstones, then what was held back: no document comes back', async (world) => {
  let release = (): void => undefined;
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  world.points.at('chunk.opened', () => world.http.next(({ path }) => path.includes('/_bulk'), { kind: 'hold', until }));
  const run = world.start({ flags: ['--copy-jobs', '1'] });
  await waitFor('a chunk that is written', () => world.points.hits.includes('chunk.read'));
  await world.sql('delete from t where id between 1 and 500');
  const index = await world.generation();
  await waitFor('the deletes to be applied', async () => {
    const { json } = await elasticsearch('GET', `/${index}/_stats/indexing`);
    return (json?._all?.primaries?.indexing?.delete_total ?? 0) >= 500;
  });
  await elasticsearch('POST', `/${index}/_flush?force=true`);
  await servers.killElasticsearch();
  await servers.revive();
  release();
  await world.assertServed(await run.ended);
});

faultTest('F39: a standby without the slot is promoted: exit 24 says why, nothing is swapped', async (world) => {
  await killAt(world, 'chunk.settled').run();
  const standby = await servers.copyPostgres('standby');
  await world.reconnect();
  const databaseUrl = standby.through(world.database.url);
  const { message } = await world.assertStopped(await world.rebuild({ databaseUrl, direct: true }), 24);
  assert.match(message, /timeline|failover/);
  await standby.stop();
});

faultTest('F39: the address leads to a standby that is not promoted yet: a server that is away, and no bug', async (world) => {
  await killAt(world, 'chunk.settled').run();
  const [slot] = await world.sql('select slot_name as name from pg_replication_slots');
  const [publication] = await world.sql('select pubname as name from pg_publication');
  const standby = await servers.copyPostgres('recovering');
  await world.reconnect();
  const source = await openSource({ ...connectionOf(standby.through(world.database.url)), applicationName: 'realign-test-recovery' });
  try {
    await assert.rejects(source.insertLsn(), { kind: 'connection-lost', message: /in recovery/, hint: /promoted/ });
    const request = { name: 'realign_none', temporary: true, timeoutMs: 1000, signal: new AbortController().signal };
    // From 16 on a standby can make one, once its primary tells it of the running transactions.
    await assert.rejects(source.createSlot(request), ({ kind }) => kind === 'connection-lost' || kind === 'slot-timeout');
    await assert.rejects(source.openStream({ slot: String(slot?.name), publication: String(publication?.name), from: 0n }), { kind: 'slot-lost' });
    await assert.rejects(source.dropPublication(String(publication?.name)), { kind: 'connection-lost', hint: /primary/ });
  } finally {
    await source.close();
  }
  const { text } = await world.assertStopped(await world.rebuild({ databaseUrl: standby.through(world.database.url), direct: true }), 24);
  assert.match(text, /its slot \S+ does not exist any more/);
  await standby.stop();
  await world.assertServed(await world.rebuild());
});

faultTest(
  'F39: a restored image of the server, with the slot and on the same timeline, is not mistaken for it: nothing is swapped that differs from it',
  async (world) => {
    await killAt(world, 'load.finished').run();
    const image = await servers.copyPostgres('image');
    await world.reconnect();
    await world.sql(`update t set v = 'only in the original' where id < 100; delete from t where id > 1900`);
    await killAt(world, 'verify.held').run();
    const exit = await world.rebuild({ databaseUrl: image.through(world.database.url), direct: true });
    await image.stop();
    assert.ok(exit.code === 22 || exit.code === 24, `exit ${exit.code}`);
    await world.assertUntouched();
  },
);

faultTest('both servers away at once, in every phase: the same command until it is through', async (world) => {
  for (const name of ['chunk.written', 'catchup.restored', 'swap.asked', 'cleanup.slot-dropped'] as const) {
    world.points.at(name, async () => {
      await servers.stopPostgresNow();
      await servers.killElasticsearch();
      await servers.revive();
      await world.reconnect();
    });
  }
  let exit = await world.rebuild();
  for (let runs = 1; runs < 6 && exit.code !== 0; runs++) {
    assert.ok([75, 69].includes(exit.code ?? 0), `exit ${exit.code} ${exit.stderr}`);
    exit = await world.rebuild();
  }
  await world.assertServed(exit);
});
