import { after, before, test } from 'node:test';
import type { ChangeStream, Source, StreamMessage } from '../../src/phases/ports.ts';
import type { Sink } from '../../src/phases/sink-ports.ts';
import { waitFor } from '../support/wait-for.ts';
import { interceptBulks, type SentOperation } from './bulk-inspection.ts';
import { assertNotVerified, type RuleWorld, ruleWorld } from './rule-world.ts';
import { onFirstChunk, wrapStream } from './wrapped.ts';

let world: RuleWorld;

before(async () => {
  world = await ruleWorld();
});

after(() => world.dispose());

const CHANGES = `begin; insert into t values ('k', 'first'); delete from t where id = 'k'; insert into t values ('k', 'last'); commit`;

/** Writes the transaction when the first chunk was read, so that it comes by the stream. */
function writeDuringLoad(source: Source): Source {
  return onFirstChunk(source, () => world.database.client.query(CHANGES));
}

/** Hands out each change of a transaction as a transaction of its own with the same version: what a tool without collapsing would apply. */
function splitTransactions(stream: ChangeStream, applied: () => number): ChangeStream {
  const queue: StreamMessage[][] = [];
  let begin: StreamMessage | null = null;
  let changes: StreamMessage[] = [];
  let handedOut = 0;
  const take = (message: StreamMessage): void => {
    const kind = message.kind === 'data' ? message.piece[message.start] : 0;
    if (kind === 0x42) begin = message;
    else if (kind === 0x43) {
      for (const change of changes) queue.push([begin as StreamMessage, change, message]);
      if (changes.length === 0) queue.push([begin as StreamMessage, message]);
      changes = [];
      begin = null;
    } else if (begin !== null && message.kind === 'data' && kind !== 0x52) changes.push(message);
    else queue.push([message]);
  };
  return wrapStream(stream, {
    read: async (timeoutMs) => {
      // The one before must have reached the sink, or the lanes would collapse the two.
      if (handedOut > 0) await waitFor('the change before to be applied', () => applied() >= handedOut, 5000).catch(() => undefined);
      if (queue.length === 0) for (const message of await stream.read(timeoutMs)) take(message);
      const next = queue.shift() ?? [];
      if (next.some((message) => message.kind === 'data' && (message.piece[message.start] === 0x49 || message.piece[message.start] === 0x44)))
        handedOut++;
      return next;
    },
  });
}

test('R2: insert, delete and insert of one key in one transaction leave the last state', async () => {
  const run = await world.build({ wrapSource: writeDuringLoad });
  await world.assertEqual(run.result.index);
});

test('without R2 (one operation for each change) the second one is taken for a repetition, and the verifier stops the build', async () => {
  await world.database.client.query(`delete from t where id = 'k'`);
  let applied = 0;
  const count = async (operations: readonly SentOperation[]): Promise<void> => {
    applied += operations.filter(({ id }) => id === 'k').length;
  };
  await assertNotVerified(
    world.build({
      wrapSource: (real) => {
        const source = writeDuringLoad(real);
        return { ...source, openStream: async (request) => splitTransactions(await source.openStream(request), () => applied) };
      },
      wrapSink: (sink: Sink) => interceptBulks(sink, { after: count }),
    }),
  );
});
