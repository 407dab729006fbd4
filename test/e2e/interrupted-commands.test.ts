import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemClock } from '../../src/cli/clock.ts';
import { Failure } from '../../src/core/failure.ts';
import { abortBuild } from '../../src/phases/generations/abort.ts';
import { rollBack } from '../../src/phases/generations/rollback.ts';
import type { Source } from '../../src/phases/ports.ts';
import type { Sink } from '../../src/phases/sink-ports.ts';
import { assertNoLeaks } from '../support/leak-check.ts';
import { assertIndexEqualsTable } from '../support/oracle.ts';
import { deleteIndicesLike, elasticsearch, type FreshDatabase, freshDatabase, indicesLike } from '../support/servers.ts';
import { buildInProcess, uniqueAlias, withSides } from './in-process.ts';

let database: FreshDatabase;

before(async () => {
  database = await freshDatabase();
  await database.client.query(`create table t (id int primary key, v text); insert into t select g, 'v' || g from generate_series(1, 20) g`);
});

after(() => database.drop());

interface Sides {
  readonly source: Source;
  readonly sink: Sink;
}

/** The command runs until it has asked the servers for `calls` things, as if it were killed then. */
class Killed extends Error {}

function killedAfter(calls: number, { source, sink }: Sides): Sides {
  let left = calls;
  const dying = <T extends object>(port: T): T =>
    Object.fromEntries(
      Object.entries(port).map(([name, call]) => [
        name,
        async (...values: unknown[]) => {
          if (left-- <= 0) throw new Killed(name);
          return await call.apply(port, values);
        },
      ]),
    ) as T;
  return { source: dying(source), sink: dying(sink) };
}

/** Kills the command one call later each time, until it gets through; returns how often it was killed. */
async function killedEverywhere(command: (sides: Sides) => Promise<unknown>, betweenTwo: () => Promise<void> = async () => {}): Promise<number> {
  for (let calls = 0; ; calls++) {
    try {
      await withSides(database, (sides) => command(killedAfter(calls, sides)));
      return calls;
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      await betweenTwo();
    }
  }
}

async function servedIndices(alias: string): Promise<readonly string[]> {
  const { json } = await elasticsearch('GET', `/_alias/${alias}`);
  return Object.keys(json);
}

/** Builds, and leaves the build as a kill at `at` would. */
async function unfinished(alias: string, at: string, options = {}): Promise<void> {
  const build = buildInProcess({
    database,
    alias,
    table: 'public.t',
    options,
    failpoint: async (name) => {
      if (name === at) throw new Failure('interrupted', 'killed by the test');
    },
  });
  await assert.rejects(build, { kind: 'interrupted' });
}

test('abort of an unfinished build, killed at every call: the same command again until nothing is left, and readers keep their index', async () => {
  const alias = uniqueAlias();
  const served = await buildInProcess({ database, alias, table: 'public.t' });
  await unfinished(alias, 'load.finished');
  assert.equal((await indicesLike(`${alias}-*`)).length, 2);
  const readersKeepTheirs = async (): Promise<void> => assert.deepEqual(await servedIndices(alias), [served.result.index]);
  const kills = await killedEverywhere((sides) => abortBuild({ ...sides, alias }), readersKeepTheirs);
  assert.ok(kills > 5, `${kills} kills`);
  await readersKeepTheirs();
  await assertNoLeaks({ database, indices: [`${alias}*`], allowedIndices: [served.result.index] });
  await deleteIndicesLike(`${alias}*`);
});

test('abort of a build that was killed behind its swap, killed at every call: the served index stays', async () => {
  const alias = uniqueAlias();
  await unfinished(alias, 'swap.recorded');
  const [index = ''] = await servedIndices(alias);
  await killedEverywhere(
    (sides) => abortBuild({ ...sides, alias }),
    async () => assert.deepEqual(await servedIndices(alias), [index]),
  );
  await assertIndexEqualsTable({ client: database.client, table: 'public.t', index: alias });
  await assertNoLeaks({ database, indices: [`${alias}*`], allowedIndices: [index] });
  await deleteIndicesLike(`${alias}*`);
});

test('rollback from a generation that was fed, killed at every call: the alias is on exactly one index all the time, and abort removes what is left', async () => {
  const alias = uniqueAlias();
  const first = await buildInProcess({ database, alias, table: 'public.t' });
  const stopped = new AbortController();
  const fed = buildInProcess({
    database,
    alias,
    table: 'public.t',
    options: { follow: true },
    signal: stopped.signal,
    onEvent: (event) => {
      if (event.type === 'phase.started' && event.phase === 'follow') stopped.abort(new Failure('interrupted', 'stopped by the test'));
    },
  });
  await assert.rejects(fed, { kind: 'interrupted' });
  const to = first.result.index;
  const request = { clock: systemClock, reporter: { report: () => {} }, alias, to, signal: new AbortController().signal };
  const exactlyOne = async (): Promise<void> => assert.equal((await servedIndices(alias)).length, 1);
  const rolledBack = killedEverywhere(async (sides) => {
    // Killed behind its swap there is nothing to roll back any more.
    if ((await servedIndices(alias)).includes(to)) return;
    await rollBack({ ...sides, ...request });
  }, exactlyOne);
  assert.ok((await rolledBack) > 5);
  assert.deepEqual(await servedIndices(alias), [to]);
  await killedEverywhere((sides) => abortBuild({ ...sides, alias }), exactlyOne);
  assert.deepEqual(await servedIndices(alias), [to]);
  await assertNoLeaks({ database, indices: [`${alias}*`], allowedIndices: await indicesLike(`${alias}-*`) });
  await deleteIndicesLike(`${alias}*`);
});
