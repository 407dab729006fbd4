import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DocumentPlan } from '../../../src/core/encode/document-plan.ts';
import { Failure } from '../../../src/core/failure.ts';
import type { BulkBody } from '../../../src/core/sink/bulk-body.ts';
import type { BulkAnswer, OperationOutcome } from '../../../src/core/sink/operation.ts';
import type { Run } from '../../../src/phases/build/run-state.ts';
import type { ChangeStream, StreamMessage } from '../../../src/phases/ports.ts';
import { Replay } from '../../../src/phases/replay.ts';
import * as wire from '../../core/wal/pgoutput-messages.ts';
import { waitFor } from '../../support/wait-for.ts';
import { bulkRun } from './bulk-fakes.ts';

const OID = 5;
const COLUMN = { name: 'id', attnum: 1, typeName: 'text', typeOid: 25, typmod: -1, notNull: true, generated: false, form: { kind: 'string' } };
const PLAN = {
  columns: [COLUMN],
  fields: [{ column: 0, field: 'id' }],
  key: [0],
  onNonFinite: 'reject',
  onUnrepresentable: 'reject',
  idHash: 'none',
} as unknown as DocumentPlan;

const RELATION = wire.relation(OID, 'public', 't', [{ name: 'id', typeOid: 25 }]);
const arrived = (messages: readonly Buffer[]): StreamMessage[] => wire.inOnePiece(messages).map((message) => ({ kind: 'data', ...message }));

function transaction(finalLsn: bigint, xid: number, ...changes: readonly Buffer[]): StreamMessage[] {
  return arrived([wire.begin(finalLsn, xid), RELATION, ...changes, wire.commit(finalLsn, finalLsn + 8n)]);
}

/** Hands out what a test gives it, one list a read; a `Failure` in it breaks the stream. */
class ScriptedStream implements ChangeStream {
  readonly script: (readonly StreamMessage[] | Failure)[] = [];
  acknowledged = 0n;
  reads = 0;

  async read(): Promise<readonly StreamMessage[]> {
    this.reads++;
    const next = this.script.shift();
    if (next instanceof Failure) throw next;
    if (next === undefined) await new Promise((resolve) => setImmediate(resolve));
    return next ?? [];
  }

  acknowledge(lsn: bigint): void {
    this.acknowledged = lsn;
  }

  ping(): void {}

  async close(): Promise<void> {}
}

interface World {
  readonly replay: Replay;
  readonly streams: ScriptedStream[];
  readonly calls: readonly string[];
  readonly aborted: () => unknown;
}

const DONE: OperationOutcome = { kind: 'done' };
const AT_ONCE = async (): Promise<void> => {};

/** The real replay on scripted streams; the n-th connection gets the n-th of `streams`. */
function worldOf(streams: ScriptedStream[], answer: (body: BulkBody) => BulkAnswer = allDone, transactionBytes = 500, sleep = AT_ONCE): World {
  const { run, calls } = bulkRun(answer);
  const controller = new AbortController();
  let opened = 0;
  const source = {
    openStream: async () => streams[opened++] ?? new ScriptedStream(),
    currentSnapshot: async () => ({ xmin: 1000n, xmax: 1000n, inProgress: new Set<bigint>() }),
  };
  const options = { ...run.options, transactionBytes, seed: 'a' };
  const world = {
    ...run,
    clock: { ...run.clock, sleep },
    source,
    options,
    signal: controller.signal,
    table: { oid: OID, columns: [COLUMN] },
    documents: PLAN,
    abort: (error: unknown) => controller.abort(error),
  };
  const replay = new Replay(world as unknown as Run, 8n);
  replay.start();
  return { replay, streams, calls, aborted: () => controller.signal.reason };
}

function allDone(body: BulkBody): BulkAnswer {
  return { kind: 'outcomes', outcomes: new Array<OperationOutcome>(body.count).fill(DONE) };
}

const idsIn = (calls: readonly string[]): string[] => calls.flatMap((call) => [...call.matchAll(/"_id":"([^"]*)"/g)].map((match) => match[1] ?? ''));

test('the replay ends behind a whole transaction, also one that is applied in parts', async () => {
  const stream = new ScriptedStream();
  const big = transaction(16n, 7, ...Array.from({ length: 9 }, (_, i) => wire.insert(OID, [`k${i}`])));
  stream.script.push(big.slice(0, 7));
  const { replay, calls } = worldOf([stream]);
  await waitFor('the first part', () => calls.length > 0);
  const closed = replay.close();
  const { reads } = stream;
  await waitFor('more reads', () => stream.reads > reads + 3);
  stream.script.push(big.slice(7));
  await closed;
  assert.deepEqual(idsIn(calls).sort(), ['k0', 'k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7', 'k8']);
});

test('half a transaction is made whole also if the stream breaks in the middle of it, with others before it', async () => {
  const first = new ScriptedStream();
  const second = new ScriptedStream();
  const small = transaction(16n, 7, wire.insert(OID, ['s']));
  const big = transaction(32n, 8, ...Array.from({ length: 9 }, (_, i) => wire.insert(OID, [`k${i}`])));
  first.script.push(small, big.slice(0, 7));
  const { replay, calls } = worldOf([first, second]);
  await waitFor('the first part', () => idsIn(calls).includes('k0'));
  const closed = replay.close();
  first.script.push(new Failure('connection-lost', 'cut by the test'));
  second.script.push(small);
  await waitFor('more reads', () => second.reads > 3);
  second.script.push(big);
  await closed;
  assert.ok(idsIn(calls).includes('k8'));
});

test('after a cut what was applied before counts only when it is applied again', async () => {
  const first = new ScriptedStream();
  const second = new ScriptedStream();
  first.acknowledge = () => {};
  const writes = transaction(16n, 7, wire.insert(OID, ['a']));
  first.script.push(writes);
  const { replay, calls } = worldOf([first, second]);
  // A chunk in flight: nothing is confirmed, so all of it comes again.
  replay.acknowledger.chunkStarted();
  await replay.waitUntilApplied(24n);
  first.script.push(new Failure('connection-lost', 'cut by the test'));
  await waitFor('the second stream', () => second.reads > 2);
  let applied = false;
  const again = replay.waitUntilApplied(24n).then(() => {
    applied = true;
  });
  const { reads } = second;
  await waitFor('more reads', () => second.reads > reads + 3);
  assert.equal(applied, false);
  second.script.push(writes);
  await again;
  assert.deepEqual(idsIn(calls), ['a', 'a']);
  await replay.close();
});

test('a lane that gives up ends the run, though nothing more comes, and also for a reason that passes for others', async () => {
  for (const failure of [new Failure('target-vanished', 'gone'), new Failure('sink-overloaded', 'in vain')]) {
    const stream = new ScriptedStream();
    stream.script.push(transaction(16n, 7, wire.insert(OID, ['a'])));
    const refuse = (): BulkAnswer => {
      throw failure;
    };
    const streams = [stream];
    const { aborted } = worldOf(streams, refuse, 1 << 20);
    await waitFor('the abort', () => aborted() !== undefined);
    assert.equal(aborted(), failure);
  }
});

test('a lost stream does not stand for the failure of a lane', async () => {
  const stream = new ScriptedStream();
  const failure = new Failure('too-many-rejects', 'of the lane');
  let lose = (): void => {};
  const lost = new Promise<never>((_, reject) => {
    lose = () => reject(new Failure('connection-lost', 'of the stream'));
  });
  // The stream is waited for when the lane fails, and is lost before anybody looks at the lane.
  stream.read = async () => (stream.script.shift() as readonly StreamMessage[] | undefined) ?? lost;
  const refuse = (): BulkAnswer => {
    setImmediate(lose);
    throw failure;
  };
  stream.script.push(transaction(16n, 7, wire.insert(OID, ['a'])));
  const { aborted } = worldOf([stream], refuse, 1 << 20);
  await waitFor('the abort', () => aborted() !== undefined);
  assert.equal(aborted(), failure);
});

test('who waits for a position asks the server for it, but not as fast as it answers', async () => {
  const stream = new ScriptedStream();
  let pings = 0;
  stream.ping = () => {
    pings++;
  };
  const { replay } = worldOf([stream]);
  const applied = replay.waitUntilApplied(24n);
  await waitFor('reads', () => stream.reads > 50);
  // The clock of this world stands still.
  assert.equal(pings, 1);
  stream.script.push(transaction(16n, 7));
  await applied;
  await replay.close();
});

test('a hold begins at the next commit, in the middle of what has arrived', async () => {
  const stream = new ScriptedStream();
  const { replay, calls } = worldOf([stream], allDone, 1 << 20);
  const [first, second] = [transaction(16n, 7, wire.insert(OID, ['a'])), transaction(32n, 8, wire.insert(OID, ['b']))];
  stream.script.push(first.slice(0, 3));
  const { reads } = stream;
  await waitFor('the first half', () => stream.reads > reads + 2);
  const held = replay.hold();
  // What is left of the first transaction comes with half of the next one.
  stream.script.push([...first.slice(3), ...second.slice(0, 3)]);
  await waitFor('the rest', () => stream.script.length === 0);
  stream.script.push(second.slice(3));
  await held;
  assert.deepEqual(idsIn(calls), ['a']);
  replay.release();
  await replay.waitUntilApplied(40n);
  assert.deepEqual(idsIn(calls), ['a', 'b']);
  await replay.close();
});

test('small changes wait for others while a chunk is in flight, and only then', async () => {
  const stream = new ScriptedStream();
  const reads = async (): Promise<void> => {
    const { reads: before } = stream;
    await waitFor('reads', () => stream.reads > before + 3);
  };
  let wake = (): void => {};
  const sleep = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
    });
  const { replay, calls } = worldOf([stream], allDone, 1 << 20, sleep);
  await replay.gate.enter();
  for (const [lsn, id] of [
    [16n, 'a'],
    [32n, 'b'],
  ] as const) {
    stream.script.push(transaction(lsn, 7, wire.insert(OID, [id])));
    await reads();
  }
  assert.deepEqual(calls, []);
  wake();
  await replay.waitUntilApplied(40n);
  assert.deepEqual([calls.length, idsIn(calls)], [1, ['a', 'b']]);
  replay.gate.leave();
  stream.script.push(transaction(48n, 8, wire.insert(OID, ['c'])));
  await waitFor('the last one', () => idsIn(calls).length === 3);
  await replay.close();
});
