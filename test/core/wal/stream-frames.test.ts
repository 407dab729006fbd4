import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { StreamFrames } from '../../../src/core/wal/stream-frames.ts';
import { runs } from '../../support/property-runs.ts';

interface Message {
  readonly code: string;
  readonly contents: Uint8Array;
}

function bytesOf({ code, contents }: Message): Buffer {
  const header = Buffer.alloc(5);
  header.write(code, 'latin1');
  header.writeUInt32BE(contents.length + 4, 1);
  return Buffer.concat([header, contents]);
}

/** What comes out of `pieces`, read only when all has arrived: nothing may be written over. */
function cut(pieces: readonly Buffer[]): { readonly seen: readonly string[]; readonly begun: string } {
  const parts: (readonly [string, Buffer])[] = [];
  const frames = new StreamFrames(
    (bytes, start, end) => parts.push(['data', bytes.subarray(start, end)]),
    (bytes, start, end) => parts.push(['other', bytes.subarray(start, end)]),
  );
  for (const piece of pieces) frames.push(Buffer.from(piece));
  return { seen: parts.map(([kind, bytes]) => `${kind} ${bytes.toString('hex')}`), begun: frames.begun.toString('hex') };
}

const message = fc.record({ code: fc.constantFrom('d', 'd', 'd', 'W', 'E', 'Z', 'c'), contents: fc.uint8Array({ maxLength: 40 }) });

test('messages come out whole and in order, wherever what arrives is cut, and the beginning of one more is kept', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 12 }), message, fc.array(fc.integer({ min: 0, max: 600 })), fc.nat(), (messages, next, cuts, rest) => {
      const begun = bytesOf(next);
      const tail = begun.subarray(0, rest % begun.length);
      const all = Buffer.concat([...messages.map(bytesOf), tail]);
      const at = [...new Set(cuts.map((cut) => cut % (all.length + 1)))].sort((a, b) => a - b);
      const pieces = [0, ...at].map((start, i) => all.subarray(start, at[i] ?? all.length));
      const wanted = messages.map((one) =>
        one.code === 'd' ? `data ${Buffer.from(one.contents).toString('hex')}` : `other ${bytesOf(one).toString('hex')}`,
      );
      assert.deepEqual(cut(pieces), { seen: wanted, begun: tail.toString('hex') });
    }),
    runs(500),
  );
});

test('byte by byte is the same', () => {
  const all = Buffer.concat([bytesOf({ code: 'd', contents: Buffer.from('abc') }), bytesOf({ code: 'Z', contents: Buffer.from('I') })]);
  assert.deepEqual(cut(Array.from(all, (byte) => Buffer.from([byte]))), cut([all]));
});

test('a length that no message can have is an error, not an endless loop', () => {
  assert.throws(() => cut([Buffer.from([0x64, 0, 0, 0, 3])]), /3 bytes long/);
});
