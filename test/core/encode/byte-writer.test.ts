import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteWriter } from '../../../src/core/encode/byte-writer.ts';
import { Literal } from '../../../src/core/encode/literal.ts';

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

test('a literal is written whole, whatever its length and wherever it begins, and what follows overwrites what lies behind it', () => {
  const text = '"größe":{"a":[1,2],"b":"x"}';
  for (let length = 0; length <= text.length; length++) {
    for (let before = 0; before < 5; before++) {
      const writer = new ByteWriter(64);
      const wanted = '.'.repeat(before) + text.slice(0, length) + text;
      for (let i = 0; i < before; i++) writer.byte(0x2e);
      writer.literal(new Literal(text.slice(0, length)));
      writer.literal(new Literal(text));
      assert.equal(writer.view().toString(), wanted);
    }
  }
});

test('a literal that fits only just makes room for its last word', () => {
  const writer = new ByteWriter(64);
  for (let i = 0; i < 63; i++) writer.byte(0x2e);
  writer.literal(new Literal('x'));
  assert.equal(writer.view().toString(), `${'.'.repeat(63)}x`);
});
