import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DocumentPlan } from '../../../src/core/encode/document-plan.ts';
import { Failure } from '../../../src/core/failure.ts';
import { emptyRow, FIELD_ABSENT, FIELD_NULL, fieldText } from '../../../src/core/row.ts';
import type { SourceTable } from '../../../src/core/table.ts';
import { decodeMessage, readTuple, type WalMessage } from '../../../src/core/wal/pgoutput.ts';
import { mapRelation, onlyKey } from '../../../src/core/wal/relation-map.ts';
import * as wire from './pgoutput-messages.ts';

const column = (name: string, attnum: number, generated = false) => ({
  name,
  attnum,
  typeName: 'text',
  typeOid: 25,
  typmod: -1,
  notNull: false,
  generated,
  form: { kind: 'string' } as const,
});

const decoded = (bytes: Buffer): WalMessage => decodeMessage({ piece: bytes, start: 0, end: bytes.length });

test('the envelope of each message', () => {
  assert.deepEqual(decoded(wire.begin(0x1_0000_0001n, 0xfffffff0)), { kind: 'begin', finalLsn: 0x1_0000_0001n, xid: 0xfffffff0 });
  assert.deepEqual(decoded(wire.commit(5n, 9n)), { kind: 'commit', commitLsn: 5n, endLsn: 9n });
  assert.deepEqual(decoded(wire.truncate([7, 4_000_000_000])), { kind: 'truncate', oids: [7, 4_000_000_000] });
  assert.deepEqual(decoded(wire.remove(7, 'O', ['a'])), { kind: 'delete', oid: 7, before: 6, identity: 'full' });
  assert.deepEqual(decoded(wire.remove(7, 'K', ['a'])), { kind: 'delete', oid: 7, before: 6, identity: 'key' });
  assert.deepEqual(decoded(Buffer.from('Yxx')), { kind: 'type' });
  for (const kind of ['O', 'M']) assert.deepEqual(decoded(Buffer.from(`${kind}xx`)), { kind: 'ignored' });
  assert.throws(() => decoded(Buffer.from('S....')), RangeError);
});

test('an update with an old key says where both tuples are', () => {
  const bytes = wire.update(7, ['b', null, undefined], { kind: 'K', before: ['añ', null, null] });
  const message = decoded(bytes);
  assert.equal(message.kind, 'update');
  if (message.kind !== 'update') return;
  const row = emptyRow(3);
  readTuple(bytes, message.after, Int32Array.from([0, 1, 2]), row);
  assert.deepEqual([fieldText(row, 0), row.starts[1], row.starts[2]], ['b', FIELD_NULL, FIELD_ABSENT]);
  readTuple(bytes, message.before, Int32Array.from([0, 1, 2]), row);
  assert.equal(fieldText(row, 0), 'añ');
  assert.throws(() => readTuple(Buffer.from([0, 1, 0x62]), 0, Int32Array.from([0]), row), RangeError);
});

test('a relation maps columns by name, whatever their order, and leaves unpublished ones absent', () => {
  const message = decoded(
    wire.relation(7, '', 't', [
      { name: 'b', typeOid: 25 },
      { name: 'skipped', typeOid: 25 },
      { name: 'a', typeOid: 25 },
    ]),
  );
  assert.ok(message.kind === 'relation');
  assert.equal(message.schema, 'pg_catalog');
  const columns = [column('a', 1), column('b', 2), column('skipped', 3), column('g', 4, true)];
  const table = { columns } as unknown as SourceTable;
  const plan = {
    columns: [column('a', 1), column('b', 2), column('g', 4, true)],
    fields: [],
    key: [0],
    onNonFinite: 'reject',
    onUnrepresentable: 'reject',
    idHash: 'none',
  } as const;
  assert.deepEqual([...mapRelation(message, table, plan)], [1, -1, 0]);
  // A computed field may have the name of a column; what is streamed is never its value.
  const computed = { ...plan, columns: [...plan.columns, { ...column('b', 0), sql: 'lower(b)' }, { ...column('skipped', 0), sql: 'a' }] };
  assert.deepEqual([...mapRelation(message, table, computed)], [1, -1, 0]);
});

test('of a key-only old tuple only the columns of the key are taken', () => {
  assert.deepEqual([...onlyKey(Int32Array.from([3, -1, 0, 1, 2]), { key: [2, 0] } as unknown as DocumentPlan)], [-1, -1, 0, -1, 2]);
});

test('a new, retyped or missing column stops the build', () => {
  const table = { columns: [column('a', 1), column('b', 2)] } as unknown as SourceTable;
  const plan = { columns: [column('a', 1)], fields: [], key: [0], onNonFinite: 'reject', onUnrepresentable: 'reject', idHash: 'none' } as const;
  const changed = (columns: { name: string; typeOid: number }[]): void => {
    const message = decoded(wire.relation(7, 'public', 't', columns));
    assert.ok(message.kind === 'relation');
    assert.throws(
      () => mapRelation(message, table, plan),
      (error) => error instanceof Failure && error.kind === 'source-changed',
    );
  };
  changed([
    { name: 'a', typeOid: 25 },
    { name: 'b', typeOid: 25 },
    { name: 'c', typeOid: 25 },
  ]);
  changed([
    { name: 'a', typeOid: 23 },
    { name: 'b', typeOid: 25 },
  ]);
  changed([{ name: 'a', typeOid: 25 }]);
});

test('a message is read where it lies in its piece', () => {
  const columns = [{ name: 'a', typeOid: 25 }];
  const alone = [
    wire.begin(5n, 7),
    wire.commit(5n, 9n),
    wire.insert(7, ['a']),
    wire.update(7, ['a']),
    wire.update(7, ['b'], { kind: 'K', before: ['a'] }),
    wire.remove(7, 'O', ['a']),
    wire.truncate([7, 8]),
    wire.relation(7, 'public', 't', columns),
  ];
  for (const [at, message] of wire.inOnePiece(alone).entries()) {
    const own = decoded(alone[at] as Buffer);
    const shifted = { ...own };
    if ('after' in shifted) shifted.after += message.start;
    if ('before' in shifted && shifted.before >= 0) shifted.before += message.start;
    assert.deepEqual(decodeMessage(message), shifted);
  }
});
