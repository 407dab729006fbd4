import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Failpoints, listenForFailpoints, never } from '../support/failpoints.ts';
import { type FaultProxy, openFaultProxy } from '../support/fault-proxy.ts';
import { type HttpFaultProxy, openHttpFaultProxy } from '../support/http-fault-proxy.ts';
import { assertNoLeaks } from '../support/leak-check.ts';
import { assertIndexEqualsTable } from '../support/oracle.ts';
import { type RealignExit, type RealignRun, runRealign, startRealign } from '../support/run-realign.ts';
import {
  connect,
  databaseUrl,
  deleteIndicesLike,
  elasticsearch,
  elasticsearchUrl,
  type FreshDatabase,
  freshDatabase,
  indicesLike,
  uniqueName,
} from '../support/servers.ts';

export interface RunOptions {
  readonly flags?: readonly string[];
  readonly env?: { readonly [name: string]: string };
  /** Into the entry of the index in the config. */
  readonly index?: { readonly [key: string]: unknown };
  readonly databaseUrl?: string;
  /** Not by way of the proxy. */
  readonly direct?: boolean;
  readonly output?: 'json' | 'human';
}

/**
 * A database with a table `t` of `ROWS` rows in several chunks, an alias that serves an old index with one document, a proxy before each server (the program always
 * goes through them), and the failpoints of every run.
 */
export interface FaultWorld {
  readonly database: FreshDatabase;
  readonly alias: string;
  /** The generation that the alias is on before the build; made by hand, so that only its being touched can change it. */
  readonly old: string;
  readonly postgres: FaultProxy;
  readonly http: HttpFaultProxy;
  readonly points: Failpoints;
  /** After the server was away: the test's own session is gone then. */
  reconnect(): Promise<void>;
  start(options?: RunOptions): RealignRun;
  rebuild(options?: RunOptions): Promise<RealignExit>;
  command(name: string, ...flags: readonly string[]): Promise<RealignExit>;
  /** Of another alias on the same servers. */
  statusOf(alias: string): Promise<RealignExit>;
  /** A statement of the application. */
  sql(text: string): Promise<readonly { readonly [column: string]: unknown }[]>;
  /** The index of the build, whatever its phase. */
  generation(): Promise<string>;
  /** Readers see what they saw: the alias is on the old index alone, and that is unchanged. */
  assertUntouched(): Promise<void>;
  /** The exit code, an error that says what is unchanged and what to type, and the old index untouched. */
  assertStopped(exit: RealignExit, code: number): Promise<{ readonly kind: string; readonly message: string; readonly text: string }>;
  /** Exit code 0, and the alias serves exactly the table. */
  assertServed(exit: RealignExit): Promise<void>;
}

export const ROWS = 2000;

const TABLE = `create table t (id int primary key, v text, body text);
  alter table t alter column body set storage external;
  insert into t select g, 'v' || g, case when g % 50 = 0 then repeat(md5(g::text), 100) else repeat(md5(g::text), 12) end from generate_series(1, ${ROWS}) g;
  analyze t`;

async function makeOld(alias: string): Promise<string> {
  const old = `${alias}-old`;
  const { status, text } = await elasticsearch('PUT', `/${old}`, { settings: { number_of_replicas: 0 }, aliases: { [alias]: {} } });
  assert.equal(status, 200, text);
  await elasticsearch('PUT', `/${old}/_doc/old?refresh=true`, { old: true });
  return old;
}

export async function faultWorld(): Promise<FaultWorld & { dispose(): Promise<void> }> {
  let database = await freshDatabase();
  const alias = uniqueName('fault');
  await database.client.query(TABLE);
  const old = await makeOld(alias);
  const postgres = await openFaultProxy(databaseUrl());
  const http = await openHttpFaultProxy(elasticsearchUrl);
  const points = await listenForFailpoints();
  const request = (args: readonly string[], options: RunOptions = {}) => ({
    args: [...args, ...(options.flags ?? [])],
    config: { elasticsearch: { url: http.url }, indices: { [alias]: { table: 'public.t', settings: { number_of_replicas: 0 }, ...options.index } } },
    databaseUrl: options.direct === true ? (options.databaseUrl ?? database.url) : postgres.through(options.databaseUrl ?? database.url),
    env: { ...points.env, ...options.env },
    output: options.output ?? 'json',
  });
  const indices = (): Promise<readonly string[]> => indicesLike(`${alias}*`);
  const served = async (): Promise<readonly string[]> => Object.keys((await elasticsearch('GET', `/_alias/${alias}`)).json ?? {});
  const world: FaultWorld & { dispose(): Promise<void> } = {
    get database() {
      return database;
    },
    reconnect: async () => {
      database = await reconnected(database);
    },
    alias,
    old,
    postgres,
    http,
    points,
    start: (options) => startRealign(request(['rebuild', alias], options)),
    rebuild: (options) => runRealign(request(['rebuild', alias], options)),
    command: (name, ...flags) => runRealign(request([name, alias], { flags })),
    statusOf: (name) => runRealign(request(['status', name])),
    sql: async (text) => (await database.client.query(text)).rows ?? [],
    generation: async () => (await indices()).find((name) => name !== old) ?? '',
    assertUntouched: async () => {
      assert.deepEqual(await served(), [old]);
      const { json } = await elasticsearch('GET', `/${old}/_search?version=true`);
      assert.deepEqual(json.hits.hits, [{ ...json.hits.hits[0], _id: 'old', _version: 1, _source: { old: true } }]);
    },
    assertStopped: async (exit, code) => {
      assert.equal(exit.code, code, exit.stderr + exit.stdout.slice(-2000));
      const error = exit.events.findLast(({ type }) => type === 'error');
      const next = error?.next as readonly string[] | undefined;
      assert.ok(String(error?.unchanged).length > 10, `what is unchanged: ${error?.unchanged}`);
      assert.ok((next?.length ?? 0) > 0, 'what to type next');
      await world.assertUntouched();
      return { kind: String(error?.kind), message: String(error?.message), text: JSON.stringify(error) };
    },
    assertServed: async (exit) => {
      assert.equal(exit.code, 0, exit.stderr + exit.stdout.slice(-2000));
      const [index = '', ...others] = await served();
      assert.deepEqual(others, []);
      assert.notEqual(index, old);
      await assertIndexEqualsTable({ client: database.client, table: 'public.t', index });
    },
    dispose: async () => {
      try {
        await assertRemovable(world, [old, ...(await served())]);
      } finally {
        await deleteIndicesLike(`${alias}*`);
        await database.drop();
        await postgres.close();
        await http.close();
        await points.close();
      }
    },
  };
  return world;
}

/** The same database with a session that lives, after its server was away. */
async function reconnected(before: FreshDatabase): Promise<FreshDatabase> {
  const client = await connect(before.url);
  const drop = async (): Promise<void> => {
    await client.query('select pg_drop_replication_slot(slot_name) from pg_replication_slots where database = current_database() and not active');
    await client.end();
    const server = await connect();
    await server.query(`drop database ${before.name} with (force)`);
    await server.end();
  };
  return { ...before, client, drop };
}

/** What is left is shown by `status` and removed by `abort`; then nothing is left but `allowed`. */
async function assertRemovable(world: FaultWorld, allowed: readonly string[]): Promise<void> {
  const { database, alias } = world;
  const slots = await world.sql('select slot_name as name from pg_replication_slots where database = current_database() and not temporary');
  const publications = await world.sql('select pubname as name from pg_publication');
  const left = [...slots, ...publications].map(({ name }) => String(name));
  left.push(...(await indicesLike(`${alias}*`)).filter((index) => !allowed.includes(index)));
  if (left.length > 0) {
    const status = await world.command('status');
    for (const name of left) assert.ok(status.stdout.includes(name), `status does not show ${name}:\n${status.stdout}${status.stderr}`);
    const aborted = await world.command('abort', '--yes');
    assert.equal(aborted.code, 0, aborted.stderr);
  }
  await assertNoLeaks({ database, indices: [`${alias}*`], allowedIndices: allowed });
}

/** A test with a world of its own; whatever it leaves must be shown by `status` and removed by `abort`. */
export function faultTest(title: string, run: (world: FaultWorld) => Promise<void>): void {
  test(title, async () => {
    const world = await faultWorld();
    try {
      await run(world);
    } catch (error) {
      await world.dispose().catch(() => undefined);
      throw error;
    }
    await world.dispose();
  });
}

/** SIGKILL at the moment; the program is not told to go on. */
export function killAt(world: FaultWorld, name: Parameters<Failpoints['at']>[0], nth = 1): { run(options?: RunOptions): Promise<RealignExit> } {
  let running: RealignRun | null = null;
  world.points.at(
    name,
    () => {
      running?.kill('SIGKILL');
      return never;
    },
    nth,
  );
  return {
    run: async (options) => {
      running = world.start(options);
      const exit = await running.ended;
      assert.equal(exit.signal, 'SIGKILL', `not killed at ${name}: ${exit.code} ${exit.stderr}`);
      return exit;
    },
  };
}
