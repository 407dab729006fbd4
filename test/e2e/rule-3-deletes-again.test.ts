import { after, before, test } from 'node:test';
import type { Source } from '../../src/phases/ports.ts';
import type { Sink } from '../../src/phases/sink-ports.ts';
import { waitFor } from '../support/wait-for.ts';
import { expireTombstones, interceptBulks, type SentOperation } from './bulk-inspection.ts';
import { assertNotVerified, type RuleWorld, ruleWorld } from './rule-world.ts';
import { wrapChunk } from './wrapped.ts';

let world: RuleWorld;

before(async () => {
  world = await ruleWorld();
});

after(() => world.dispose());

/**
 * A row is deleted between its chunk's read and its chunk's write, the delete is applied, Elasticsearch forgets it, and only then the chunk is written.
 */
function deleteBetweenReadAndWrite(sink: Sink, id: string): Sink {
  let index = '';
  let deleted = false;
  let held = false;
  const isLoadOf = ({ kind, id: sent }: SentOperation): boolean => kind === 'index' && sent === id;
  const intercepted = interceptBulks(sink, {
    before: async (operations) => {
      if (held || !operations.some(isLoadOf)) return;
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

/** Chunks that claim to have seen every transaction: then no delete is sent again. */
function everythingVisible(source: Source): Source {
  return {
    ...source,
    openChunk: async (request) => {
      const reader = await source.openChunk(request);
      return wrapChunk(reader, { snapshot: { ...reader.snapshot, xmax: reader.snapshot.xmax + 1_000_000n, inProgress: new Set() } });
    },
  };
}

test('R3: a row deleted between read and write stays away, though Elasticsearch forgot the delete', async () => {
  const run = await world.build({ wrapSink: (sink) => deleteBetweenReadAndWrite(sink, '5') });
  await world.assertEqual(run.result.index);
});

test('without R3 (deletes are not sent again) it comes back, and the verifier stops the build', async () => {
  await assertNotVerified(world.build({ wrapSink: (sink) => deleteBetweenReadAndWrite(sink, '6'), wrapSource: everythingVisible }));
});
