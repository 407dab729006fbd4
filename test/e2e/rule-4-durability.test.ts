import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Failure } from '../../src/core/failure.ts';
import type { ChangeStream } from '../../src/phases/ports.ts';
import { waitFor } from '../support/wait-for.ts';
import { interceptBulks } from './bulk-inspection.ts';
import { assertNotVerified, deleteBehindTheBulk, insertDuringLoad, type RuleWorld, ruleWorld } from './rule-world.ts';
import { wrapStream } from './wrapped.ts';

let world: RuleWorld;

before(async () => {
  world = await ruleWorld();
});

after(() => world.dispose());

interface Crash {
  readonly acknowledge?: (stream: ChangeStream) => ChangeStream;
  readonly id: string;
}

/**
 * A run that dies when a change was received but is not applied: the bulk with it hangs. Before it dies, the stream has gone on to acknowledge whatever it acknowledges.
 */
async function crashBeforeEffect({ acknowledge, id }: Crash): Promise<void> {
  const dying = new AbortController();
  let acknowledgements = 0;
  let hanging = false;
  let catchingUp = false;
  let loaded = false;
  const died = world.build({
    signal: dying.signal,
    onEvent: (event) => {
      if (event.type === 'phase.started' && event.phase === 'catchup') catchingUp = true;
    },
    failpoint: async (name) => {
      if (name === 'checkpoint.written' && catchingUp) loaded = true;
    },
    wrapSource: (source) => ({
      ...insertDuringLoad(world, source, id),
      openStream: async (request) => {
        const stream = await source.openStream(request);
        const counted = wrapStream(stream, {
          acknowledge: (lsn) => {
            acknowledgements++;
            stream.acknowledge(lsn);
          },
        });
        return acknowledge?.(counted) ?? counted;
      },
    }),
    wrapSink: (sink) =>
      interceptBulks(sink, {
        before: (operations) => {
          if (!operations.some((operation) => operation.id === id)) return Promise.resolve();
          hanging = true;
          return new Promise((_, reject) => dying.signal.addEventListener('abort', () => reject(dying.signal.reason)));
        },
      }),
  });
  died.catch(() => {});
  await waitFor('the change to reach the sink', () => hanging);
  // Else the next run would read the chunk again, and with it the row.
  await waitFor('the load to be written down', () => loaded);
  const seen = acknowledgements;
  await waitFor('more acknowledgements', () => acknowledgements > seen + 1);
  dying.abort(new Failure('interrupted', 'killed by the test'));
  await assert.rejects(died, (error) => error instanceof Failure && error.kind === 'interrupted');
}

/** Acknowledges what was received, as pg-logical-replication's timer does (docs/servers.md C1). */
function acknowledgeOnReceipt(stream: ChangeStream): ChangeStream {
  let received = 0n;
  return wrapStream(stream, {
    read: async (timeoutMs) => {
      const messages = await stream.read(timeoutMs);
      for (const message of messages) {
        if (message.kind === 'data' && message.piece[message.start] === 0x43) received = message.piece.readBigUInt64BE(message.start + 10);
      }
      if (received > 0n) stream.acknowledge(received);
      return messages;
    },
  });
}

test('R4: a change that was received but not applied comes again after a crash', async () => {
  await crashBeforeEffect({ id: 'a' });
  const run = await world.build();
  await world.assertEqual(run.result.index);
});

test('without R4 (acknowledged on receipt) it is lost, and the verifier stops the build', async () => {
  await crashBeforeEffect({ id: 'b', acknowledge: acknowledgeOnReceipt });
  await assertNotVerified(world.build());
});

/**
 * An orderly stop between the write of a chunk's rows and the repetition of its deletes: one of its rows was deleted and forgotten by Elasticsearch meanwhile. The replay is
 * just then about to acknowledge.
 */
test('R4: a chunk that is stopped before its deletes were sent again still holds the acknowledgement back', async () => {
  let written = false;
  let acknowledging = false;
  let stopped = false;
  const died = world.build({
    wrapSink: (sink) => deleteBehindTheBulk(world, sink, { id: '9' }),
    failpoint: async (name) => {
      if (name === 'chunk.written' && !stopped) {
        written = true;
        await waitFor('the replay to acknowledge', () => acknowledging);
        stopped = true;
        throw new Failure('interrupted', 'stopped by the test');
      }
      if (name === 'replay.durable' && written) {
        acknowledging = true;
        await waitFor('the stop', () => stopped);
        // The chunk has been given up by then.
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  });
  await assert.rejects(died, (error) => error instanceof Failure && error.kind === 'interrupted');
  const run = await world.build();
  assert.ok(run.events.some((event) => event.type === 'build.started' && event.resumed));
  await world.assertEqual(run.result.index);
});
