/**
 * Microseconds a row from COPY bytes to bulk bytes, on a row like the products of the benchmarks (11 columns, about 670 bytes of COPY text,
 * 880 of NDJSON): `node dist/scripts/bench-encode.js`.
 */
import { CopyTextReader } from '../src/core/encode/copy-text.ts';
import { DocumentEncoder } from '../src/core/encode/document.ts';
import type { DocumentPlan } from '../src/core/encode/document-plan.ts';
import type { ValueForm } from '../src/core/encode/value-form.ts';
import type { Row } from '../src/core/row.ts';
import { BulkBody } from '../src/core/sink/bulk-body.ts';

const ROWS = 20_000;
const CHUNK_BYTES = 65_536;
const BULK_BYTES = 5 << 20;
const WORDS = 'lorem ipsum dolor sit amet consectetur "adipiscing" elit größe naïve tempor incididunt labore magna'.split(' ');

const FORMS: { readonly [column: string]: ValueForm } = {
  id: { kind: 'number' },
  sku: { kind: 'string' },
  title: { kind: 'string' },
  description: { kind: 'string' },
  price: { kind: 'number' },
  tags: { kind: 'array', element: { kind: 'string' }, delimiter: ',' },
  attrs: { kind: 'json' },
  category_id: { kind: 'number' },
  in_stock: { kind: 'boolean' },
  created_at: { kind: 'timestamptz' },
  updated_at: { kind: 'timestamptz' },
};

function planOf(): DocumentPlan {
  const columns = Object.entries(FORMS).map(([name, form], i) => ({
    ...{ name, form, attnum: i + 1, typeName: '', typeOid: 0, typmod: -1 },
    ...{ notNull: false, generated: false },
  }));
  const fields = columns.map(({ name }, column) => ({ column, field: name }));
  return { columns, fields, key: [0], onNonFinite: 'reject', onUnrepresentable: 'reject', idHash: 'none' };
}

function words(count: number, from: number): string {
  return Array.from({ length: count }, (_, i) => WORDS[(from * 7 + i * i) % WORDS.length]).join(' ');
}

function copyLine(i: number): string {
  const texts = [i, `SKU-${i * 7919}`, words(7, i), `${words(58, i)}${i % 4 === 0 ? '\\nnext line' : ''}`, (i / 100).toFixed(2)];
  const attrs = `{"color": "red", "size": ${i % 50}, "weight": ${i / 10}, "note": "n${i % 99}"}`;
  const rest = [`{${WORDS[i % 5]},"a b",c${i % 9}}`, attrs, i % 500, i % 2 ? 't' : 'f', '2024-01-02 03:04:05.123456+00', '2024-05-06 07:08:09.5+00'];
  return `${[...texts, ...rest].join('\t')}\n`;
}

function run(stream: Buffer, onRow: (row: Row) => void): number {
  const copy = Buffer.from(stream);
  const reader = new CopyTextReader(Object.keys(FORMS).length);
  const startedAt = process.hrtime.bigint();
  for (let at = 0; at < copy.length; at += CHUNK_BYTES) reader.push(copy.subarray(at, at + CHUNK_BYTES), onRow);
  reader.end();
  return Number(process.hrtime.bigint() - startedAt) / 1000 / ROWS;
}

function report(name: string, stream: Buffer, onRow: (row: Row) => void): void {
  const figures = Array.from({ length: 15 }, () => run(stream, onRow)).sort((a, b) => a - b);
  console.log(`${name.padEnd(16)} best ${figures[0]?.toFixed(2)}  median ${figures[7]?.toFixed(2)}  us/row`);
}

const stream = Buffer.from(Array.from({ length: ROWS }, (_, i) => copyLine(i)).join(''));
const encoder = new DocumentEncoder(planOf());
const body = new BulkBody('external', BULK_BYTES + (1 << 18));
report('read', stream, () => {});
report('read and encode', stream, (row) => {
  const rejection = body.appendRow(encoder, row, 123_456_789n);
  if (rejection !== undefined) throw new Error(rejection.reason);
  if (body.byteLength > BULK_BYTES) body.clear();
});
