import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DocumentEncoder } from '../../../src/core/encode/document.ts';
import type { DocumentPlan } from '../../../src/core/encode/document-plan.ts';
import { rowFromTexts } from '../../../src/core/row.ts';
import { keyOfId } from '../../../src/core/verify/key-of-id.ts';

function planOf(keys: number, idHash: 'none' | 'sha256' = 'none'): DocumentPlan {
  const column = {
    name: 'k',
    attnum: 1,
    typeName: 'text',
    typeOid: 25,
    typmod: -1,
    notNull: true,
    generated: false,
    form: { kind: 'string' },
  } as const;
  const columns = Array.from({ length: keys }, () => column);
  return { columns, fields: [], key: columns.map((_, at) => at), onNonFinite: 'reject', onUnrepresentable: 'reject', idHash };
}

test('the key of any id is the key it was made from', () => {
  const part = fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom(':', '\\', 'a', 'é', '😀', ' ') });
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 3 }), (key) => {
      const plan = planOf(key.length);
      const id = new DocumentEncoder(plan).id(rowFromTexts(key));
      assert.ok(Buffer.isBuffer(id));
      assert.deepEqual(keyOfId(plan, id.toString('utf8')), { kind: 'key', key });
    }),
  );
});

test('an id that no row can have is foreign, and a hash cannot be undone', () => {
  assert.deepEqual(keyOfId(planOf(2), 'a'), { kind: 'foreign' });
  assert.deepEqual(keyOfId(planOf(2), 'a:b:c'), { kind: 'foreign' });
  assert.deepEqual(keyOfId(planOf(2), 'a:\\x'), { kind: 'foreign' });
  assert.deepEqual(keyOfId(planOf(2), 'a:b\\'), { kind: 'foreign' });
  assert.deepEqual(keyOfId(planOf(1, 'sha256'), 'sha256:00'), { kind: 'hashed' });
  assert.deepEqual(keyOfId(planOf(1), 'sha256:00'), { kind: 'key', key: ['sha256:00'] });
});
