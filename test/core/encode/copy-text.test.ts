import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CopyTextReader } from '../../../src/core/encode/copy-text.ts';
import { Failure } from '../../../src/core/failure.ts';
import { FIELD_NULL, type Row } from '../../../src/core/row.ts';
import { runs } from '../../support/property-runs.ts';

/** COPY TO's escapes, written anew from the manual: https://www.postgresql.org/docs/current/sql-copy.html */
const ESCAPES = new Map([
  [0x08, '\\b'],
  [0x09, '\\t'],
  [0x0a, '\\n'],
  [0x0b, '\\v'],
  [0x0c, '\\f'],
  [0x0d, '\\r'],
  [0x5c, '\\\\'],
]);

function printField(bytes: Uint8Array | null): Buffer {
  if (bytes === null) return Buffer.from('\\N');
  return Buffer.concat([...bytes].map((byte) => Buffer.from(ESCAPES.get(byte) ?? [byte])));
}

function printRows(rows: readonly (readonly (Uint8Array | null)[])[]): Buffer {
  const tab = Buffer.from('\t');
  const lines = rows.flatMap((row) => [...row.flatMap((field, i) => (i === 0 ? [printField(field)] : [tab, printField(field)])), Buffer.from('\n')]);
  return Buffer.concat(lines);
}

function fieldsOf(row: Row): (string | null)[] {
  return Array.from(row.starts, (start, i) => (start === FIELD_NULL ? null : row.bytes.toString('latin1', start, row.ends[i])));
}

function readAll(stream: Buffer, cuts: readonly number[], columns: number): { rows: (string | null)[][]; count: number } {
  const reader = new CopyTextReader(columns);
  const rows: (string | null)[][] = [];
  const edges = [0, ...cuts.map((cut) => cut % (stream.length + 1)).sort((a, b) => a - b), stream.length];
  for (let i = 1; i < edges.length; i++) reader.push(Buffer.from(stream.subarray(edges[i - 1], edges[i])), (row) => rows.push(fieldsOf(row)));
  return { rows, count: reader.end() };
}

const someBytes = fc.oneof(
  fc.uint8Array({ maxLength: 30 }),
  fc.array(fc.constantFrom(0x5c, 0x09, 0x0a, 0x4e, 0x62, 0x0d, 0x61), { maxLength: 8 }).map((bytes) => Uint8Array.from(bytes)),
);

test('any rows come back from the stream, wherever it is cut', () => {
  const table = fc.integer({ min: 1, max: 5 }).chain((columns) =>
    fc.record({
      columns: fc.constant(columns),
      rows: fc.array(fc.array(fc.option(someBytes), { minLength: columns, maxLength: columns }), { maxLength: 12 }),
      cuts: fc.array(fc.nat(5000), { maxLength: 20 }),
    }),
  );
  fc.assert(
    fc.property(table, ({ columns, rows, cuts }) => {
      const expected = rows.map((row) => row.map((field) => (field === null ? null : Buffer.from(field).toString('latin1'))));
      assert.deepEqual(readAll(printRows(rows), cuts, columns), { rows: expected, count: rows.length });
    }),
    runs(1000),
  );
});

test('cut at every byte', () => {
  const stream = Buffer.from('1\t\\N\ta\\tb\\\\N\n\\\\N\t\tNULL\n\\N\t\\N\t\\N\n');
  const expected = [
    ['1', null, 'a\tb\\N'],
    ['\\N', '', 'NULL'],
    [null, null, null],
  ];
  for (let cut = 0; cut <= stream.length; cut++) assert.deepEqual(readAll(stream, [cut], 3), { rows: expected, count: 3 });
  assert.deepEqual(readAll(stream, [...stream.keys()], 3), { rows: expected, count: 3 });
});

test('a row much longer than a chunk', () => {
  const long = 'x'.repeat(300_000);
  const cuts = Array.from({ length: 60 }, (_, i) => i * 5000);
  assert.deepEqual(readAll(Buffer.from(`1\t${long}\n2\tb\n`), cuts, 2).rows, [
    ['1', long],
    ['2', 'b'],
  ]);
});

test('a stream that stops inside a row is a lost connection', () => {
  const reader = new CopyTextReader(2);
  reader.push(Buffer.from('1\ta\n2'), () => {});
  assert.throws(() => reader.end(), { name: 'Failure', kind: 'connection-lost', message: 'the COPY stream ended inside row 2' });
});

for (const [text, fields] of [
  ['1\n', 1],
  ['1\t2\t3\n', 3],
  ['\\\\\n', 1],
  ['\\N\t\\N\t\\\\\t\n', 4],
] as const) {
  test(`${JSON.stringify(text)} is refused where two columns are expected`, () => {
    const refusal = (error: unknown): boolean =>
      error instanceof Failure && error.kind === 'connection-lost' && error.message.includes(`has ${fields} fields instead of 2`);
    assert.throws(() => new CopyTextReader(2).push(Buffer.from(text), () => {}), refusal);
  });
}
