import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteWriter } from '../../../src/core/encode/byte-writer.ts';

test('a small buffer doubles, a large one takes little more than it needs, one that still lacks room gets all of it; what was written stays', () => {
  const writer = new ByteWriter(1000);
  writer.byte(65);
  for (const [offset, least, most] of [
    [1000, 2000, 2000],
    [8 << 20, (8 << 20) + 1, (8 << 20) + 1],
    [(8 << 20) + 1, 10 << 20, (10 << 20) + 2],
  ] as const) {
    writer.offset = offset;
    writer.ensure(1);
    assert.ok(writer.buffer.length >= least && writer.buffer.length <= most, `${offset}: ${writer.buffer.length}`);
    assert.equal(writer.buffer[0], 65);
  }
});
