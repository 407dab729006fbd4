import { after, before, test } from 'node:test';
import type { Source } from '../../src/phases/ports.ts';
import { assertNotVerified, deleteBehindTheBulk, type RuleWorld, ruleWorld } from './rule-world.ts';
import { wrapChunk } from './wrapped.ts';

let world: RuleWorld;

before(async () => {
  world = await ruleWorld();
});

after(() => world.dispose());

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
  const run = await world.build({ wrapSink: (sink) => deleteBehindTheBulk(world, sink, { id: '5' }) });
  await world.assertEqual(run.result.index);
});

test('without R3 (deletes are not sent again) it comes back, and the verifier stops the build', async () => {
  await assertNotVerified(world.build({ wrapSink: (sink) => deleteBehindTheBulk(world, sink, { id: '6' }), wrapSource: everythingVisible }));
});
