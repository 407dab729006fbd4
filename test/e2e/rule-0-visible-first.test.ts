import { after, before, test } from 'node:test';
import type { CreatedSlot, Source } from '../../src/phases/ports.ts';
import { connect } from '../support/servers.ts';
import { waitFor } from '../support/wait-for.ts';
import { assertNotVerified, type RuleWorld, ruleWorld } from './rule-world.ts';
import { wrapChunk } from './wrapped.ts';

let world: RuleWorld;

/** Everybody else's commits must not wait for a standby that does not exist: the default is `local` while this file runs, only one session here says `on`. */
before(async () => {
  world = await ruleWorld();
  await world.database.client.query('create table other (id int)');
  await world.database.client.query(`alter system set synchronous_commit = local`);
  await reload();
});

after(async () => {
  await world.database.client.query('alter system reset synchronous_standby_names');
  await world.database.client.query('alter system reset synchronous_commit');
  await reload();
  await world.dispose();
});

async function reload(): Promise<void> {
  await world.database.client.query('select pg_reload_conf()');
}

async function expectStandby(name: string): Promise<void> {
  const { client } = world.database;
  await client.query(name === '' ? 'alter system reset synchronous_standby_names' : `alter system set synchronous_standby_names = '${name}'`);
  await reload();
  await waitFor(
    'the setting to be known',
    async () => (await client.query('show synchronous_standby_names')).rows[0].synchronous_standby_names === name,
  );
}

/**
 * An update of row 1 whose commit is in the WAL before the slot's consistent point, but waits for a synchronous standby and so is not visible (the course of
 * docs/servers.md P35: the slot is made in three steps, and it commits in the middle one).
 */
async function createSlotAround(source: Source, request: Parameters<Source['createSlot']>[0], value: string): Promise<CreatedSlot> {
  const { url } = world.database;
  const [first, second, third] = [await connect(url), await connect(url), await connect(url)];
  const xidOf = async (client: typeof first): Promise<string> => (await client.query('select pg_current_xact_id()::text as xid')).rows[0].xid;
  await expectStandby('nobody');
  await third.query('set synchronous_commit = on');
  const pid: number = (await third.query('select pg_backend_pid() as pid')).rows[0].pid;
  await first.query('begin; insert into other values (1)');
  const firstXid = await xidOf(first);
  const making = source.createSlot(request);
  await waitForLock(firstXid);
  await second.query('begin; insert into other values (2)');
  const secondXid = await xidOf(second);
  await first.query('commit');
  await waitForLock(secondXid);
  const committing = third.query('update t set v = $1 where id = $2', [value, '1']).finally(() => third.end());
  committing.catch(() => {});
  await waitFor('its commit to wait for the standby', async () => {
    const { rows } = await world.database.client.query('select wait_event from pg_stat_activity where pid = $1', [pid]);
    return rows[0]?.wait_event === 'SyncRep';
  });
  await second.query('commit');
  const slot = await making;
  await Promise.all([first.end(), second.end()]);
  return slot;
}

async function waitForLock(xid: string): Promise<void> {
  await waitFor(`somebody to wait for xid ${xid}`, async () => {
    const { rowCount } = await world.database.client.query(
      `select 1 from pg_locks where locktype = 'transactionid' and transactionid = $1::xid and not granted`,
      [xid],
    );
    return (rowCount ?? 0) > 0;
  });
}

test('R0: the load waits for a commit that is in the WAL and not visible yet', async () => {
  let waited = 0;
  const run = await world.build({
    wrapSource: (source) => ({
      ...source,
      createSlot: (request) => (request.temporary ? source.createSlot(request) : createSlotAround(source, request, 'new')),
      notYetVisible: async (name) => {
        const missing = await source.notYetVisible(name);
        if (missing.length > 0) waited++;
        if (waited === 3) await expectStandby('');
        return missing;
      },
    }),
  });
  await world.assertEqual(run.result.index);
  if (waited < 3) throw new Error('nothing had to be waited for: the test did not reach its course');
});

test('without R0 it is in neither a chunk nor the stream, and the verifier stops the build', async () => {
  let opened = false;
  await assertNotVerified(
    world.build({
      wrapSource: (source) => ({
        ...source,
        createSlot: (request) => (request.temporary ? source.createSlot(request) : createSlotAround(source, request, 'newer')),
        notYetVisible: async () => [],
        openChunk: async (request) => {
          const reader = await source.openChunk(request);
          if (!opened) await expectStandby('');
          opened = true;
          return wrapChunk(reader, {});
        },
      }),
    }),
  );
});
