import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { systemClock } from '../../src/cli/clock.ts';
import type { AuditReport } from '../../src/core/audit-report.ts';
import type { RunEvent } from '../../src/core/events.ts';
import { Failure } from '../../src/core/failure.ts';
import type { AuditOptions } from '../../src/core/plan/audit-options.ts';
import type { IndexConfig } from '../../src/core/plan/index-config.ts';
import { openSink } from '../../src/elasticsearch/sink.ts';
import type { AuditState, SavedAudit } from '../../src/phases/audit/state.ts';
import { runAudit } from '../../src/phases/audit.ts';
import type { Sink } from '../../src/phases/sink-ports.ts';
import { openSource } from '../../src/postgres/source.ts';
import { assertNoLeaks } from '../support/leak-check.ts';
import { deleteIndicesLike, elasticsearch, elasticsearchUrl, type FreshDatabase, freshDatabase } from '../support/servers.ts';
import { waitFor } from '../support/wait-for.ts';
import { buildInProcess, type InProcessBuild, indexConfig, uniqueAlias } from './in-process.ts';
import { seedRows, WORKLOAD_SCHEMA } from './writers.ts';

export interface AuditRun {
  readonly report: AuditReport;
  readonly events: readonly RunEvent[];
}

export interface AuditCall {
  readonly options?: Partial<AuditOptions>;
  readonly state?: AuditState;
  readonly user?: { readonly name: string; readonly password: string };
  readonly wrapSink?: (sink: Sink) => Sink;
  /** What this audit's config says otherwise than the build's did. */
  readonly config?: Partial<IndexConfig>;
}

export interface WorldOptions {
  /** The build goes on applying changes until the world is disposed of. */
  readonly follow?: boolean;
  /** Makes and fills `table`. */
  readonly schema?: string;
  readonly table?: string;
}

/** A database with the table `things`, an index built from it by realign with two shards, and audits of the two. */
export interface AuditWorld {
  readonly database: FreshDatabase;
  readonly alias: string;
  readonly index: string;
  readonly config: IndexConfig;
  audit(call?: AuditCall): Promise<AuditRun>;
  dispose(): Promise<void>;
}

export const NO_STATE: AuditState = { read: async () => null, write: async () => undefined, clear: async () => undefined };

/** Keeps the place of a rotation as a file would: nothing but JSON survives. */
export class MemoryState implements AuditState {
  saved: SavedAudit | null = null;

  async read(): Promise<SavedAudit | null> {
    return this.saved;
  }

  async write(saved: SavedAudit): Promise<void> {
    this.saved = JSON.parse(JSON.stringify(saved));
  }

  async clear(): Promise<void> {
    this.saved = null;
  }
}

const OPTIONS: AuditOptions = {
  mode: 'full',
  sample: 200,
  seed: 'test',
  maxDiff: 0,
  settle: { rounds: 2, pauseMs: 20 },
  maxDurationMs: null,
  index: null,
  keys: null,
  rate: null,
  values: 'none',
  repair: 'no',
  maxRepair: 1000,
};

export async function auditWorld(rows: number, changes: Partial<IndexConfig> = {}, options: WorldOptions = {}): Promise<AuditWorld> {
  const { follow = false, schema = `${WORKLOAD_SCHEMA} ${seedRows(rows)}; analyze things`, table = 'public.things' } = options;
  const database = await freshDatabase();
  const alias = uniqueAlias();
  await database.client.query(schema);
  const request = { database, alias, table, config: { settings: { number_of_replicas: 0, number_of_shards: 2 }, ...changes } };
  const built = follow ? await followed(request) : { index: (await buildInProcess(request)).result.index, stop: async () => undefined };
  const config = indexConfig(request);
  return {
    ...{ database, alias, index: built.index, config },
    audit: (call = {}) => audit(database, { ...config, ...call.config }, call),
    dispose: async () => {
      await built.stop();
      await assertNoLeaks({ database, indices: [] });
      await deleteIndicesLike(`${alias}*`);
      await database.drop();
    },
  };
}

/** Waits until the build follows; `stop` ends it and removes what a stopped follower keeps for its resume. */
async function followed(request: InProcessBuild): Promise<{ readonly index: string; readonly stop: () => Promise<void> }> {
  const aborter = new AbortController();
  let index = '';
  let follows = false;
  const onEvent = (event: RunEvent): void => {
    if (event.type === 'build.started') index = event.generation;
    if (event.type === 'phase.started' && event.phase === 'follow') follows = true;
  };
  const run = buildInProcess({ ...request, options: { follow: true }, signal: aborter.signal, onEvent });
  run.catch(() => undefined);
  const stop = async (): Promise<void> => {
    aborter.abort(new Failure('terminated', 'the test is over'));
    await run.catch(() => undefined);
    const { client } = request.database;
    await client.query('select pg_drop_replication_slot(slot_name) from pg_replication_slots where database = current_database()');
    const { rows } = await client.query<{ name: string }>('select pubname as name from pg_publication');
    for (const { name } of rows) await client.query(`drop publication ${name}`);
  };
  try {
    await waitFor('the follower', async () => follows || (await Promise.race([run.then(() => true), false])), 120_000);
  } catch (error) {
    await stop();
    throw error;
  }
  return { index, stop };
}

async function audit(database: FreshDatabase, config: IndexConfig, { options = {}, state = NO_STATE, user, wrapSink }: AuditCall): Promise<AuditRun> {
  const url = new URL(database.url);
  const { name, password } = user ?? { name: url.username, password: url.password };
  const address = { host: url.hostname, port: Number(url.port), database: url.pathname.slice(1) };
  const source = await openSource({ ...address, user: name, password, ssl: false, applicationName: 'realign-test-audit' });
  const sink = await openSink({ nodes: [elasticsearchUrl()], auth: null, rejectUnauthorized: true, requestTimeoutMs: 30_000 });
  const events: RunEvent[] = [];
  try {
    const report = await runAudit({
      ...{ source, sink: wrapSink?.(sink) ?? sink, clock: systemClock, config, state },
      reporter: { report: (event) => void events.push(event) },
      options: { ...OPTIONS, ...options },
      signal: new AbortController().signal,
      run: randomBytes(3).toString('hex'),
    });
    return { report, events };
  } finally {
    await source.close();
    await sink.close();
  }
}

/** `_source` of one document exactly as stored. */
export async function sourceOf(index: string, id: string): Promise<string> {
  const { status, text } = await elasticsearch('GET', `/${index}/_doc/${encodeURIComponent(id)}`);
  assert.equal(status, 200, text);
  return text.slice(text.indexOf('"_source":') + '"_source":'.length, -1);
}

/** An ordinary write, as any application would do it. */
export async function put(index: string, id: string, source: string, action: { readonly [key: string]: unknown } = {}): Promise<void> {
  const { json, text } = await elasticsearch('POST', `/${index}/_bulk`, `${JSON.stringify({ index: { _id: id, ...action } })}\n${source}\n`);
  assert.equal(json.errors, false, text);
}

/** Changes the stored text without any parsing; fails if there is nothing to change. */
export async function edit(index: string, id: string, change: (source: string) => string): Promise<void> {
  const before = await sourceOf(index, id);
  const after = change(before);
  assert.notEqual(after, before, `nothing to change in ${before}`);
  await put(index, id, after);
}

/** Every difference in a line: kind, id, fields; sorted. */
export const named = ({ differences }: AuditReport): readonly string[] =>
  differences.map(({ id, kind, fields }) => [kind, id, ...fields].join(' ')).sort();
