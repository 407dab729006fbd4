import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  DocumentHasher,
  differingPartitions,
  groupPartitions,
  loadHash,
  PartitionSums,
  partitionCountFor,
} from '../../../src/core/verify/checksum.ts';

const hash = await loadHash();
const PARTITIONS = 16;
type Documents = readonly (readonly [string, string])[];

function sumsOf(documents: Documents): PartitionSums {
  const hasher = new DocumentHasher(hash, PARTITIONS);
  const sums = new PartitionSums(PARTITIONS);
  for (const [id, document] of documents) {
    const bytes = Buffer.from(id);
    sums.add(hasher.partition(bytes), hasher.documentHash(bytes, Buffer.from(document)));
  }
  return sums;
}

const documents = fc.uniqueArray(fc.tuple(fc.string({ minLength: 1 }), fc.string()), { selector: ([id]) => id, minLength: 1, maxLength: 60 });

test('the order does not matter', () => {
  fc.assert(
    fc.property(documents, fc.infiniteStream(fc.nat()), (list, random) => {
      const shuffled = list.map((entry) => ({ entry, at: random.next().value as number })).sort((a, b) => a.at - b.at);
      assert.deepEqual(differingPartitions(sumsOf(list), sumsOf(shuffled.map(({ entry }) => entry))), []);
    }),
  );
});

test('one changed document changes exactly its own partition', () => {
  fc.assert(
    fc.property(documents, fc.nat(), (list, at) => {
      const [id, text] = list[at % list.length] as readonly [string, string];
      const changed = list.map((entry) => (entry[0] === id ? ([id, `${text}.`] as const) : entry));
      const partition = new DocumentHasher(hash, PARTITIONS).partition(Buffer.from(id));
      assert.deepEqual(differingPartitions(sumsOf(list), sumsOf(changed)), [partition]);
    }),
  );
});

test('a missing and an extra document of one partition are seen though their counts cancel', () => {
  fc.assert(
    fc.property(documents, (list) => {
      const [[id, text] = ['', ''], ...rest] = list;
      const partition = new DocumentHasher(hash, 1).partition(Buffer.from(id));
      assert.equal(partition, 0);
      assert.notDeepEqual(differingPartitions(sumsOf(list), sumsOf([...rest, [`${id}'`, text]])), []);
    }),
  );
});

test('two documents that swapped their ids are seen', () => {
  const left: Documents = [
    ['1', 'a'],
    ['2', 'b'],
  ];
  const right: Documents = [
    ['1', 'b'],
    ['2', 'a'],
  ];
  assert.notDeepEqual(differingPartitions(sumsOf(left), sumsOf(right)), []);
});

test('the border between id and document counts', () => {
  const hasher = new DocumentHasher(hash, PARTITIONS);
  assert.notEqual(hasher.documentHash(Buffer.from('ab'), Buffer.from('c')), hasher.documentHash(Buffer.from('a'), Buffer.from('bc')));
});

test('the routing counts, and the border between it and the document', () => {
  const hasher = new DocumentHasher(hash, PARTITIONS);
  const id = Buffer.from('1');
  const of = (document: string, routing?: string) =>
    hasher.documentHash(id, Buffer.from(document), routing === undefined ? undefined : Buffer.from(routing));
  assert.equal(of('{}', 'a'), of('{}', 'a'));
  assert.equal(new Set([of('{}'), of('{}', ''), of('{}', 'a'), of('{}', 'b'), of('{}a'), of('{', '}')]).size, 6);
});

test('a document larger than the buffer is hashed whole', () => {
  const hasher = new DocumentHasher(hash, PARTITIONS);
  const large = Buffer.alloc(1_000_000, 'x');
  const before = hasher.documentHash(Buffer.from('1'), large);
  large[999_999] = 0x79;
  assert.notEqual(hasher.documentHash(Buffer.from('1'), large), before);
});

test('partitions are packed into groups that fit, each exactly once', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1 }), (counts) => {
      const all = counts.map((_, at) => at);
      const groups = groupPartitions(all, Float64Array.from(counts), 100);
      assert.deepEqual(
        groups.flatMap(({ partitions }) => [...partitions]),
        all,
      );
      for (const { ids, partitions } of groups) assert.ok(ids <= 100 && [...partitions].reduce((sum, p) => sum + (counts[p] as number), 0) === ids);
    }),
  );
  assert.deepEqual(groupPartitions([], new Float64Array(4), 100), []);
});

test('a partition larger than a group is a group of its own', () => {
  const groups = groupPartitions([0, 1, 2], Float64Array.from([5, 500, 5]), 100);
  assert.deepEqual(
    groups.map(({ partitions }) => [...partitions]),
    [[0], [1], [2]],
  );
});

test('there are more partitions for more documents than a thousand million', () => {
  assert.equal(partitionCountFor(0), 1024);
  assert.equal(partitionCountFor(1_024_000_000), 1024);
  assert.equal(partitionCountFor(5_000_000_000), 8192);
});
