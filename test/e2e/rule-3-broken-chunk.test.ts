import { after, before, test } from 'node:test';
import { Failure } from '../../src/core/failure.ts';
import type { ChunkReader, Source } from '../../src/phases/ports.ts';
import { deleteBehindTheBulk, type RuleWorld, ruleWorld } from './rule-world.ts';
import { wrapChunk } from './wrapped.ts';

let world: RuleWorld;

before(async () => {
  world = await ruleWorld();
});

after(() => world.dispose());

/** The first reader of a chunk breaks when it has given out all rows but not its end. */
function breaksOnce(source: Source): Source {
  let broken = false;
  const cut = async function* (reader: ChunkReader): AsyncGenerator<Buffer> {
    yield* reader.chunks();
    broken = true;
    throw new Failure('connection-lost', 'cut by the test');
  };
  return {
    ...source,
    openChunk: async (request) => {
      const reader = await source.openChunk(request);
      return broken ? reader : wrapChunk(reader, { chunks: () => cut(reader) });
    },
  };
}

test('R3: a chunk that broke off and was read again sends the deletes again that its first reading did not see', async () => {
  const run = await world.build({
    wrapSource: breaksOnce,
    wrapSink: (sink) => deleteBehindTheBulk(world, sink, { id: '7' }),
    options: { bulkBytes: 1, copyJobs: 1 },
  });
  await world.assertEqual(run.result.index);
});
