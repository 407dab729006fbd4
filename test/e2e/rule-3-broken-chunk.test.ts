import { after, before, test } from 'node:test';
import { Failure } from '../../src/core/failure.ts';
import type { ChunkReader, Source } from '../../src/phases/ports.ts';
import type { Sink } from '../../src/phases/sink-ports.ts';
import { waitFor } from '../support/wait-for.ts';
import { expireTombstones, interceptBulks } from './bulk-inspection.ts';
import { type RuleWorld, ruleWorld } from './rule-world.ts';
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

/** Holds the bulk with the row until the row is deleted, the delete applied and forgotten by Elasticsearch. */
function deleteBehindTheBulk(sink: Sink, id: string): Sink {
  let index = '';
  let deleted = false;
  let held = false;
  const intercepted = interceptBulks(sink, {
    before: async (operations) => {
      if (held || !operations.some((operation) => operation.kind === 'index' && operation.id === id)) return;
      held = true;
      await world.database.client.query('delete from t where id = $1', [id]);
      await waitFor('the delete to be applied', () => deleted);
      await expireTombstones(index);
    },
    after: async (operations) => {
      if (operations.some((operation) => operation.kind === 'delete' && operation.id === id)) deleted = true;
    },
  });
  return {
    ...intercepted,
    createIndex: (request) => {
      index = request.index;
      return sink.createIndex(request);
    },
  };
}

test('R3: a chunk that broke off and was read again sends the deletes again that its first reading did not see', async () => {
  const run = await world.build({
    wrapSource: breaksOnce,
    wrapSink: (sink) => deleteBehindTheBulk(sink, '7'),
    options: { bulkBytes: 1, copyJobs: 1 },
  });
  await world.assertEqual(run.result.index);
});
