import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DeleteMemory } from '../../../src/core/wal/delete-memory.ts';
import { parseSnapshot } from '../../../src/core/wal/snapshot.ts';
import { runs } from '../../support/property-runs.ts';

const sentDeletes = fc.array(
  fc.record({
    key: fc.string({ unit: 'binary', maxLength: 60 }),
    xid: fc.integer({ min: 100, max: 110 }),
    routing: fc.option(fc.string({ unit: 'binary', minLength: 1, maxLength: 20 })),
  }),
  {
    maxLength: 200,
  },
);
const snapshots = fc
  .tuple(fc.integer({ min: 100, max: 111 }), fc.subarray([100, 101, 102, 103, 104, 105, 106, 107, 108, 109]))
  .map(([xmax, running]) => running.filter((xid) => xid < xmax))
  .map((running) => parseSnapshot(`${running[0] ?? 112}:112:${running.join(',')}`));

function sees(snapshot: { readonly xmax: bigint; readonly inProgress: ReadonlySet<bigint> }, xid: number): boolean {
  return BigInt(xid) < snapshot.xmax && !snapshot.inProgress.has(BigInt(xid));
}

test('whatever was forgotten, the deletes that a snapshot has not seen are all there, each with its own id, routing, version and xid', () => {
  fc.assert(
    fc.property(sentDeletes, snapshots, snapshots, (sent, forgotten, snapshot) => {
      const memory = new DeleteMemory();
      const routed = (routing: string | null): Buffer | undefined => (routing === null ? undefined : Buffer.from(routing));
      for (const [i, { key, xid, routing }] of sent.entries())
        memory.remember({ id: Buffer.from(key), routing: routed(routing), version: BigInt(i) << 40n, xid });
      memory.forgetSeenBy([forgotten, snapshot]);
      const wanted = sent.flatMap(({ key, xid, routing }, i) =>
        sees(snapshot, xid) ? [] : [`${i} ${xid} ${Buffer.from(key).toString('hex')} ${routed(routing)?.toString('hex')}`],
      );
      const found = [...memory.unseenBy(snapshot)].map(
        ({ id, version, xid, routing }) => `${version >> 40n} ${xid} ${id.toString('hex')} ${routing?.toString('hex')}`,
      );
      assert.deepEqual(found, wanted);
    }),
    runs(500),
  );
});

test('half a million deletes of one transaction are kept in 16 bytes each and their ids, and all go at once', () => {
  const memory = new DeleteMemory();
  let idBytes = 0;
  for (let i = 0; i < 500_000; i++) {
    const id = Buffer.from(String(i));
    idBytes += id.length;
    memory.remember({ id, version: 1n << 62n, xid: 4_000_000_000 });
  }
  assert.equal(memory.byteLength, 16 * 500_000 + idBytes);
  const [first] = memory.unseenBy(parseSnapshot('4000000000:4000000000:'));
  assert.deepEqual({ ...first, id: first?.id.toString() }, { id: '0', routing: undefined, version: 1n << 62n, xid: 4_000_000_000 });
  let count = 0;
  for (const sent of memory.unseenBy(parseSnapshot('4000000000:4000000000:'))) count += sent.id.length > 0 ? 1 : 0;
  assert.equal(count, 500_000);
  memory.forgetSeenBy([parseSnapshot('4000000001:4000000001:')]);
  assert.equal(memory.byteLength, 0);
});

test('the longest id fits; deletes that come while a chunk sends its own again do not disturb it', () => {
  const memory = new DeleteMemory();
  memory.remember({ id: Buffer.alloc(512, 0x61), version: 5n, xid: 7 });
  const seen: string[] = [];
  for (const sent of memory.unseenBy(parseSnapshot('7:7:'))) {
    seen.push(sent.id.toString());
    for (let i = 0; i < 2000; i++) memory.remember({ id: Buffer.from(`later ${i}`), version: 6n, xid: 8 });
  }
  assert.deepEqual(seen, ['a'.repeat(512)]);
});
