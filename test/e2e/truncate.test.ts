import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Failure } from '../../src/core/failure.ts';
import type { Source } from '../../src/phases/ports.ts';
import type { Sink } from '../../src/phases/sink-ports.ts';
import { interceptBulks } from './bulk-inspection.ts';
import { type RuleWorld, ruleWorld } from './rule-world.ts';
import { wrapStream } from './wrapped.ts';

let world: RuleWorld;

before(async () => {
  world = await ruleWorld();
});

after(() => world.dispose());

const AGAIN = `begin; truncate t; insert into t select g::text, 'again' from generate_series(1, 10) g; commit`;

/** Writes the transaction when the load is done: its TRUNCATE waits for no reader then. */
function truncateAfterLoad(sink: Sink, onWritten: (id: string) => void): Sink {
  const intercepted = interceptBulks(sink, {
    after: async (operations) => {
      for (const { kind, id } of operations) if (kind === 'index' && written) onWritten(id);
    },
  });
  let written = false;
  return {
    ...intercepted,
    restoreSettings: async (...request) => {
      await world.database.client.query(AGAIN);
      written = true;
      await sink.restoreSettings(...request);
    },
  };
}

/** Confirms nothing, and breaks once `when` is true: then everything comes again. */
function breakOnce(source: Source, when: () => boolean): { readonly source: Source; readonly broken: () => boolean } {
  let broken = false;
  const openStream: Source['openStream'] = async (request) => {
    const stream = await source.openStream(request);
    return wrapStream(stream, {
      acknowledge: (lsn) => (broken ? stream.acknowledge(lsn) : undefined),
      read: async (timeoutMs) => {
        if (broken || !when()) return stream.read(timeoutMs);
        broken = true;
        throw new Failure('connection-lost', 'cut by the test');
      },
    });
  };
  return { source: { ...source, openStream }, broken: () => broken };
}

test('TRUNCATE and the same keys again in one transaction, delivered once and once more: the rows behind the TRUNCATE stay', async () => {
  const written = new Set<string>();
  let broken = (): boolean => false;
  const run = await world.build({
    wrapSource: (source) => {
      const breaking = breakOnce(source, () => written.size === 10);
      broken = breaking.broken;
      return breaking.source;
    },
    wrapSink: (sink) => truncateAfterLoad(sink, (id) => written.add(id)),
  });
  assert.equal(broken(), true, 'the stream was cut behind the transaction');
  assert.equal(run.result.verify?.documents, 10);
  await world.assertEqual(run.result.index);
});
