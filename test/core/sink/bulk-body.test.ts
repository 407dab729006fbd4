import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DocumentEncoder } from '../../../src/core/encode/document.ts';
import { BulkBody } from '../../../src/core/sink/bulk-body.ts';
import type { WriteOperation } from '../../../src/core/sink/operation.ts';
import { runs } from '../../support/property-runs.ts';
import { anyText } from '../encode/postgres-text.ts';
import { planOf, rowOf } from '../encode/support.ts';

const encoder = new DocumentEncoder(planOf({ id: { kind: 'string' }, n: { kind: 'number' } }));

function operation(id: string, version: bigint, document: string | null): WriteOperation {
  return { id: Buffer.from(id), version, document: document === null ? null : Buffer.from(document) };
}

test('the bytes of a body', () => {
  const body = new BulkBody('external');
  assert.equal(body.appendRow(encoder, rowOf(['a"\n', '1.50']), 9007199254740993n), undefined);
  body.append(operation('é', 9223372036854775807n, null));
  body.append(operation('b', 0n, '{"n":1}'));
  const expected = [
    '{"index":{"_id":"a\\"\\n","version":9007199254740993,"version_type":"external"}}',
    '{"id":"a\\"\\n","n":1.50}',
    '{"delete":{"_id":"é","version":9223372036854775807,"version_type":"external"}}',
    '{"index":{"_id":"b","version":0,"version_type":"external"}}',
    '{"n":1}',
    '',
  ];
  assert.equal(body.bytes().toString('utf8'), expected.join('\n'));
  assert.equal(body.byteLength, body.bytes().length);
});

test('the bytes of a routed body: the text of the column, on each kind of operation', () => {
  const routed = new DocumentEncoder(planOf({ tenant: { kind: 'number' }, id: { kind: 'string' } }, { key: [0, 1], routing: 0 }));
  const body = new BulkBody('external');
  assert.equal(body.appendRow(routed, rowOf(['007', 'a']), 9n), undefined);
  body.append({ ...operation('x:b', 10n, null), routing: Buffer.from('"é\n') });
  body.append({ ...operation('y:c', 11n, '{"n":1}'), routing: Buffer.from('y') });
  const expected = [
    '{"index":{"_id":"007:a","routing":"007","version":9,"version_type":"external"}}',
    '{"tenant":007,"id":"a"}',
    '{"delete":{"_id":"x:b","routing":"\\"é\\n","version":10,"version_type":"external"}}',
    '{"index":{"_id":"y:c","routing":"y","version":11,"version_type":"external"}}',
    '{"n":1}',
    '',
  ];
  assert.equal(body.bytes().toString('utf8'), expected.join('\n'));
  assert.deepEqual([body.idAt(1), body.kindAt(1), body.kindAt(2)], ['x:b', 'delete', 'index']);
  assert.equal(body.slice([2]).bytes().toString('utf8'), expected.slice(3).join('\n'));
});

test('a row whose routing Elasticsearch does not take leaves nothing behind', () => {
  const plan = planOf({ tenant: { kind: 'string' }, id: { kind: 'string' } }, { key: [0, 1], routing: 0, idHash: 'sha256' });
  const body = new BulkBody('external');
  const reject = (tenant: string) => body.appendRow(new DocumentEncoder(plan), rowOf([tenant, 'a']), 1n);
  assert.deepEqual(reject(''), { column: 'tenant', reason: 'the routing is empty, which Elasticsearch takes for none' });
  assert.deepEqual(reject('x'.repeat(32_767)), { column: 'tenant', reason: 'the routing is longer than 32766 bytes' });
  assert.equal(body.count, 0);
  assert.equal(reject('x'.repeat(32_766)), undefined);
});

test('a rejected row leaves nothing behind', () => {
  const body = new BulkBody('external_gte', 64);
  assert.deepEqual(body.appendRow(encoder, rowOf(['a', 'NaN']), 1n), { column: 'n', reason: 'NaN or Infinity' });
  assert.deepEqual(body.appendRow(encoder, rowOf(['', '1']), 1n), { column: 'id', reason: 'the id is empty' });
  assert.equal(body.count, 0);
  assert.equal(body.byteLength, 0);
  assert.equal(body.appendRow(encoder, rowOf(['a', '1']), 1n), undefined);
  assert.match(body.bytes().toString(), /^\{"index":.*"external_gte"\}\}\n\{"id":"a","n":1\}\n$/);
});

test('any operations: what goes in is what the lines say, and any slice of them', () => {
  const id = anyText.filter((text) => text !== '');
  const operations = fc.array(fc.record({ id, version: fc.bigInt({ min: 0n, max: (1n << 63n) - 1n }), text: fc.option(anyText) }), {
    minLength: 1,
    maxLength: 10,
  });
  fc.assert(
    fc.property(operations, fc.array(fc.nat(), { maxLength: 10 }), (wanted, picks) => {
      const body = new BulkBody('external', 64);
      for (const { id, version, text } of wanted) body.append(operation(id, version, text === null ? null : JSON.stringify({ text })));
      assert.equal(body.count, wanted.length);
      const positions = picks.map((pick) => pick % wanted.length);
      const part = body.slice(positions);
      const expected = positions.map((position) => wanted[position]);
      const lines = part.bytes().toString('utf8').split('\n').slice(0, -1);
      for (const [i, one] of expected.entries()) {
        assert.ok(one !== undefined);
        const kind = one.text === null ? 'delete' : 'index';
        assert.equal(part.idAt(i), one.id);
        assert.equal(part.kindAt(i), kind);
        assert.equal(
          lines.shift(),
          `{"${kind}":{"_id":${JSON.stringify(one.id).replaceAll('\u007f', '\u007f')},"version":${one.version},"version_type":"external"}}`,
        );
        if (one.text !== null) assert.deepEqual(JSON.parse(lines.shift() ?? ''), { text: one.text });
      }
      assert.deepEqual(lines, []);
    }),
    runs(500),
  );
});

test('a cleared body starts again', () => {
  const body = new BulkBody('external');
  body.append(operation('a', 1n, null));
  const once = body.bytes().toString();
  body.clear();
  assert.deepEqual([body.count, body.byteLength], [0, 0]);
  body.append(operation('a', 1n, null));
  assert.equal(body.bytes().toString(), once);
});

test('the room that one huge document took is given back', () => {
  const body = new BulkBody('external', 1024);
  body.append(operation('a', 1n, `{"n":"${'x'.repeat(40 << 20)}"}`));
  const view = body.bytes();
  body.clear();
  body.append(operation('a', 1n, null));
  assert.ok(view.buffer.byteLength > 40 << 20);
  assert.ok(body.bytes().buffer.byteLength < 4096);
});

test('versions Elasticsearch would refuse, with the whole bulk, are refused here', () => {
  for (const version of [-1n, 1n << 63n]) assert.throws(() => new BulkBody('external').append(operation('a', version, null)), RangeError);
});

test('a position that does not exist', () => {
  const body = new BulkBody('external');
  body.append(operation('a', 1n, null));
  assert.throws(() => body.idAt(1), RangeError);
  assert.throws(() => body.kindAt(-1), RangeError);
  assert.throws(() => body.slice([0, 1]), RangeError);
});
