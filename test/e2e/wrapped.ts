import type { ChangeStream, ChunkReader } from '../../src/phases/ports.ts';

/** The stream with some methods replaced; an adapter's object may be a class, whose methods a spread would lose. */
export function wrapStream(stream: ChangeStream, changed: Partial<ChangeStream>): ChangeStream {
  return {
    read: (timeoutMs) => stream.read(timeoutMs),
    acknowledge: (lsn) => stream.acknowledge(lsn),
    ping: () => stream.ping(),
    close: () => stream.close(),
    ...changed,
  };
}

/** Likewise a chunk reader. */
export function wrapChunk(reader: ChunkReader, changed: Partial<ChunkReader>): ChunkReader {
  return { snapshot: reader.snapshot, relfilenode: reader.relfilenode, chunks: () => reader.chunks(), close: () => reader.close(), ...changed };
}
