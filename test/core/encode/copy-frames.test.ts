import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CopyFrames } from '../../../src/core/encode/copy-frames.ts';

function message(code: string, content: Uint8Array): Buffer {
  const header = Buffer.alloc(5);
  header.write(code, 'latin1');
  header.writeUInt32BE(content.length + 4, 1);
  return Buffer.concat([header, content]);
}

const row = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from([...bytes.map((byte) => (byte === 0x0a ? 0x20 : byte)), 0x0a]));
const between = fc.constantFrom('N', 'S', 'A').map((code) => message(code, Buffer.from('something\0')));

/** Pushes the stream in pieces of the lengths given (the last one has the rest); copies of the texts, because they are views. */
function pushAll(stream: Buffer, cuts: readonly number[]): { readonly frames: CopyFrames; readonly text: Buffer; readonly behind: Buffer } {
  const frames = new CopyFrames();
  const texts: Buffer[] = [];
  let at = 0;
  for (const cut of [...cuts, stream.length]) {
    const piece = Buffer.from(stream.subarray(at, at + cut));
    at += piece.length;
    texts.push(Buffer.from(frames.push(piece)));
    if (frames.rest !== null) break;
  }
  return { frames, text: Buffer.concat(texts), behind: Buffer.concat([frames.rest ?? Buffer.alloc(0), stream.subarray(at)]) };
}

test('the rows come out whole wherever the stream is cut, and what is behind them is left for the protocol', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          { weight: 4, arbitrary: row.map((bytes) => ({ bytes, isRow: true })) },
          between.map((bytes) => ({ bytes, isRow: false })),
        ),
      ),
      fc.array(fc.integer({ min: 1, max: 30 })),
      fc.constantFrom('c', 'E'),
      (parts, cuts, ending) => {
        const rows = parts.filter(({ isRow }) => isRow).map(({ bytes }) => bytes);
        const tag = message('C', Buffer.from(`COPY ${rows.length}\0`));
        const last = ending === 'c' ? message('c', Buffer.alloc(0)) : message('E', Buffer.from('SERROR\0\0'));
        const stream = [message('H', Buffer.alloc(3)), ...parts.map(({ bytes, isRow }) => (isRow ? message('d', bytes) : bytes)), last, tag];
        const { frames, text, behind } = pushAll(Buffer.concat(stream), cuts);
        assert.deepEqual(text, Buffer.concat(rows));
        assert.equal(frames.rows, rows.length);
        assert.equal(frames.damaged, false);
        assert.deepEqual(behind, ending === 'c' ? tag : Buffer.concat([last, tag]));
      },
    ),
  );
});

test('a message that does not end where a row does is no row of this stream', () => {
  const frames = new CopyFrames();
  frames.push(Buffer.concat([message('d', Buffer.from('a\tb\n')), message('d', Buffer.from('c\td'))]));
  assert.equal(frames.damaged, true);
});
