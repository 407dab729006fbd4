import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { eachElement, eachMember, skipValue } from '../../../src/elasticsearch/json-bytes.ts';
import { runs } from '../../support/property-runs.ts';

const text = fc.array(fc.constantFrom(...'ab"\\{}[],:\n é€', 'plain text'), { maxLength: 24 }).map((parts) => parts.join(''));
const value = fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' });
const member = fc.tuple(fc.constantFrom('_id', '_source', '_score', 'sort', '_version', 'a', ''), fc.oneof(text, value));

test('a value ends where JSON.stringify ended it, wherever it stands and whatever follows', () => {
  fc.assert(
    fc.property(fc.oneof(text, value), fc.integer({ min: 0, max: 7 }), (wanted, before) => {
      const json = JSON.stringify(wanted);
      const bytes = Buffer.from(`${'"'.repeat(before)}${json},"\\"}]`);
      assert.equal(skipValue(bytes, before), before + Buffer.byteLength(json));
    }),
    runs(3000),
  );
});

test('the members of many objects come with their names and values', () => {
  const objects = fc.array(
    fc.array(member, { maxLength: 6 }).map((members) => Object.fromEntries(members)),
    { maxLength: 5 },
  );
  fc.assert(
    fc.property(objects, (wanted) => {
      const bytes = Buffer.from(JSON.stringify(wanted));
      const read: { [name: string]: unknown }[] = [];
      eachElement(bytes, 0, (at) => {
        const object: { [name: string]: unknown } = {};
        read.push(object);
        return eachMember(bytes, at, (name, start) => {
          const end = skipValue(bytes, start);
          object[name] = JSON.parse(bytes.toString('utf8', start, end));
          return end;
        });
      });
      // As JSON knows them: there is no negative zero.
      assert.deepEqual(read, JSON.parse(JSON.stringify(wanted)));
    }),
    runs(1000),
  );
});
