import assert from 'node:assert/strict';
import { Failure } from '../../src/core/failure.ts';
import { assertNoLeaks } from '../support/leak-check.ts';
import { assertIndexEqualsTable } from '../support/oracle.ts';
import { deleteIndicesLike, type FreshDatabase, freshDatabase } from '../support/servers.ts';
import { buildInProcess, type InProcessBuild, type InProcessRun, uniqueAlias } from './in-process.ts';

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
