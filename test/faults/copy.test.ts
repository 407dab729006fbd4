import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { isBulk } from '../support/http-fault-proxy.ts';
import type { RealignExit } from '../support/run-realign.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultTest } from './fault-world.ts';

const retries = ({ events }: RealignExit, operation: string): number =>
  events.filter((event) => event.type === 'retry' && event.operation === operation).length;

const COPY_BACKENDS = `from pg_stat_activity where datname = current_database() and query like 'copy (select%'`;

for (const message of [1, 30]) {
  faultTest(
    `F17: the connection is cut inside row ${message} of a COPY: the chunk is read again, nothing is lost or counted twice`,
    async (world) => {
      const cut = world.postgres.once({ direction: 'down', on: 'copy', kind: 'cut', after: message, inMessage: true });
      const exit = await world.rebuild();
      await cut;
      await world.assertServed(exit);
      assert.ok(retries(exit, 'copy') > 0);
    },
  );
}

faultTest('F17: every connection is cut in the middle of the load, twice: the same run goes on', async (world) => {
  for (const nth of [1, 3]) world.points.at('chunk.opened', () => world.postgres.reset(), nth);
  const exit = await world.rebuild();
  await world.assertServed(exit);
  assert.ok(retries(exit, 'copy') > 0);
  assert.ok(retries(exit, 'stream') > 0);
});

faultTest('F17: connections end with FIN in the middle of a COPY', async (world) => {
  world.points.at('chunk.opened', () => world.postgres.halfClose());
  const exit = await world.rebuild();
  await world.assertServed(exit);
  const load = exit.events.find(({ type, phase }) => type === 'phase.finished' && phase === 'load');
  assert.ok(Number(load?.durationMs) < 100_000, 'noticed at once, not by the watchdog of silence');
});

for (const [what, call] of [
  ['terminated', 'pg_terminate_backend(pid, 5000)'],
  ['cancelled', 'pg_cancel_backend(pid)'],
] as const) {
  faultTest(`F18: the backend of a COPY is ${what}: the chunk is read again`, async (world) => {
    world.postgres.bandwidth = 200_000;
    let struck: readonly unknown[] = [];
    world.points.at('chunk.opened', async () => {
      struck = await waitFor('a COPY', async () => {
        const rows = await world.sql(`select ${call} as struck ${COPY_BACKENDS}`);
        return rows.length > 0 ? rows : null;
      });
      world.postgres.bandwidth = 0;
    });
    const exit = await world.rebuild();
    await world.assertServed(exit);
    assert.ok(struck.length > 0);
  });
}

faultTest('F16: a role with statement, lock and idle timeouts: the sessions of the tool override them', async (world) => {
  const role = `${world.alias}_role`;
  await world.sql(`create role ${role} login superuser password 'x'`);
  try {
    for (const [name, value] of [
      ['statement_timeout', '1500ms'],
      ['idle_in_transaction_session_timeout', '1500ms'],
      ['idle_session_timeout', '1500ms'],
      ['lock_timeout', '1500ms'],
    ] as const) {
      await world.sql(`alter role ${role} set ${name} = '${value}'`);
    }
    const url = new URL(world.database.url);
    url.username = role;
    url.password = 'x';
    const idle = `select 1 from pg_stat_activity where usename = '${role}' and clock_timestamp() - greatest(state_change, query_start) > interval '1700 ms'`;
    for (const moment of ['chunk.opened', 'verify.frozen'] as const) {
      world.points.at(moment, () =>
        waitFor('a session that did nothing for longer than the timeouts', async () => (await world.sql(idle)).length > 0),
      );
    }
    await world.assertServed(await world.rebuild({ databaseUrl: url.href }));
  } finally {
    await world.sql(`drop role ${role}`);
  }
});

/** Peak resident memory in MB; Linux only, elsewhere 0. */
function peakMemory(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

faultTest(
  'F20: Elasticsearch stalls in the middle of the COPY: back-pressure reaches PostgreSQL, memory stays flat, nothing is lost',
  async (world) => {
    await world.sql(`truncate t; insert into t select g, 'wide', repeat(md5(g::text), 3000) from generate_series(1, 400) g`);
    let release = (): void => undefined;
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    world.http.decide = (call) => (isBulk(call) ? { kind: 'hold', until } : undefined);
    const run = world.start({ flags: ['--bulk-bytes', '1MiB'] });
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event = 'ClientWrite'`;
    await waitFor('a COPY that waits for us', async () => (await world.sql(waiting)).length > 0);
    const peak = peakMemory(run.pid);
    world.http.decide = () => undefined;
    release();
    await world.assertServed(await run.ended);
    assert.ok(peak < 300, `${peak} MB while the rows wait`);
  },
);

faultTest('F21: rows of 8 MB through 128 MB of heap', async (world) => {
  await world.sql(`insert into t select 10000 + g, 'wide', repeat(md5(g::text), 250000) from generate_series(1, 16) g`);
  const run = world.start({ env: { NODE_OPTIONS: '--max-old-space-size=128' }, flags: ['--sample', '0'] });
  let peak = 0;
  world.points.at('verify.compared', () => {
    peak = peakMemory(run.pid);
  });
  // By realign's own complete comparison: the oracle parses whole documents, and of this size that takes gigabytes.
  const exit = await run.ended;
  assert.equal(exit.code, 0, exit.stderr);
  assert.equal(exit.events.find(({ type }) => type === 'verify.result')?.passed, true);
  assert.ok(peak < 600, `${peak} MB at the end of the comparison`);
});
