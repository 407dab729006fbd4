import assert from 'node:assert/strict';
import { Failure } from '../../src/core/failure.ts';
import type { Source } from '../../src/phases/ports.ts';
import type { Sink } from '../../src/phases/sink-ports.ts';
import { assertNoLeaks } from '../support/leak-check.ts';
import { assertIndexEqualsTable } from '../support/oracle.ts';
import { deleteIndicesLike, type FreshDatabase, freshDatabase } from '../support/servers.ts';
import { waitFor } from '../support/wait-for.ts';
import { expireTombstones, interceptBulks } from './bulk-inspection.ts';
import { buildInProcess, type InProcessBuild, type InProcessRun, uniqueAlias } from './in-process.ts';
import { onFirstChunk } from './wrapped.ts';

/** A database with one small table `t(id, v)` and an alias of its own. */
export interface RuleWorld {
  readonly database: FreshDatabase;
  readonly alias: string;
  build(request?: Partial<InProcessBuild>): Promise<InProcessRun>;
  /** The index equals the table by the independent oracle. */
  assertEqual(index: string): Promise<void>;
  dispose(): Promise<void>;
}

export async function ruleWorld(rows = 20): Promise<RuleWorld> {
  const database = await freshDatabase();
  const alias = uniqueAlias();
  await database.client.query(`create table t (id text primary key, v text); insert into t select g::text, 'old' from generate_series(1, ${rows}) g`);
  return {
    database,
    alias,
    build: (request = {}) => buildInProcess({ database, alias, table: 'public.t', ...request }),
    assertEqual: (index) => assertIndexEqualsTable({ client: database.client, table: 'public.t', index }),
    dispose: async () => {
      await assertNoLeaks({ database, indices: [] });
      await deleteIndicesLike(`${alias}*`);
      await database.drop();
    },
  };
}

/** The verifier is what catches the loss when a rule is switched off. */
export async function assertNotVerified(build: Promise<unknown>): Promise<void> {
  await assert.rejects(build, (error) => error instanceof Failure && error.kind === 'verification-failed');
}

/** A row `id` is committed while the first chunk is read. */
export function insertDuringLoad(world: RuleWorld, source: Source, id: string): Source {
  return onFirstChunk(source, () => world.database.client.query(`insert into t values ($1, 'x')`, [id]));
}

interface Overtaking {
  readonly id: string;
  /** The bulk goes on after so long if the delete does not come before it; otherwise its coming is required. */
  readonly orAfterMs?: number;
}

/**
 * Holds the first bulk that writes the row. Meanwhile the row is deleted, and the bulk goes on when the delete has been applied and forgotten by Elasticsearch: so a row
 * that was read before its delete is written after it.
 */
export function deleteBehindTheBulk(world: RuleWorld, sink: Sink, { id, orAfterMs }: Overtaking): Sink {
  let index = '';
  let deleted = false;
  let held = false;
  const intercepted = interceptBulks(sink, {
    before: async (operations) => {
      if (held || !operations.some((operation) => operation.kind === 'index' && operation.id === id)) return;
      held = true;
      await world.database.client.query('delete from t where id = $1', [id]);
      const coming = waitFor('the delete to be applied', () => deleted, orAfterMs);
      const overtaken = await (orAfterMs === undefined ? coming : coming.catch(() => false));
      if (overtaken) await expireTombstones(index);
    },
    after: async (operations) => {
      if (operations.some((operation) => operation.kind === 'delete' && operation.id === id)) deleted = true;
    },
  });
  return {
    ...intercepted,
    createIndex: (request) => {
      index = request.index;
      return sink.createIndex(request);
    },
  };
}
