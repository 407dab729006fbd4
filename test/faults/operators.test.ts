import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { elasticsearch, indicesLike } from '../support/servers.ts';
import { waitFor } from '../support/wait-for.ts';
import { type FaultWorld, faultTest, killAt } from './fault-world.ts';

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'realign-operator-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function withRole(world: FaultWorld, attributes: string, work: (url: string) => Promise<void>): Promise<void> {
  const role = `${world.alias}_role`;
  await world.sql(`create role ${role} login password 'x' ${attributes}; grant select on t to ${role}`);
  const url = new URL(world.database.url);
  url.username = role;
  url.password = 'x';
  try {
    await work(url.href);
  } finally {
    await world.sql(`drop owned by ${role}; drop role ${role}`);
  }
}

const untouched = async (world: FaultWorld): Promise<void> => {
  assert.deepEqual(await indicesLike(`${world.alias}*`), [world.old]);
  assert.deepEqual(await world.sql('select pubname from pg_publication'), []);
};

faultTest('F15: a role without REPLICATION: the preflight names it and its fix, nothing is created', (world) =>
  withRole(world, 'noreplication', async (databaseUrl) => {
    const { text } = await world.assertStopped(await world.rebuild({ databaseUrl }), 20);
    assert.match(text, /alter role .* replication/i);
    await untouched(world);
  }),
);

faultTest('F50: the alias is on two indices: refused, nothing is created', async (world) => {
  const other = `${world.alias}-other`;
  await elasticsearch('PUT', `/${other}`, { settings: { number_of_replicas: 0 }, aliases: { [world.alias]: {} } });
  const exit = await world.rebuild();
  assert.equal(exit.code, 20, exit.stderr);
  await elasticsearch('DELETE', `/${other}`);
  await untouched(world);
});

faultTest('F55: no space for the rejects file: the build stops before a record is lost, resumable', (world) =>
  inFolder(async (folder) => {
    const full = join(folder, 'rejects.ndjson');
    symlinkSync('/dev/full', full);
    await world.sql(`alter table t add column d timestamptz; update t set d = 'infinity' where id = 5`);
    const flags = ['--max-rejects', '5', '--rejects'];
    const { kind } = await world.assertStopped(await world.rebuild({ flags: [...flags, full] }), 75);
    assert.equal(kind, 'rejects-unwritable');
    const exit = await world.rebuild({ flags: [...flags, join(folder, 'more.ndjson')] });
    assert.equal(exit.code, 0, exit.stderr);
    assert.match(readFileSync(join(folder, 'more.ndjson'), 'utf8'), /"5"/);
  }),
);

faultTest('F55: no space for the log: the build goes on', (world) =>
  inFolder(async (folder) => {
    const full = join(folder, 'log');
    symlinkSync('/dev/full', full);
    await world.assertServed(await world.rebuild({ flags: ['--log-file', full, '--log-level', 'debug'] }));
  }),
);

/** Every look at the wall clock is an hour off, in turn ahead and behind. */
const JUMPING_CLOCK = `let hops = 0;
const Real = Date;
const now = () => Real.now() + (++hops % 2 === 0 ? 3600000 : -3600000);
globalThis.Date = class extends Real { constructor(...values) { super(...(values.length === 0 ? [now()] : values)); } static now() { return now(); } };`;

faultTest('F56: the clock jumps an hour to and fro: nothing is decided by wall time', (world) =>
  inFolder(async (folder) => {
    const preload = join(folder, 'clock.mjs');
    writeFileSync(preload, JUMPING_CLOCK);
    const env = { NODE_OPTIONS: `--import ${preload}` };
    await killAt(world, 'chunk.settled').run({ env });
    const exit = await world.rebuild({ env, flags: ['--rate', '2000'] });
    await world.assertServed(exit);
    const seconds = Number(exit.events.at(-1)?.durationMs) / 1000;
    assert.ok(seconds > 0 && seconds < 600, `${seconds} s`);
  }),
);

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 143],
] as const) {
  faultTest(`F57: ${signal} in the load: exit ${code} with what is kept and how to resume`, async (world) => {
    const run = world.start({ flags: ['--rate', '500'] });
    world.points.at('chunk.settled', () => run.kill(signal));
    const { text } = await world.assertStopped(await run.ended, code);
    assert.match(text, /resumes/);
    await world.assertServed(await world.rebuild());
  });
}

for (const moment of ['slot.created', 'index.created', 'catchup.applied', 'verify.frozen'] as const) {
  faultTest(`F57: SIGTERM at ${moment}: exit 143, the same command ends the build`, async (world) => {
    const run = world.start();
    world.points.at(moment, () => run.kill('SIGTERM'));
    await world.assertStopped(await run.ended, 143);
    await world.assertServed(await world.rebuild());
  });
}

for (const moment of ['verify.compared', 'swap.made', 'cleanup.slot-dropped'] as const) {
  faultTest(`F57: SIGTERM at ${moment}: whichever generation serves is whole, and the same command ends the build`, async (world) => {
    const run = world.start();
    world.points.at(moment, () => run.kill('SIGTERM'));
    const exit = await run.ended;
    assert.ok(exit.code === 143 || exit.code === 0, `${exit.code} ${exit.stderr}`);
    await world.assertServed(exit.code === 0 ? exit : await world.rebuild());
  });
}

/** No node has such a box: the primary of the new index is placed nowhere, as when the disks are full. */
const UNPLACED = { settings: { number_of_replicas: 0, 'routing.allocation.require.box': 'none' } };

faultTest(
  'F41 F57: the primary of the new index cannot be placed: SIGTERM ends the wait with exit 143, and the same command goes on when it can',
  async (world) => {
    const run = world.start({ index: UNPLACED });
    const index = await waitFor('the index', async () => (await world.generation()) || null);
    run.kill('SIGTERM');
    const startedMs = performance.now();
    const exit = await run.ended;
    // The server itself waits 30 s for the primary before it answers.
    assert.ok(performance.now() - startedMs < 25_000);
    await world.assertStopped(exit, 143);
    const { status } = await elasticsearch('PUT', `/${index}/_settings`, { 'index.routing.allocation.require.box': null });
    assert.equal(status, 200);
    const resumed = await world.rebuild({ index: UNPLACED });
    await world.assertServed(resumed);
    assert.equal(resumed.events.find(({ type }) => type === 'build.started')?.resumed, true);
  },
);

faultTest('F57: SIGTERM twice: the second leaves at once, though a bulk hangs, and is as safe', async (world) => {
  let release = (): void => undefined;
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  let held = false;
  world.http.decide = ({ path }) => {
    if (!path.includes('/_bulk')) return undefined;
    held = true;
    return { kind: 'hold', until };
  };
  const run = world.start();
  await waitFor('a bulk that hangs', () => held);
  run.kill('SIGTERM');
  await waitFor('the first to be heard', () => run.stderr().includes('SIGTERM'));
  const startedMs = performance.now();
  run.kill('SIGTERM');
  const exit = await run.ended;
  assert.equal(exit.code, 143);
  assert.ok(performance.now() - startedMs < 5000);
  await world.assertUntouched();
  world.http.decide = () => undefined;
  const resumed = world.start();
  release();
  await world.assertServed(await resumed.ended);
});

faultTest('EPIPE: the reader of the output goes away: the build goes on to its end', async (world) => {
  const run = world.start();
  world.points.at('chunk.opened', () => run.closeOutput());
  const exit = await run.ended;
  assert.equal(exit.code, 0, exit.stderr);
  await world.assertServed(exit);
});

faultTest('F60: rows keep changing while they are compared: the fence makes it exact, nothing is unsettled', async (world) => {
  let stopped = false;
  const writing = { done: Promise.resolve() };
  world.points.at('load.finished', () => {
    writing.done = (async () => {
      for (let n = 0; !stopped; n++)
        await world.sql(`update t set v = 'hot ${n}' where id in (1, 2, 3); delete from t where id = 4; insert into t values (4, '${n}', 'x')`);
    })();
  });
  world.points.at('swap.asked', async () => {
    stopped = true;
    await writing.done;
  });
  const exit = await world.rebuild();
  await world.assertServed(exit);
  const result = exit.events.find(({ type }) => type === 'verify.result');
  assert.deepEqual([result?.passed, result?.method, result?.unsettled], [true, 'fence', []]);
});

faultTest(
  'F61: the config changed between kill and resume: exit 24, --fresh starts over; a key that shapes nothing does not matter',
  async (world) => {
    await killAt(world, 'chunk.settled').run();
    const index = { settings: { number_of_replicas: 0, number_of_shards: 2 } };
    const { kind, text } = await world.assertStopped(await world.rebuild({ index }), 24);
    assert.equal(kind, 'plan-changed');
    assert.match(text, /--fresh/);
    const exit = await world.rebuild({ index: { keep: 2, verify: { mode: 'full', sample: 10 } } });
    await world.assertServed(exit);
    assert.equal(exit.events.find(({ type }) => type === 'build.started')?.resumed, true);
  },
);

faultTest('F62: the state is of a newer format: refused, nothing is changed', async (world) => {
  await killAt(world, 'chunk.settled').run();
  const index = await world.generation();
  const { json } = await elasticsearch('GET', `/${index}/_mapping`);
  const state = json[index].mappings._meta.realign;
  const write = (format: number) => elasticsearch('PUT', `/${index}/_mapping`, { _meta: { realign: { ...state, format } } });
  await write(99);
  const status = await world.command('status');
  assert.equal(status.code, 0, status.stderr);
  assert.match(status.stdout, new RegExp(`index ${index} \\(alias ${world.alias}\\) carries a build state of format 99`));
  assert.doesNotMatch(status.stdout, /belongs to no index/);
  const other = await world.statusOf(`${world.alias}-other`);
  // A name that exists nowhere.
  assert.equal(other.code, 64, other.stderr);
  assert.ok(!other.stdout.includes(index), other.stdout);
  const { kind, message } = await world.assertStopped(await world.rebuild(), 24);
  assert.equal(kind, 'state-unknown');
  assert.match(message, /99/);
  await write(state.format);
  await world.assertServed(await world.rebuild());
});
