import { after, before, test } from 'node:test';
import type { Source } from '../../src/phases/ports.ts';
import type { Sink } from '../../src/phases/sink-ports.ts';
import { waitFor } from '../support/wait-for.ts';
import { expireTombstones, interceptBulks } from './bulk-inspection.ts';
import { assertNotVerified, type RuleWorld, ruleWorld } from './rule-world.ts';

let world: RuleWorld;

before(async () => {
  world = await ruleWorld();
});

after(() => world.dispose());

/** `insert` commits while the first chunk is read. */
function insertDuringLoad(source: Source, id: string): Source {
  let inserted = false;
  return {
    ...source,
    openChunk: async (request) => {
      const reader = await source.openChunk(request);
      if (!inserted) {
        inserted = true;
        await world.database.client.query(`insert into t values ($1, 'x')`, [id]);
      }
      return reader;
    },
  };
}

/**
 * The bulk with the insert is held back: the row is deleted meanwhile, and the bulk goes on only when the delete has been applied and forgotten, or, if the delete
 * does not come before it, after a deadline.
 */
function holdInsert(sink: Sink, id: string): Sink {
  let index = '';
  let held = false;
  let deleted = false;
  const intercepted = interceptBulks(sink, {
    before: async (operations) => {
      if (held || !operations.some((operation) => operation.kind === 'index' && operation.id === id)) return;
      held = true;
      await world.database.client.query('delete from t where id = $1', [id]);
      const overtaken = await waitFor('a delete that overtakes its insert', () => deleted, 1500).catch(() => false);
      if (overtaken) await expireTombstones(index);
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

test('R5: the operations of one key reach Elasticsearch in commit order, whatever takes how long', async () => {
  const run = await world.build({ wrapSource: (source) => insertDuringLoad(source, 'a'), wrapSink: (sink) => holdInsert(sink, 'a') });
  await world.assertEqual(run.result.index);
});

test('without R5 (any lane takes any key) a delete overtakes its insert, and the verifier stops the build', async () => {
  let turn = 0;
  await assertNotVerified(
    world.build({
      wrapSource: (source) => insertDuringLoad(source, 'b'),
      wrapSink: (sink) => holdInsert(sink, 'b'),
      laneOf: (_id, count) => turn++ % count,
    }),
  );
});
