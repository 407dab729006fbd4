import type { ChangeStream, ChunkReader, Source } from '../../src/phases/ports.ts';

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

/** `act` is done once, when the first chunk has its snapshot: what it commits comes by the stream and not with that chunk. */
export function onFirstChunk(source: Source, act: () => Promise<unknown>): Source {
  let acted = false;
  return {
    ...source,
    openChunk: async (request) => {
      const reader = await source.openChunk(request);
      if (acted) return reader;
      acted = true;
      await act();
      return reader;
    },
  };
}
