import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, test } from 'node:test';
import { Failure } from '../../src/core/failure.ts';
import { connect, endSession, query } from '../../src/postgres/connect.ts';
import { openSource } from '../../src/postgres/source.ts';
import { elasticsearchUrl } from '../support/servers.ts';
import { waitFor } from '../support/wait-for.ts';
import { configOf, createRole, type Fixture, openFixture } from './fixture.ts';

let fixture: Fixture;

before(async () => {
  fixture = await openFixture('select 1');
});

after(() => fixture.drop());

test('refused, denied and unknown databases are told apart', async () => {
  const free = await new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 1));
    });
  });
  await assert.rejects(openSource({ ...fixture.config, port: free }), { kind: 'unreachable' });
  await assert.rejects(openSource({ ...fixture.config, host: 'no-such-host.invalid' }), { kind: 'unreachable' });
  await assert.rejects(openSource({ ...fixture.config, password: 'wrong' }), { kind: 'denied' });
  await assert.rejects(openSource({ ...fixture.config, password: '' }), { kind: 'denied' });
  await assert.rejects(openSource({ ...fixture.config, database: 'no_such_database' }), { kind: 'config' });
});

test('the reason of the server is told', async () => {
  const { config } = fixture;
  await assert.rejects(openSource({ ...config, password: 'wrong' }), {
    message: /: password authentication failed for user "[^"]+" \(SQLSTATE 28P01\)$/,
  });
  await assert.rejects(openSource({ ...config, database: 'no_such_database' }), {
    message: /: database "no_such_database" does not exist \(SQLSTATE 3D000\)$/,
  });
  await assert.rejects(openSource({ ...config, ssl: { rejectUnauthorized: false } }), {
    message: /: The server does not support SSL connections$/,
    hint: /sslmode: disable/,
  });
});

test('the port of Elasticsearch is told to answer HTTP', async () => {
  const { hostname, port } = new URL(elasticsearchUrl());
  for (const ssl of [false, { rejectUnauthorized: false }] as const) {
    await assert.rejects(openSource({ ...fixture.config, host: hostname, port: Number(port), ssl }), {
      kind: 'unreachable',
      message: new RegExp(`^the port ${hostname}:${port} answers HTTP/1\\.\\d: it is not one of PostgreSQL$`),
    });
  }
});

test('the limit of connections is told in the words of the server', async () => {
  const role = await createRole(fixture.app, 'connection limit 0');
  await assert.rejects(openSource(configOf(fixture.database.url, { user: role.name, password: role.password })), {
    kind: 'unreachable',
    message: /: too many connections for role "[^"]+" \(SQLSTATE 53300\)$/,
  });
  await role.drop();
});

test('no secret in a connection failure', async () => {
  const error = await openSource({ ...fixture.config, password: 'hunter2secret' }).catch((caught: unknown) => caught);
  assert.ok(error instanceof Failure);
  assert.ok(!`${error.message} ${error.hint} ${error.stack} ${String(error.cause)}`.includes('hunter2secret'));
});

for (const replication of [false, true]) {
  test(`role settings do not reach ${replication ? 'the walsender' : 'a session'}`, async () => {
    const role = await createRole(fixture.app, 'replication');
    const settings = [
      "datestyle = 'SQL, DMY'",
      "timezone = 'America/New_York'",
      "statement_timeout = '1s'",
      "idle_session_timeout = '1s'",
      'bytea_output = escape',
    ];
    for (const setting of settings) await fixture.app.query(`alter role ${role.name} set ${setting}`);
    const session = await connect(configOf(fixture.database.url, { user: role.name, password: role.password }), { replication });
    const rows = await query(
      session,
      { doing: 'reading settings' },
      `select timestamptz '2024-02-29 13:14:15+00' as at, '\\x01'::bytea as bytes, true as yes, current_setting('statement_timeout') as a,
         current_setting('idle_session_timeout') as b, current_setting('search_path') as c, current_setting('row_security') as d, 12345678901234567890::numeric as n`,
    );
    assert.deepEqual(
      { ...rows[0] },
      { at: '2024-02-29 13:14:15+00', bytes: '\\x01', yes: 't', a: '0', b: '0', c: 'pg_catalog', d: 'off', n: '12345678901234567890' },
    );
    await endSession(session);
    await role.drop();
  });
}

test('a backend that dies while idle ends neither the program nor the source', async () => {
  const victim = await connect(fixture.config, { replication: false });
  await fixture.app.query('select pg_terminate_backend($1)', [victim.pid]);
  await waitFor('the session to be known as lost', () => victim.lost);
  await assert.rejects(query(victim, { doing: 'asking' }, 'select 1'), { kind: 'connection-lost' });
  await endSession(victim);
  await fixture.source.currentSnapshot();
  await fixture.app.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'realign/test' and datname = current_database()`,
  );
  await fixture.source.currentSnapshot().catch((error: unknown) => assert.equal((error as Failure).kind, 'connection-lost'));
  await fixture.source.currentSnapshot();
});

test('no statement of ours is compiled first: to the planner the reference of an array is worth it each time', async () => {
  const session = await connect(fixture.config, { replication: false });
  try {
    assert.deepEqual(await query(session, { doing: 'reading a setting' }, "select current_setting('jit') as jit"), [{ jit: 'off' }]);
  } finally {
    await endSession(session);
  }
});

test('giving up is for connecting: a session that is open is not cut by it', async () => {
  const stop = new AbortController();
  const session = await connect(fixture.config, { replication: false, signal: stop.signal });
  try {
    stop.abort();
    assert.deepEqual(await query(session, { doing: 'asking' }, 'select 1 as one'), [{ one: '1' }]);
  } finally {
    await endSession(session);
  }
});
