import { assertNoLeaks } from '../support/leak-check.ts';
import { assertIndexEqualsTable } from '../support/oracle.ts';
import { type RealignExit, type RealignRequest, type RealignRun, runRealign, startRealign } from '../support/run-realign.ts';
import { deleteIndicesLike, elasticsearch, type FreshDatabase, freshDatabase, indicesLike, uniqueName } from '../support/servers.ts';
import { type ElasticsearchProxy, type ProxiedCall, startProxy } from './elasticsearch-proxy.ts';

/** A database, an alias and a proxy before Elasticsearch; the command line runs against them as a child process. */
export interface CommandWorld {
  readonly database: FreshDatabase;
  readonly alias: string;
  readonly proxy: ElasticsearchProxy;
  request(command: string, ...flags: readonly string[]): RealignRequest;
  rebuild(...flags: readonly string[]): Promise<RealignExit>;
  start(...flags: readonly string[]): RealignRun;
  abort(): Promise<RealignExit>;
  /** The indices that the alias is on. */
  served(): Promise<readonly string[]>;
  indices(): Promise<readonly string[]>;
  /** The alias serves the table by the oracle; on PostgreSQL nothing is left, on Elasticsearch only the served index and `kept`. */
  assertServed(kept?: readonly string[]): Promise<void>;
  /** Nothing is left on PostgreSQL; on Elasticsearch exactly `indices`. */
  assertLeft(indices: readonly string[]): Promise<void>;
  dispose(): Promise<void>;
}

/** `sql` makes the table. */
export async function commandWorld(table: string, sql: string): Promise<CommandWorld> {
  const database = await freshDatabase();
  const alias = uniqueName('cmd');
  const proxy = await startProxy();
  await database.client.query(sql);
  const request = (command: string, ...flags: readonly string[]): RealignRequest => ({
    args: [command, alias, ...flags],
    config: { elasticsearch: { url: proxy.url }, indices: { [alias]: { table, settings: { number_of_replicas: 0 } } } },
    databaseUrl: database.url,
  });
  const served = async (): Promise<readonly string[]> =>
    Object.keys((await elasticsearch('GET', `/_alias/${alias}`)).json ?? {}).filter((name) => name.startsWith(alias));
  const indices = (): Promise<readonly string[]> => indicesLike(`${alias}*`);
  const assertLeft = (allowedIndices: readonly string[]): Promise<void> => assertNoLeaks({ database, indices: [`${alias}*`], allowedIndices });
  return {
    database,
    alias,
    proxy,
    request,
    rebuild: (...flags) => runRealign(request('rebuild', ...flags)),
    start: (...flags) => startRealign(request('rebuild', ...flags)),
    abort: () => runRealign(request('abort', '--yes')),
    served,
    indices,
    assertLeft,
    assertServed: async (kept = []) => {
      await assertIndexEqualsTable({ client: database.client, table, index: alias });
      await assertLeft([...(await served()), ...kept]);
    },
    dispose: async () => {
      await deleteIndicesLike(`${alias}*`);
      await database.drop();
      await proxy.close();
    },
  };
}

/** Runs `action` at the first call that `matches`, before it reaches the server. */
export function onceBefore(matches: (call: ProxiedCall) => boolean, action: () => Promise<void>): (call: ProxiedCall) => Promise<undefined> {
  let done: Promise<void> | null = null;
  return async (call) => {
    if (!matches(call)) return undefined;
    done ??= action();
    await done;
    return undefined;
  };
}

/** The point in time that a verification opens: both sides are about to be frozen. */
export const opensPointInTime = ({ method, path }: ProxiedCall): boolean => method === 'POST' && path.includes('/_pit?');

/** The call that moves the alias. */
export const movesAlias = ({ method, path }: ProxiedCall): boolean => method === 'POST' && path.startsWith('/_aliases');
