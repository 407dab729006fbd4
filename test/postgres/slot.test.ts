import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Failure } from '../../src/core/failure.ts';
import { openSource } from '../../src/postgres/source.ts';
import { uniqueName } from '../support/servers.ts';
import { waitFor } from '../support/wait-for.ts';
import { configOf, createRole, describe, type Fixture, openFixture, openSession, readAll } from './fixture.ts';

let fixture: Fixture;
const never = new AbortController().signal;
/** Others' transactions on the same server make a creation wait, too. */
const PATIENT_MS = 60_000;

before(async () => {
  fixture = await openFixture("create table t (id int primary key, v text); insert into t values (1, 'old')");
});

after(() => fixture.drop());

test('a slot exports the snapshot of its consistent point; releasing it keeps the slot', async () => {
  const { source, app } = fixture;
  const name = uniqueName('realign_slot');
  const slot = await source.createSlot({ name, temporary: false, timeoutMs: PATIENT_MS, signal: never });
  await app.query("update t set v = 'new'");
  const table = await describe(source, 't');
  const reader = await source.openTable({ table, columns: table.columns, snapshotName: slot.snapshotName });
  assert.deepEqual(await readAll(reader, 2), [['1', 'old']]);
  assert.deepEqual(await source.notYetVisible(slot.snapshotName), []);
  const kept = await source.keepSnapshot(slot.snapshotName);
  await slot.release();
  await assert.rejects(source.openTable({ table, columns: table.columns, snapshotName: slot.snapshotName }), { kind: 'connection-lost' });
  assert.deepEqual(await readAll(await source.openTable({ table, columns: table.columns, snapshotName: kept.snapshotName }), 2), [['1', 'old']]);
  await kept.release();
  const state = await source.readSlot(name);
  assert.equal(state?.confirmedFlushLsn, slot.consistentPoint);
  assert.equal(state?.walStatus, 'reserved');
  assert.equal(state?.database, fixture.database.name);
  assert.ok(state !== null && state.retainedBytes > 0n);
  assert.deepEqual((await source.listSlots('realign_slot')).filter((found) => found.name === name).length, 1);
  await assert.rejects(source.createSlot({ name, temporary: false, timeoutMs: PATIENT_MS, signal: never }), { kind: 'state-unknown' });
  await source.dropSlot(name);
  await source.dropSlot(name);
  assert.equal(await source.readSlot(name), null);
  await app.query("update t set v = 'old'");
});

test('a temporary slot goes with its release', async () => {
  const name = uniqueName('realign_fence');
  const slot = await fixture.source.createSlot({ name, temporary: true, timeoutMs: PATIENT_MS, signal: never });
  await assert.rejects(fixture.source.createSlot({ name, temporary: true, timeoutMs: PATIENT_MS, signal: never }), { kind: 'locked' });
  assert.equal((await fixture.source.readSlot(name))?.active, true);
  await slot.release();
  assert.equal(await fixture.source.readSlot(name), null);
});

test('behind an open transaction the deadline names it, and no slot stays', async () => {
  const { source } = fixture;
  const name = uniqueName('realign_blocked');
  const blocker = await openSession(fixture);
  await blocker.query("begin; insert into t values (2, 'x')");
  const pid = (await blocker.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;
  const failure = await source.createSlot({ name, temporary: false, timeoutMs: 700, signal: never }).catch((error: unknown) => error);
  assert.ok(failure instanceof Failure);
  assert.equal(failure.kind, 'slot-timeout');
  assert.match(failure.message, /pid \d+ \(postgres/);
  assert.equal(await source.readSlot(name), null);
  // Somebody else's transaction may be the one awaited first; ours is among those that stand in the way.
  assert.ok(failure.message.includes(`pid ${pid} `) || !failure.message.includes(fixture.database.name));
  const abort = new AbortController();
  const aborted = source.createSlot({ name, temporary: false, timeoutMs: PATIENT_MS, signal: abort.signal });
  await waitFor('the half-made slot', () => source.readSlot(name));
  abort.abort();
  await assert.rejects(aborted, { kind: 'interrupted' });
  assert.equal(await source.readSlot(name), null);
  await blocker.query('rollback');
  await blocker.end();
  await assert.rejects(source.createSlot({ name, temporary: false, timeoutMs: PATIENT_MS, signal: abort.signal }), { kind: 'interrupted' });
});

test('a role without REPLICATION is denied', async () => {
  const role = await createRole(fixture.app, '');
  const source = await openSource(configOf(fixture.database.url, { user: role.name, password: role.password }));
  await assert.rejects(source.createSlot({ name: uniqueName('realign_denied'), temporary: false, timeoutMs: 5000, signal: never }), {
    kind: 'denied',
  });
  await source.close();
  await role.drop();
});

test('a bad slot name is a configuration error', async () => {
  await assert.rejects(fixture.source.createSlot({ name: 'Bad-Name', temporary: false, timeoutMs: 5000, signal: never }), { kind: 'config' });
});
