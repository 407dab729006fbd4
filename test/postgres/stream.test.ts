import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ChangeStream, StreamMessage } from '../../src/phases/ports.ts';
import { uniqueName } from '../support/servers.ts';
import { waitFor } from '../support/wait-for.ts';
import { describe, type Fixture, openFixture } from './fixture.ts';

let fixture: Fixture;
const never = new AbortController().signal;
const PUBLICATION = 'Realign "Mixed", Case';

before(async () => {
  fixture = await openFixture('create table t (id int primary key, v text); create table other (id int)', { streamQueueBytes: 256 * 1024 });
  await fixture.source.createPublication(PUBLICATION, await describe(fixture.source, 't'));
});

after(async () => {
  await fixture.source.dropPublication(PUBLICATION);
  await fixture.drop();
});

/** A slot for one test; dropped whatever happens. */
async function withSlot(work: (slot: string, from: bigint) => Promise<void>): Promise<void> {
  const name = uniqueName('realign_stream');
  const slot = await fixture.source.createSlot({ name, temporary: false, timeoutMs: 60_000, signal: never });
  await slot.release();
  try {
    await work(name, slot.consistentPoint);
  } finally {
    await fixture.source.dropSlot(name);
  }
}

interface Commit {
  readonly finalLsn: bigint;
  readonly endLsn: bigint;
  readonly kinds: string;
}

/** Reads until `count` commits have come. */
async function commits(stream: ChangeStream, count: number): Promise<readonly Commit[]> {
  const found: Commit[] = [];
  let kinds = '';
  let finalLsn = 0n;
  await waitFor(`${count} commits`, async () => {
    for (const message of await stream.read(200)) {
      if (message.kind !== 'data') continue;
      const kind = String.fromCharCode(message.piece[message.start] ?? 0);
      kinds += kind;
      if (kind === 'B') finalLsn = message.piece.readBigUInt64BE(message.start + 1);
      if (kind !== 'C') continue;
      found.push({ finalLsn, endLsn: message.piece.readBigUInt64BE(message.start + 10), kinds });
      kinds = '';
    }
    return found.length >= count;
  });
  return found;
}

const confirmed = async (slot: string): Promise<bigint | null> => (await fixture.source.readSlot(slot))?.confirmedFlushLsn ?? null;

test('confirms exactly what was acknowledged; an unacknowledged transaction comes again', () =>
  withSlot(async (slot, from) => {
    const { source, app } = fixture;
    const first = await source.openStream({ slot, publication: PUBLICATION, from });
    // One simple query, two transactions back to back: B's commit may begin exactly where A ends.
    await app.query("begin; insert into t values (1, 'a'); commit; begin; insert into t values (2, 'b'); commit");
    const [a, b] = await commits(first, 2);
    assert.ok(a !== undefined && b !== undefined && a.finalLsn >= from && b.finalLsn >= a.endLsn);
    assert.equal(a.kinds, 'BRIC');
    assert.equal(await confirmed(slot), from);
    first.acknowledge(a.endLsn);
    await waitFor('the acknowledgement', async () => (await confirmed(slot)) === a.endLsn);
    first.acknowledge(from);
    await first.close();
    assert.equal(await confirmed(slot), a.endLsn);
    const second = await source.openStream({ slot, publication: PUBLICATION, from: a.endLsn });
    assert.equal((await commits(second, 1))[0]?.endLsn, b.endLsn);
    assert.throws(() => second.acknowledge(b.endLsn + (1n << 40n)), RangeError);
    await second.close();
    await app.query('truncate t');
  }));

test('a ping brings a keepalive past the insert position of a quiet table', () =>
  withSlot(async (slot, from) => {
    const { source, app } = fixture;
    const stream = await source.openStream({ slot, publication: PUBLICATION, from });
    await app.query('insert into other select generate_series(1, 1000)');
    await app.query("select pg_logical_emit_message(true, 'realign-test', 'x')");
    const target = await source.insertLsn();
    stream.ping();
    const keepalive = await waitFor('the keepalive', async () => {
      const messages = await stream.read(100);
      if (messages.length === 0) stream.ping();
      return messages.find((message) => message.kind === 'keepalive' && message.walEnd >= target);
    });
    assert.ok(keepalive.kind === 'keepalive');
    stream.acknowledge(keepalive.walEnd);
    await waitFor('the acknowledgement', async () => (await confirmed(slot)) === keepalive.walEnd);
    await stream.close();
    await assert.rejects(stream.read(10), { kind: 'connection-lost' });
  }));

test('an empty list after the timeout', () =>
  withSlot(async (slot, from) => {
    const stream = await fixture.source.openStream({ slot, publication: PUBLICATION, from });
    let messages: readonly StreamMessage[] = await stream.read(50);
    while (messages.length > 0) messages = await stream.read(50);
    assert.deepEqual(messages, []);
    await stream.close();
  }));

test('a reader that does not read is not run over, and gets everything in order', () =>
  withSlot(async (slot, from) => {
    const { source, app } = fixture;
    const stream = await source.openStream({ slot, publication: PUBLICATION, from });
    await app.query("insert into t select g, repeat('x', 1000) from generate_series(1, 20000) g");
    await waitFor('the walsender to wait for the client', async () => {
      const { rows } = await app.query<{ wait_event: string }>(
        'select wait_event from pg_stat_activity a join pg_replication_slots s on s.active_pid = a.pid where s.slot_name = $1',
        [slot],
      );
      return rows[0]?.wait_event === 'WalSenderWriteData';
    });
    const first = await stream.read(1000);
    const bytes = first.reduce((sum, message) => sum + (message.kind === 'data' ? message.end - message.start : 0), 0);
    assert.ok(bytes < 1024 * 1024, `${bytes} bytes were queued`);
    const ids = first.flatMap(insertedId);
    while (ids.length < 20000) ids.push(...(await stream.read(5000)).flatMap(insertedId));
    assert.deepEqual(
      ids,
      Array.from({ length: 20000 }, (_, i) => i + 1),
    );
    await stream.close();
    await app.query('truncate t');
  }));

/** The first column of an Insert message. */
function insertedId(message: StreamMessage): readonly number[] {
  if (message.kind !== 'data' || message.piece[message.start] !== 0x49) return [];
  const { piece, start } = message;
  const length = piece.readUInt32BE(start + 9);
  return [Number(piece.toString('latin1', start + 13, start + 13 + length))];
}

test('a killed walsender is a lost connection, and the stream opens again', () =>
  withSlot(async (slot, from) => {
    const { source, app } = fixture;
    const stream = await source.openStream({ slot, publication: PUBLICATION, from });
    await app.query("insert into t values (7, 'seven')");
    await app.query('select pg_terminate_backend(active_pid) from pg_replication_slots where slot_name = $1', [slot]);
    await assert.rejects(
      waitFor('the failure', async () => {
        await stream.read(100);
        return false;
      }),
      { kind: 'connection-lost' },
    );
    await stream.close();
    const again = await source.openStream({ slot, publication: PUBLICATION, from });
    assert.equal((await commits(again, 1))[0]?.kinds, 'BRIC');
    await again.close();
    await app.query('truncate t');
  }));

test('a slot that is gone is lost, when opening and while streaming', () =>
  withSlot(async (slot, from) => {
    const { source, app } = fixture;
    const stream = await source.openStream({ slot, publication: PUBLICATION, from });
    await app.query('select pg_terminate_backend(active_pid, 5000) from pg_replication_slots where slot_name = $1', [slot]);
    await source.dropSlot(slot);
    await assert.rejects(
      waitFor('the failure', async () => {
        await stream.read(100);
        return false;
      }),
      (error: { kind?: string }) => error.kind === 'slot-lost' || error.kind === 'connection-lost',
    );
    await stream.close();
    await assert.rejects(source.openStream({ slot, publication: PUBLICATION, from }), { kind: 'slot-lost' });
  }));

test('a publication that is missing is an error on every version', () =>
  withSlot(async (slot, from) => {
    await assert.rejects(fixture.source.openStream({ slot, publication: 'nobody', from }), { kind: 'source-changed' });
  }));

test('a slot with a living consumer is locked; dropping it ends the consumer', () =>
  withSlot(async (slot, from) => {
    const { source } = fixture;
    const stream = await source.openStream({ slot, publication: PUBLICATION, from });
    const heartbeat = setInterval(() => stream.ping(), 50);
    try {
      await assert.rejects(source.openStream({ slot, publication: PUBLICATION, from }), { kind: 'locked' });
    } finally {
      clearInterval(heartbeat);
    }
    await source.dropSlot(slot);
    assert.equal(await source.readSlot(slot), null);
    await stream.close();
  }));
