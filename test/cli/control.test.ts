import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertNoLeaks } from '../support/leak-check.ts';
import { assertIndexEqualsTable } from '../support/oracle.ts';
import { type RealignRequest, runRealign, startRealign } from '../support/run-realign.ts';
import { deleteIndicesLike, elasticsearch, type FreshDatabase, freshDatabase, indicesLike, uniqueName } from '../support/servers.ts';

const prefix = uniqueName('ctl');
const [goods, more, broken, adopted] = [`${prefix}-goods`, `${prefix}-more`, `${prefix}-broken`, `${prefix}-adopted`];
let database: FreshDatabase;

before(async () => {
  database = await freshDatabase();
  await database.client.query(`
    create table goods (id int primary key, name text); insert into goods select g, 'n' || g from generate_series(1, 500) g;
    create table more (id int primary key, name text); insert into more select g, 'n' || g from generate_series(1, 500) g;
    create table broken (id int, name text)`);
});

after(async () => {
  await deleteIndicesLike(`${prefix}*`);
  await database.drop();
});

const settings = { number_of_replicas: 0 };
const config = {
  indices: {
    [goods]: { table: 'public.goods', settings },
    [more]: { table: 'public.more', settings },
    [broken]: { table: 'public.broken', settings },
  },
};
const request = (...args: readonly string[]): RealignRequest => ({ args, config, databaseUrl: database.url });
const errorOf = (events: readonly { readonly type: string; readonly [field: string]: unknown }[]) => events.find(({ type }) => type === 'error');
const holderOf = async (alias: string): Promise<string | undefined> => Object.keys((await elasticsearch('GET', `/_alias/${alias}`)).json)[0];
const started = (phase: string) => (event: { readonly type: string; readonly phase?: unknown }) =>
  event.type === 'phase.started' && event.phase === phase;

test('an order to nothing says so; a mistake in it is told before anything is contacted', async () => {
  const nothing = await runRealign(request('ctl', goods, 'pause'));
  assert.equal(nothing.code, 20);
  assert.match(String(errorOf(nothing.events)?.message), /no build of .* is running, and nobody follows it/);
  for (const order of ['paus', 'set', 'set rat=5', 'set rate=x', 'set max-slot-wal=5', 'pause now']) {
    const mistaken = await runRealign({ ...request('ctl', goods, ...order.split(' ')), databaseUrl: 'postgres://nobody@127.0.0.1:1/none' });
    assert.equal(mistaken.code, 64, order);
  }
});

test('held by one process, paused and released by others, swapped by the first', async () => {
  const build = startRealign(request('rebuild', goods, '--hold'));
  await build.event('the hold', started('hold'), 60_000);
  assert.equal((await runRealign(request('swap', goods))).code, 64);
  const status = await runRealign(request('status', goods));
  const { generations } = status.events.find(({ type }) => type === 'status') as unknown as {
    generations: readonly { running: boolean; phase: string }[];
  };
  assert.deepEqual([generations[0]?.phase, generations[0]?.running], ['hold', true]);
  const swapped = await runRealign(request('swap', goods, '--yes'));
  assert.equal(swapped.code, 0, swapped.stderr);
  assert.equal((await build.ended).code, 0);
  await assertIndexEqualsTable({ client: database.client, table: 'goods', index: goods });
  const again = await runRealign(request('swap', goods, '--yes'));
  assert.deepEqual([again.code, errorOf(again.events)?.kind], [20, 'preflight-refused']);
});

test('held and stopped: swap finishes it in its own process; rollback and cleanup follow', async () => {
  const first = await holderOf(goods);
  const build = startRealign(request('rebuild', goods, '--hold'));
  await build.event('the hold', started('hold'), 60_000);
  const paused = await runRealign(request('ctl', goods, 'pause'));
  assert.deepEqual(
    [paused.code, errorOf(paused.events)?.message],
    [20, `the load of ${goods} is over, and pause is for a load; nothing was ordered`],
  );
  const stopped = await runRealign(request('ctl', goods, 'stop'));
  assert.equal(stopped.code, 0, stopped.stderr);
  assert.equal((await build.ended).code, 75);
  await database.client.query(`update goods set name = 'while it was held' where id = 1`);
  const swapped = await runRealign(request('swap', goods, '--yes'));
  assert.equal(swapped.code, 0, swapped.stderr);
  const second = await holderOf(goods);
  assert.notEqual(second, first);
  await assertIndexEqualsTable({ client: database.client, table: 'goods', index: goods });

  assert.equal((await runRealign(request('rollback', goods))).code, 64);
  const back = await runRealign(request('rollback', goods, '--yes'));
  assert.equal(back.code, 0, back.stderr);
  assert.equal(await holderOf(goods), first);
  assert.match(String(back.events.at(-1)?.message), /stale: changes are applied up to/);

  const swept = await runRealign(request('cleanup', goods, '--keep', '0', '--yes'));
  assert.equal(swept.code, 0, swept.stderr);
  assert.deepEqual(swept.events.find(({ type }) => type === 'removed')?.names, [`index ${second}`]);
  const nothing = await runRealign({ ...request('cleanup', goods, '--yes'), output: 'human' });
  assert.match(
    nothing.stdout,
    new RegExp(`^Nothing to remove for ${goods}: looked at 1 generation\\.\n  stays  ${first}   readers are on it \\(${goods}\\)\n`),
  );
  const unknown = `No index of realign and no config has the name "${goods}x"; did you mean "${goods}"?`;
  for (const command of ['status', 'abort', 'cleanup']) {
    const told = await runRealign(request(command, `${goods}x`, '--yes'));
    assert.deepEqual([told.code, errorOf(told.events)?.message], [64, unknown], command);
  }
  // Known is what exists, though no config names it, and what the config names, though nothing is left of it.
  const unnamed = { ...request('abort', goods, '--yes'), config: { indices: { other: { table: 'public.goods' } } } };
  assert.equal((await runRealign(unnamed)).code, 0);
  const configured = `${goods}y`;
  const onlyInConfig = { config: { indices: { [configured]: { table: 'public.goods' } } }, databaseUrl: database.url };
  for (const command of ['abort', 'abort', 'cleanup'])
    assert.equal((await runRealign({ ...onlyInConfig, args: [command, configured, '--yes'] })).code, 0, command);
  const both = await runRealign(request('status', goods, `${goods}x`));
  assert.deepEqual([both.code, both.events.filter(({ type }) => type === 'status').length], [64, 1]);
  for (const words of [
    ['ctl', `${goods}x`, 'pause'],
    ['rollback', `${goods}x`, '--yes'],
  ]) {
    const told = await runRealign(request(...words));
    assert.deepEqual([told.code, String(errorOf(told.events)?.hint).split('\n')[0]], [20, unknown], words[0]);
  }
  const nothingToAbort = await runRealign({ ...request('abort', goods, '--yes'), output: 'human' });
  assert.match(nothingToAbort.stdout, new RegExp(`looked at 1 generation\\.\n  stays  ${first}   readers are on it `));
  await assertNoLeaks({ database, indices: [`${goods}*`], allowedIndices: first === undefined ? [] : [first] });
});

test('after a rollback the next rebuild keeps what readers came from, not what they were taken back from; without a kept one there is no undo', async () => {
  const first = await holderOf(goods);
  assert.equal((await runRealign(request('rebuild', goods))).code, 0);
  assert.equal((await runRealign(request('rollback', goods, '--yes'))).code, 0);
  assert.equal(await holderOf(goods), first);
  const next = await runRealign(request('rebuild', goods));
  const summary = next.events.at(-1) as unknown as { indices: readonly { previous: string | null }[] };
  assert.deepEqual([next.code, summary.indices[0]?.previous], [0, first]);
  assert.deepEqual((await indicesLike(`${goods}-*`)).toSorted(), [first, await holderOf(goods)].toSorted());
  const alone = await runRealign(request('rebuild', goods, '--keep', '0'));
  const last = alone.events.at(-1) as unknown as { message: string; indices: readonly { previous: string | null }[] };
  assert.deepEqual([alone.code, last.indices[0]?.previous, /Undo/.test(last.message)], [0, null, false]);
  assert.deepEqual(await indicesLike(`${goods}-*`), [await holderOf(goods)]);
});

test('a held build that replaces an index is not lost to a swap without --adopt', async () => {
  const only = { ...request(), config: { indices: { [adopted]: { table: 'public.more', settings } } } };
  const typed = (...args: readonly string[]): RealignRequest => ({ ...only, args });
  await elasticsearch('PUT', `/${adopted}`, { settings });
  const unasked = errorOf((await runRealign(typed('rebuild', adopted, '--keep', '1'))).events)?.next as readonly string[];
  assert.match(unasked.at(-1) ?? '', /^realign rebuild .* --keep 1 --adopt .*\(after fixing\)$/);
  assert.equal((await runRealign(typed('rebuild', adopted, '--adopt', '--hold', '--hold-timeout', '1s'))).code, 75);
  const next = async (...args: readonly string[]): Promise<string> => {
    const told = (await runRealign(typed(...args))).events.find((event) => event.type === 'error' || event.type === 'audit.result');
    return `${told?.hint ?? ''} ${((told?.next ?? []) as readonly string[]).join(' · ')}`;
  };
  assert.match(await next('rebuild', adopted), /Go on with it.* --adopt .*· realign rebuild .* --adopt .*\(after fixing\)$/);
  assert.match(await next('ctl', adopted, 'pause'), /realign rebuild .* --adopt resumes it/);
  assert.match(await next('audit', adopted, '--settle', '2x50ms'), / · realign rebuild .* --adopt/);
  const refused = await runRealign(typed('swap', adopted, '--yes'));
  assert.deepEqual([refused.code, errorOf(refused.events)?.kind], [20, 'preflight-refused']);
  assert.match(String(errorOf(refused.events)?.hint), /rebuild .* --adopt/);
  const done = await runRealign(typed('rebuild', adopted, '--adopt'));
  assert.equal(done.code, 0, done.stderr);
  assert.equal(done.events.find(({ type }) => type === 'build.started')?.resumed, true);
  await assertIndexEqualsTable({ client: database.client, table: 'more', index: adopted });
  await assertNoLeaks({ database, indices: [`${adopted}*`], allowedIndices: await indicesLike(`${adopted}-*`) });
});

test('--all --parallel: one that is refused does not keep the others from being built; one summary', async () => {
  const { code, events } = await runRealign(request('rebuild', '--all', '--parallel', '3'));
  const summary = events.at(-1) as unknown as { indices: readonly { index: string; result: string; exit_code: number }[] };
  assert.deepEqual(
    summary.indices.map(({ index, result, exit_code: exit }) => [index, result, exit]),
    [
      [goods, 'succeeded', 0],
      [more, 'succeeded', 0],
      [broken, 'failed', 20],
    ],
  );
  assert.equal(code, 20);
  assert.equal((await runRealign(request('rebuild'))).code, 64);
  assert.equal((await runRealign(request('rebuild', goods, '--all'))).code, 64);
  await assertNoLeaks({ database, indices: [`${more}*`], allowedIndices: await indicesLike(`${more}-*`) });
});

test('nothing to do and skipped are exit 0, and never called a success', async () => {
  await runRealign(request('rebuild', more, '--if-changed'));
  const unchanged = await runRealign(request('rebuild', more, '--if-changed'));
  assert.deepEqual([unchanged.code, unchanged.events.at(-1)?.result], [0, 'nothing-to-do']);
  assert.match(String(unchanged.events.at(-1)?.message), /Its rows were not compared: realign audit /);
  const both = await runRealign(request('rebuild', goods, more, '--if-changed'));
  assert.match(
    String(both.events.at(-1)?.message),
    new RegExp(`2 had nothing to do; their rows were not compared: realign audit ${goods} .*${more} does that`),
  );
  assert.equal((await runRealign(request('rebuild', more, '--if-changed', '--force'))).events.at(-1)?.result, 'succeeded');
  const held = startRealign(request('rebuild', more, '--hold', '--run-key', 'k1'));
  await held.event('the hold', started('hold'), 60_000);
  const skipped = await runRealign(request('rebuild', more, '--if-locked', 'skip'));
  assert.deepEqual([skipped.code, skipped.events.at(-1)?.result], [0, 'skipped']);
  assert.equal((await runRealign(request('rebuild', more))).code, 21);
  const waiting = startRealign(request('rebuild', more, '--if-locked', 'wait', '--run-key', 'k1'));
  await waiting.event('its waiting', ({ type, reason }) => type === 'throttle' && reason === 'locked');
  assert.equal((await runRealign(request('ctl', more, 'swap-now'))).code, 0);
  assert.equal((await held.ended).code, 0);
  const waited = await waiting.ended;
  assert.deepEqual([waited.code, waited.events.at(-1)?.result], [0, 'nothing-to-do']);
});

test('a follower is stopped by SIGTERM, resumed by the same command, and ended by abort; the index stays', async () => {
  const follower = startRealign(request('rebuild', more, '--follow'));
  await follower.event('the following', started('follow'), 60_000);
  follower.kill('SIGTERM');
  const ended = await follower.ended;
  assert.equal(ended.code, 143, ended.stderr);
  assert.match(String(errorOf(ended.events)?.unchanged), /changes do not reach it any more/);
  const again = startRealign(request('rebuild', more, '--follow'));
  await again.event('the following', started('follow'), 60_000);
  assert.equal((await runRealign(request('abort', more, '--yes'))).code, 21);
  for (const order of ['hold', 'swap-now', 'pause', 'set rate=5', 'set copy-jobs=1 max-slot-wal=9GiB']) {
    const refused = await runRealign(request('ctl', more, ...order.split(' ')));
    assert.deepEqual([refused.code, /is swapped already.*nothing was ordered/.test(String(errorOf(refused.events)?.message))], [20, true], order);
  }
  assert.equal((await runRealign(request('ctl', more, 'set', 'max-slot-wal=9GiB'))).code, 0);
  assert.equal((await runRealign(request('ctl', more, 'stop'))).code, 0);
  assert.equal((await again.ended).code, 75);
  assert.equal((await runRealign(request('abort', more, '--yes'))).code, 0);
  await assertNoLeaks({ database, indices: [`${more}*`], allowedIndices: await indicesLike(`${more}-*`) });
  await assertIndexEqualsTable({ client: database.client, table: 'more', index: more });
});

test('status --watch tells again and again until it is interrupted', async () => {
  const watch = startRealign(request('status', goods, '--watch'));
  await watch.event('a second look', () => watch.events.filter(({ type }) => type === 'status').length > 1);
  watch.kill('SIGINT');
  assert.equal((await watch.ended).code, 130);
});
