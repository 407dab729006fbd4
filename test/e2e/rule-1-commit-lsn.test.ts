import { after, before, test } from 'node:test';
import type { ChangeStream, CreatedSlot, Source } from '../../src/phases/ports.ts';
import { connect } from '../support/servers.ts';
import { waitFor } from '../support/wait-for.ts';
import { assertNotVerified, type RuleWorld, ruleWorld } from './rule-world.ts';
import { wrapChunk, wrapStream } from './wrapped.ts';

let world: RuleWorld;

before(async () => {
  world = await ruleWorld();
  await world.database.client.query('create table other (id int)');
});

after(() => world.dispose());

/**
 * The transaction in flight at slot creation (docs/faults.md F1, docs/servers.md P6, P7): it writes before and commits after the consistent point, so its change LSN lies below it. It commits when the
 * first chunk has been read.
 */
function withTransactionInFlight(source: Source): { readonly source: Source; readonly done: Promise<void> } {
  let commit = async (): Promise<void> => {};
  let committed = (): void => {};
  const done = new Promise<void>((resolve) => {
    committed = resolve;
  });
  return {
    done,
    source: {
      ...source,
      createSlot: async (request) => {
        if (request.temporary) return source.createSlot(request);
        const { slot, third } = await createSlotUnder(source, request);
        commit = async () => {
          await third.query('commit');
          await third.end();
          committed();
        };
        return slot;
      },
      openChunk: async (request) => {
        const reader = await source.openChunk(request);
        const close = async (): Promise<void> => {
          await reader.close();
          await commit();
          commit = async () => {};
        };
        return wrapChunk(reader, { close });
      },
    },
  };
}

async function createSlotUnder(
  source: Source,
  request: Parameters<Source['createSlot']>[0],
): Promise<{ slot: CreatedSlot; third: Awaited<ReturnType<typeof connect>> }> {
  const { url } = world.database;
  const [first, second, third] = [await connect(url), await connect(url), await connect(url)];
  const xid = async (client: typeof first): Promise<string> => (await client.query('select pg_current_xact_id()::text as xid')).rows[0].xid;
  await first.query('begin; insert into other values (1)');
  const firstXid = await xid(first);
  const making = source.createSlot(request);
  await waitForXid(firstXid);
  await second.query('begin; insert into other values (2)');
  const secondXid = await xid(second);
  await first.query('commit');
  await waitForXid(secondXid);
  await third.query(`begin; update t set v = 'new' where id = '1'`);
  await second.query('commit');
  const slot = await making;
  await Promise.all([first.end(), second.end()]);
  return { slot, third };
}

/** Slot creation waits for the end of a transaction by asking for a lock on its xid. */
async function waitForXid(xid: string): Promise<void> {
  await waitFor(`somebody to wait for xid ${xid}`, async () => {
    const { rowCount } = await world.database.client.query(
      `select 1 from pg_locks where locktype = 'transactionid' and transactionid = $1::xid and not granted`,
      [xid],
    );
    return (rowCount ?? 0) > 0;
  });
}

/** What a tool that versions by change LSN would see: a version below the consistent point. */
function withChangeLsn(stream: ChangeStream, consistentPoint: bigint): ChangeStream {
  return wrapStream(stream, {
    read: async (timeoutMs) => {
      const messages = await stream.read(timeoutMs);
      for (const message of messages) {
        if (message.kind === 'data' && message.piece[message.start] === 0x42) message.piece.writeBigUInt64BE(consistentPoint - 8n, message.start + 1);
      }
      return messages;
    },
  });
}

test('R1: a transaction in flight at slot creation wins over the row loaded', async () => {
  const run = await world.build({ wrapSource: (source) => withTransactionInFlight(source).source });
  await world.assertEqual(run.result.index);
});

test('without R1 (version by change LSN) its update is lost, and the verifier stops the build', async () => {
  await world.database.client.query(`update t set v = 'old'`);
  await assertNotVerified(
    world.build({
      wrapSource: (real) => {
        const { source } = withTransactionInFlight(real);
        let consistentPoint = 0n;
        return {
          ...source,
          createSlot: async (request) => {
            const slot = await source.createSlot(request);
            if (!request.temporary) consistentPoint = slot.consistentPoint;
            return slot;
          },
          openStream: async (request) => withChangeLsn(await source.openStream(request), consistentPoint),
        };
      },
    }),
  );
});
