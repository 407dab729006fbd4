import assert from 'node:assert/strict';
import { connect as connectSocket, createServer, type Server, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { connect, destroySession, query } from '../../src/postgres/connect.ts';
import { checkPooler } from '../../src/postgres/preflight/server-checks.ts';
import { openSource } from '../../src/postgres/source.ts';
import { uniqueName } from '../support/servers.ts';
import { waitFor } from '../support/wait-for.ts';
import { configOf, createRole, describe, type Fixture, openFixture } from './fixture.ts';

let fixture: Fixture;
let role: Awaited<ReturnType<typeof createRole>>;
const never = new AbortController().signal;

before(async () => {
  fixture = await openFixture('create table t (id int primary key, v text)');
  await fixture.source.createPublication('realign_faults', await describe(fixture.source, 't'));
  role = await createRole(fixture.app, 'replication');
  await fixture.app.query(`alter role ${role.name} set wal_sender_timeout = '1500ms'`);
});

after(async () => {
  await fixture.source.dropPublication('realign_faults');
  await role.drop();
  await fixture.drop();
});

async function makeSlot(): Promise<{ readonly slot: string; readonly from: bigint }> {
  const slot = uniqueName('realign_faults');
  const made = await fixture.source.createSlot({ name: slot, temporary: false, timeoutMs: 60_000, signal: never });
  await made.release();
  return { slot, from: made.consistentPoint };
}

interface Proxy {
  readonly port: number;
  /** Stops passing what the server sends, as a network that swallows packets does. */
  swallow(): void;
  /** Sends these bytes to the client that came last, as if they were the server's. */
  inject(bytes: Buffer): void;
  close(): void;
}

async function openProxy(port: number): Promise<Proxy> {
  const sockets: Socket[] = [];
  const clients: Socket[] = [];
  let swallowing = false;
  const server: Server = createServer((client) => {
    const upstream = connectSocket(port, '127.0.0.1');
    sockets.push(client, upstream);
    clients.push(client);
    client
      .on('data', (bytes) => void upstream.write(bytes))
      .on('error', () => upstream.destroy())
      .on('close', () => upstream.destroy());
    upstream
      .on('data', (bytes) => void (swallowing || client.write(bytes)))
      .on('error', () => client.destroy())
      .on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  const swallow = (): void => {
    swallowing = true;
  };
  const inject = (bytes: Buffer): void => void clients.at(-1)?.write(bytes);
  return { port: address.port, swallow, inject, close };
}

test('a slot held by the walsender of a client that no longer answers is taken', async () => {
  const { slot, from } = await makeSlot();
  const config = configOf(fixture.database.url, { user: role.name, password: role.password });
  const dead = await connect(config, { replication: true });
  await query(dead, { doing: 'never timing out' }, 'set wal_sender_timeout = 0');
  dead.client.query(`START_REPLICATION SLOT "${slot}" LOGICAL 0/0 (proto_version '1', publication_names 'realign_faults')`).catch(() => undefined);
  await waitFor('the slot to be held', async () => (await fixture.source.readSlot(slot))?.activePid === dead.pid);
  const source = await openSource(config);
  const stream = await source.openStream({ slot, publication: 'realign_faults', from });
  assert.notEqual((await fixture.source.readSlot(slot))?.activePid, dead.pid);
  await stream.close();
  await source.close();
  destroySession(dead);
  await fixture.source.dropSlot(slot);
});

test('a reader that pauses longer than wal_sender_timeout keeps its connection, and nothing is confirmed', async () => {
  const { slot, from } = await makeSlot();
  const source = await openSource(configOf(fixture.database.url, { user: role.name, password: role.password }), { streamQueueBytes: 64 * 1024 });
  const stream = await source.openStream({ slot, publication: 'realign_faults', from });
  await fixture.app.query("insert into t select g, repeat('x', 1000) from generate_series(1, 20000) g");
  const { rows } = await fixture.app.query<{ until: string }>("select (clock_timestamp() + interval '4 s')::text as until");
  await waitFor('more than two timeouts', async () => {
    const answer = await fixture.app.query<{ over: boolean }>('select clock_timestamp() > $1::timestamptz as over', [rows[0]?.until]);
    return answer.rows[0]?.over;
  });
  assert.equal((await fixture.source.readSlot(slot))?.confirmedFlushLsn, from);
  let inserts = 0;
  while (inserts < 20000)
    for (const message of await stream.read(1000)) if (message.kind === 'data' && message.piece[message.start] === 0x49) inserts++;
  await stream.close();
  await source.close();
  await fixture.source.dropSlot(slot);
});

test('a silent connection is a lost one', async () => {
  const { slot, from } = await makeSlot();
  const proxy = await openProxy(fixture.config.port);
  const source = await openSource({ ...fixture.config, host: '127.0.0.1', port: proxy.port }, { streamSilenceMs: 800 });
  const stream = await source.openStream({ slot, publication: 'realign_faults', from });
  proxy.swallow();
  await assert.rejects(
    waitFor('the failure', async () => {
      await stream.read(100);
      return false;
    }),
    { kind: 'connection-lost', message: /silent/ },
  );
  proxy.close();
  await stream.close();
  await source.close();
  await fixture.source.dropSlot(slot);
});

test('what is no message of the protocol ends the stream, and its connection with it', async () => {
  const { slot, from } = await makeSlot();
  const proxy = await openProxy(fixture.config.port);
  const source = await openSource({ ...fixture.config, host: '127.0.0.1', port: proxy.port });
  const stream = await source.openStream({ slot, publication: 'realign_faults', from });
  // A CopyData of an unknown kind, then what a reader that has lost its place would take for messages.
  proxy.inject(Buffer.concat([Buffer.from([0x64, 0, 0, 0, 5, 0x3f]), Buffer.alloc(300, 'R')]));
  await assert.rejects(
    waitFor('the failure', async () => {
      await stream.read(100);
      return false;
    }),
    { name: 'RangeError', message: /unknown replication message 0x3f/ },
  );
  await waitFor('the slot to be free', async () => (await fixture.source.readSlot(slot))?.activePid === null);
  await stream.close();
  await source.close();
  proxy.close();
  await fixture.source.dropSlot(slot);
});

test('another backend than the one announced is a pooler', async () => {
  const session = await connect(fixture.config, { replication: false });
  const context = {
    session,
    config: fixture.config,
    tableText: 't',
    relation: null,
    excludedColumns: [],
    expressions: { where: null, computed: {} },
    id: null,
    throttleQuery: null,
  };
  assert.deepEqual(
    (await checkPooler(context)).map((finding) => finding.level),
    ['ok'],
  );
  assert.deepEqual(
    (await checkPooler({ ...context, session: { ...session, announcedPid: 1 } })).map((finding) => finding.level),
    ['fail'],
  );
  destroySession(session);
});
