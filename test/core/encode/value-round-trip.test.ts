import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ByteWriter } from '../../../src/core/encode/byte-writer.ts';
import { DocumentEncoder } from '../../../src/core/encode/document.ts';
import type { ValueForm } from '../../../src/core/encode/value-form.ts';
import { runs } from '../../support/property-runs.ts';
import { anyText, anyType } from './postgres-text.ts';
import { planOf, rowOf } from './support.ts';

const typedValues = anyType(3).chain(({ form, values }) =>
  fc.record({ form: fc.constant(form), values: fc.array(values, { minLength: 1, maxLength: 4 }) }),
);

test('what PostgreSQL prints of any type, nested at will, becomes the JSON value meant, on one line', () => {
  fc.assert(
    fc.property(typedValues, ({ form, values }) => {
      const encoder = new DocumentEncoder(planOf({ v: form }));
      for (const { text, json } of values) {
        const out = new ByteWriter(64);
        assert.equal(encoder.encode(rowOf([text]), out), undefined, text);
        const line = out.view().toString('utf8');
        assert.ok(!/[\n\r]/.test(line), text);
        assert.deepEqual(JSON.parse(line).v, json, text);
      }
    }),
    runs(3000),
  );
});

const forms: readonly ValueForm[] = (['number', 'boolean', 'string', 'date', 'timestamp', 'timestamptz', 'bytea', 'hstore'] as const).flatMap(
  (kind): ValueForm[] => [
    { kind },
    { kind: 'array', element: { kind }, delimiter: ',' },
    { kind: 'range', bound: { kind } },
    { kind: 'multirange', bound: { kind } },
    { kind: 'composite', attributes: [{ name: 'a', form: { kind } }] },
  ],
);

test('a text that is not of the type is refused or still gives one line; the writer is put back', () => {
  fc.assert(
    fc.property(fc.constantFrom(...forms), anyText, (form, text) => {
      const out = new ByteWriter(64);
      out.all(Buffer.from('before'));
      const rejection = new DocumentEncoder(planOf({ v: form })).encode(rowOf([text]), out);
      if (rejection === undefined) return assert.ok(!out.view().includes(0x0a));
      assert.equal(out.view().toString(), 'before');
      assert.equal(rejection.column, 'v');
      return undefined;
    }),
    runs(3000),
  );
});
