import { after, before, test } from 'node:test';
import type { Sink } from '../../src/phases/sink-ports.ts';
import { assertNotVerified, deleteBehindTheBulk, insertDuringLoad, type RuleWorld, ruleWorld } from './rule-world.ts';

let world: RuleWorld;

before(async () => {
  world = await ruleWorld();
});

after(() => world.dispose());

/** If the lanes keep the order the delete cannot come before its insert: then the bulk is not held for ever. */
function holdInsert(sink: Sink, id: string): Sink {
  return deleteBehindTheBulk(world, sink, { id, orAfterMs: 1500 });
}

test('R5: the operations of one key reach Elasticsearch in commit order, whatever takes how long', async () => {
  const run = await world.build({ wrapSource: (source) => insertDuringLoad(world, source, 'a'), wrapSink: (sink) => holdInsert(sink, 'a') });
  await world.assertEqual(run.result.index);
});

test('without R5 (any lane takes any key) a delete overtakes its insert, and the verifier stops the build', async () => {
  let turn = 0;
  await assertNotVerified(
    world.build({
      wrapSource: (source) => insertDuringLoad(world, source, 'b'),
      wrapSink: (sink) => holdInsert(sink, 'b'),
      laneOf: (_id, count) => turn++ % count,
    }),
  );
});
