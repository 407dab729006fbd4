import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DocumentEncoder } from '../../../src/core/encode/document.ts';
import type { DocumentPlan } from '../../../src/core/encode/document-plan.ts';
import type { ValueForm } from '../../../src/core/encode/value-form.ts';
import { emptyRow, FIELD_ABSENT, FIELD_NULL, fieldText } from '../../../src/core/row.ts';
import { type HeldRow, readHeld } from '../../../src/core/wal/held-row.ts';
import { decodeMessage, type WalBytes } from '../../../src/core/wal/pgoutput.ts';
import { type CollapsedTransaction, TransactionBuffer } from '../../../src/core/wal/transaction.ts';
import * as wire from './pgoutput-messages.ts';

const column = (name: string, attnum: number, kind: 'string' | 'number' = 'string') => ({
  name,
  attnum,
  typeName: 'text',
  typeOid: 25,
  typmod: -1,
  notNull: false,
  generated: false,
  form: { kind } as ValueForm,
});

/** Columns id, body, n; the key is id. */
const plan: DocumentPlan = {
  columns: [column('id', 1), column('body', 2), column('n', 3)],
  fields: [
    { column: 0, field: 'id' },
    { column: 1, field: 'body' },
    { column: 2, field: 'n' },
  ],
  key: [0],
  onNonFinite: 'reject',
  onUnrepresentable: 'reject',
  idHash: 'none',
};
const TARGETS = { whole: Int32Array.from([0, 1, 2]), key: Int32Array.from([0, -1, -1]) };

function collapse(...messages: readonly Buffer[]): CollapsedTransaction {
  const buffer = new TransactionBuffer(new DocumentEncoder(plan), plan);
  buffer.begin(100n, 7);
  feed(buffer, messages);
  return buffer.commit(140n);
}

function feed(buffer: TransactionBuffer, messages: readonly Buffer[]): void {
  feedBytes(buffer, wire.inOnePiece(messages));
}

function feedBytes(buffer: TransactionBuffer, messages: readonly WalBytes[]): void {
  for (const bytes of messages) {
    const message = decodeMessage(bytes);
    if (message.kind === 'insert') buffer.insert(bytes, message.after, TARGETS);
    else if (message.kind === 'update') buffer.update(bytes, message, TARGETS);
    else if (message.kind === 'delete') buffer.delete(bytes, message.before, message.identity === 'full', TARGETS);
    else if (message.kind === 'truncate') buffer.truncate();
    else if (message.kind === 'ignored') buffer.passOver(bytes);
  }
}

function textsOf(held: HeldRow): (string | null | undefined)[] {
  const row = readHeld(held, emptyRow(3));
  return [0, 1, 2].map((field) => (row.starts[field] === FIELD_ABSENT ? undefined : fieldText(row, field)));
}

function outcome(transaction: CollapsedTransaction): { [id: string]: unknown } {
  return Object.fromEntries(transaction.changes.map((change) => [change.id.toString(), change.row === null ? null : textsOf(change.row)]));
}

test('insert, update, delete and insert of one key are one operation: the last state', () => {
  const transaction = collapse(
    wire.insert(1, ['a', 'x', '1']),
    wire.update(1, ['a', 'y', '2']),
    wire.remove(1, 'K', ['a', null, null]),
    wire.insert(1, ['a', 'z', '3']),
  );
  assert.deepEqual(outcome(transaction), { a: ['a', 'z', '3'] });
  assert.equal(transaction.rowChanges, 4);
});

test('a key change deletes the old id; a swap of two keys leaves both', () => {
  const key = (id: string) => ({ kind: 'K' as const, before: [id, null, null] });
  assert.deepEqual(outcome(collapse(wire.update(1, ['b', 'x', '1'], key('a')))), { a: null, b: ['b', 'x', '1'] });
  const swapped = collapse(
    wire.update(1, ['t', 'A', '1'], key('a')),
    wire.update(1, ['a', 'B', '2'], key('b')),
    wire.update(1, ['b', 'A', '1'], key('t')),
  );
  assert.deepEqual(outcome(swapped), { a: ['a', 'B', '2'], t: null, b: ['b', 'A', '1'] });
});

test('an unchanged TOAST value comes from the old tuple, from the earlier state, across a key change, or stays absent for a lookup', () => {
  assert.deepEqual(outcome(collapse(wire.update(1, ['a', undefined, '2'], { kind: 'O', before: ['a', 'big', '1'] }))), { a: ['a', 'big', '2'] });
  assert.deepEqual(outcome(collapse(wire.insert(1, ['a', 'big', '1']), wire.update(1, ['a', undefined, '2']))), { a: ['a', 'big', '2'] });
  const moved = collapse(wire.insert(1, ['a', 'big', '1']), wire.update(1, ['b', undefined, '2'], { kind: 'K', before: ['a', null, null] }));
  assert.deepEqual(outcome(moved), { a: null, b: ['b', 'big', '2'] });
  assert.deepEqual(outcome(collapse(wire.update(1, ['a', undefined, '2']))), { a: ['a', undefined, '2'] });
});

test('n in the other columns of a key-only old tuple does not mean NULL', () => {
  const transaction = collapse(wire.update(1, ['b', undefined, '2'], { kind: 'K', before: ['a', null, null] }));
  assert.deepEqual(outcome(transaction), { a: null, b: ['b', undefined, '2'] });
});

test('a TOASTed key that did not change is taken from the old key', () => {
  assert.deepEqual(outcome(collapse(wire.update(1, [undefined, 'x', '2'], { kind: 'K', before: ['a', null, null] }))), { a: ['a', 'x', '2'] });
});

test('a value set to NULL is NULL, not unchanged', () => {
  const held = collapse(wire.insert(1, ['a', 'big', '1']), wire.update(1, ['a', null, '2'])).changes[0]?.row;
  assert.ok(held);
  assert.equal(readHeld(held, emptyRow(3)).starts[1], FIELD_NULL);
});

test('TRUNCATE forgets what came before it in the transaction and keeps what comes after', () => {
  const transaction = collapse(wire.insert(1, ['a', 'x', '1']), wire.truncate([1]), wire.insert(1, ['b', 'y', '2']));
  assert.equal(transaction.truncate, true);
  assert.deepEqual(outcome(transaction), { b: ['b', 'y', '2'] });
});

test('a key that makes no id is a rejection, and its delete deletes nothing', () => {
  const long = 'k'.repeat(600);
  const transaction = collapse(wire.insert(1, [long, 'x', '1']), wire.remove(1, 'K', ['y'.repeat(600), null, null]));
  assert.deepEqual(
    transaction.changes.map(({ row, rejection, unindexed }) => [row, rejection?.column, unindexed]),
    [
      [null, 'id', undefined],
      [null, undefined, true],
    ],
  );
});

test('parts: the first says so, only the last has the end, memory starts anew', () => {
  const buffer = new TransactionBuffer(new DocumentEncoder(plan), plan);
  buffer.begin(100n, 7);
  feed(buffer, [wire.insert(1, ['a', 'x', '1'])]);
  assert.ok(buffer.byteLength > 0);
  const first = buffer.takePart();
  assert.deepEqual([first.firstPart, first.endLsn, buffer.open, buffer.byteLength], [true, null, true, 0]);
  feed(buffer, [wire.insert(1, ['b', 'y', '2'])]);
  const last = buffer.commit(140n);
  assert.deepEqual([last.firstPart, last.endLsn, last.finalLsn, buffer.open], [false, 140n, 100n, false]);
  assert.deepEqual(outcome(last), { b: ['b', 'y', '2'] });
});

test('a row whose key makes no id is rejected, and no reject any more when it goes or gets another key', () => {
  const long = 'k'.repeat(600);
  const states = (transaction: CollapsedTransaction): unknown =>
    transaction.changes.map(({ id, row, rejection, unindexed }) => [id.toString(), row !== null, rejection !== null, unindexed === true]);
  assert.deepEqual(states(collapse(wire.insert(1, [long, 'x', '1']))), [[long, false, true, false]]);
  assert.deepEqual(states(collapse(wire.remove(1, 'K', [long, null, null]))), [[long, false, false, true]]);
  assert.deepEqual(states(collapse(wire.insert(1, [long, 'x', '1']), wire.remove(1, 'K', [long, null, null]))), [[long, false, false, true]]);
  const shortened = collapse(wire.update(1, ['a', 'x', '1'], { kind: 'K', before: [long, null, null] }));
  assert.deepEqual(states(shortened), [
    [long, false, false, true],
    ['a', true, false, false],
  ]);
  assert.deepEqual(states(collapse(wire.update(1, [long, 'y', '1'], { kind: 'O', before: [long, 'x', '1'] }))), [[long, false, true, false]]);
});

test('an unchanged value goes on through several updates, and comes from the old tuple before the earlier state', () => {
  const twice = collapse(wire.insert(1, ['a', 'big', '1']), wire.update(1, ['a', undefined, '2']), wire.update(1, ['a', undefined, '3']));
  assert.deepEqual(outcome(twice), { a: ['a', 'big', '3'] });
  const both = collapse(wire.insert(1, ['a', 'big', '1']), wire.update(1, ['a', undefined, undefined], { kind: 'O', before: ['a', 'bigger', '2'] }));
  assert.deepEqual(outcome(both), { a: ['a', 'bigger', '2'] });
  const moved = collapse(
    wire.insert(1, ['a', 'big', '1']),
    wire.update(1, [undefined, undefined, '2'], { kind: 'K', before: ['a', null, null] }),
    wire.update(1, ['b', undefined, '3'], { kind: 'K', before: ['a', null, null] }),
  );
  assert.deepEqual(outcome(moved), { a: null, b: ['b', 'big', '3'] });
});

function bytesOf(messages: readonly WalBytes[]): number {
  const buffer = new TransactionBuffer(new DocumentEncoder(plan), plan);
  buffer.begin(100n, 7);
  feedBytes(buffer, messages);
  return buffer.byteLength;
}

test('what is held counts by the messages, however they were cut: a transaction that comes again goes in the same parts', () => {
  const messages = [
    wire.insert(1, ['a', 'big', '1']),
    Buffer.from(`M${'m'.repeat(100)}`),
    wire.update(1, ['b', undefined, '2'], { kind: 'K', before: ['a', null, null] }),
    wire.remove(1, 'K', ['b', null, null]),
  ];
  const alone = messages.map((piece) => ({ piece, start: 0, end: piece.length }));
  assert.equal(bytesOf(wire.inOnePiece(messages)), bytesOf(alone));
});

test('a message without rows counts where rows are held: they keep the pieces it came in, but none beyond', () => {
  const passing = (bytes: number): Buffer => Buffer.from('m'.padStart(bytes, 'M'));
  const row = wire.insert(1, ['a', 'x', '1']);
  const counted = (...messages: readonly Buffer[]): number => bytesOf(wire.inOnePiece(messages));
  assert.equal(counted(passing(60_000)), 0);
  assert.equal(counted(row, passing(60_000)) - counted(row), 60_000);
  assert.equal(counted(row, passing(60_000), passing(60_000)) - counted(row), 65_536);
});

test('a row put together counts with its own bytes', () => {
  const insert = wire.insert(1, ['a', 'b'.repeat(50_000), '1']);
  const update = wire.update(1, ['a', undefined, '2']);
  const copied = bytesOf(wire.inOnePiece([insert, update])) - bytesOf(wire.inOnePiece([insert]));
  assert.ok(copied > 50_000 && copied < 60_000, `${copied} bytes for the copy`);
});

test('a row that waits is read by the relation it came with', () => {
  const buffer = new TransactionBuffer(new DocumentEncoder(plan), plan);
  buffer.begin(100n, 7);
  feed(buffer, [wire.insert(1, ['a', 'x', '1'])]);
  const [message] = wire.inOnePiece([wire.insert(1, ['2', 'b', 'y'])]);
  assert.ok(message);
  buffer.insert(message, message.start + 6, { whole: Int32Array.from([2, 0, 1]), key: Int32Array.from([-1, 0, -1]) });
  assert.deepEqual(outcome(buffer.commit(140n)), { a: ['a', 'x', '1'], b: ['b', 'y', '2'] });
});

test('a tuple that ends behind its message is no row', () => {
  const [message] = wire.inOnePiece([wire.insert(1, ['a', 'x', '1'])]);
  assert.ok(message);
  const buffer = new TransactionBuffer(new DocumentEncoder(plan), plan);
  buffer.begin(100n, 7);
  assert.throws(() => buffer.insert({ ...message, end: message.end - 1 }, message.start + 6, TARGETS), /ends 1 bytes behind its message/);
});
