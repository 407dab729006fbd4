import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parse } from 'lossless-json';
import { loadConfiguration } from '../../src/cli/config/load.ts';
import { policyOf } from '../../src/core/failure.ts';
import type { IndexConfig } from '../../src/core/plan/index-config.ts';
import { buildInProcess, type InProcessRun, uniqueAlias } from '../e2e/in-process.ts';
import { assertNoLeaks } from '../support/leak-check.ts';
import { assertIndexEqualsTable } from '../support/oracle.ts';
import { canonicalText } from '../support/oracle-value.ts';
import { deleteIndicesLike, elasticsearch, elasticsearchUrl, type FreshDatabase, freshDatabase } from '../support/servers.ts';
import { type Case, type Expectation, readCases } from './read-case.ts';
import { type WorkloadRunner, workloadRunner } from './run-workload.ts';

/**
 * Every folder beside this file is a case: `schema.sql` and `seed.sql` make the table, `config.yaml` is the user's, `workload.sql` runs at its moments during the build
 * (`read-case.ts`), and then everything must be as `expect.json` says. Cases take turns in a few databases, each in a clean one: most of a build's time here is waiting.
 */
const DATABASES = 3;
const free: FreshDatabase[] = [];

before(async () => {
  for (let i = 0; i < DATABASES; i++) free.push(await freshDatabase());
});

after(() => Promise.all(free.map((database) => database.drop())));

describe('cases', { concurrency: DATABASES }, () => {
  for (const one of readCases()) it(`${one.name}: ${one.expect.shows} (${one.expect.from})`, { timeout: 120_000 }, () => inDatabase(one));
});

async function inDatabase(one: Case): Promise<void> {
  const database = free.pop();
  if (database === undefined) throw new Error('more cases at once than databases');
  try {
    await runCase(database, one);
  } finally {
    free.push(database);
  }
}

async function runCase(database: FreshDatabase, one: Case): Promise<void> {
  await cleanDatabase(database);
  await database.client.query(one.schema);
  if (one.seed !== '') await database.client.query(one.seed);
  const config = configOf(database, one);
  const workload = workloadRunner(database.url, one.workload);
  try {
    const outcome = await build(database, one.expect, { config, workload });
    assert.equal(outcome.exit, one.expect.exit, outcome.message);
    for (const words of [one.expect.message ?? []].flat())
      assert.ok(outcome.message.includes(words), `${words} is not in the message: ${outcome.message}`);
    if (one.expect.exit === 0) assert.deepEqual(workload.pending(), [], 'a moment of the workload never came');
    await workload.close();
    if (outcome.run === null) assert.deepEqual(await servingIndices(config.alias), [], 'nothing may be swapped');
    else await checkIndex(database, one.expect, { config, run: outcome.run });
    await assertNoLeaks({ database, indices: [] });
  } finally {
    await workload.close().catch(() => {});
    await deleteIndicesLike(`${config.alias}*`);
  }
}

interface CaseOutcome {
  readonly exit: number;
  readonly message: string;
  readonly run: InProcessRun | null;
}

interface CaseRun {
  readonly config: IndexConfig;
  readonly workload: WorkloadRunner;
}

async function build(database: FreshDatabase, expect: Expectation, { config, workload }: CaseRun): Promise<CaseOutcome> {
  const { maxRejects = 0, chunkBlocks = null } = expect;
  const { wrapSource, wrapSink, failpoint } = workload;
  const options = { maxRejects, chunkBlocks, copyJobs: 1 };
  try {
    const run = await buildInProcess({ database, alias: config.alias, table: config.table, config, options, wrapSource, wrapSink, failpoint });
    return { exit: 0, message: '', run };
  } catch (error) {
    const { exitCode } = policyOf(error);
    // A bug keeps its stack.
    if (exitCode === 1 && expect.exit !== 1) throw error;
    return { exit: exitCode, message: error instanceof Error ? error.message : String(error), run: null };
  }
}

interface Finished {
  readonly config: IndexConfig;
  readonly run: InProcessRun;
}

async function checkIndex(database: FreshDatabase, expect: Expectation, { config, run: { result, rejects, events } }: Finished): Promise<void> {
  const { equals = config.table, where, rename = config.rename, exclude = config.columns.exclude, onNonFinite } = expect;
  await assertIndexEqualsTable({
    client: database.client,
    table: equals,
    index: result.index,
    rename,
    exclude,
    ...(where === undefined ? {} : { where }),
    ...(onNonFinite === undefined ? {} : { onNonFinite }),
  });
  for (const [id, document] of Object.entries(expect.documents ?? {})) await checkDocument(result.index, id, document);
  if (expect.routings !== undefined) assert.deepEqual(await routingsOf(result.index), expect.routings);
  if (expect.count !== undefined) assert.equal(Number((await elasticsearch('GET', `/${result.index}/_count`)).json.count), expect.count);
  const reasons = Object.fromEntries(rejects.map(({ id, reason }) => [id, reason]));
  assert.deepEqual(Object.keys(reasons).sort(), Object.keys(expect.rejects ?? {}).sort());
  for (const [id, words] of Object.entries(expect.rejects ?? {})) assert.ok(reasons[id]?.includes(words), `${id}: ${reasons[id]}`);
  assert.deepEqual(await rejectedIds(result.index), [...(expect.rejectedAtTheEnd ?? Object.keys(expect.rejects ?? {}))].sort());
  const warned = events.flatMap((event) => (event.type === 'warning' ? [event.code] : []));
  for (const code of expect.warnings ?? []) assert.ok(warned.includes(code), `no warning ${code} among ${warned.join(', ')}`);
  await checkMapping(result.index, expect.mapping ?? {});
}

async function checkDocument(index: string, id: string, expected: unknown): Promise<void> {
  const { status, text } = await elasticsearch('GET', `/${index}/_doc/${encodeURIComponent(id)}`);
  if (expected === null) {
    assert.equal(status, 404, `${id} must have no document`);
    return;
  }
  assert.equal(status, 200, `${id} has no document`);
  const found = (parse(text) as { readonly _source: unknown })._source;
  assert.equal(canonicalText(found), canonicalText(parse(JSON.stringify(expected))));
}

/** Of every hit, so that a second document with an id would be one entry too many. */
async function routingsOf(index: string): Promise<{ readonly [id: string]: string }> {
  const { json } = await elasticsearch('POST', `/${index}/_search`, { size: 1000, _source: false });
  const hits: readonly { readonly _id: string; readonly _routing: string }[] = json.hits.hits;
  assert.equal(new Set(hits.map(({ _id }) => _id)).size, hits.length, 'an id has several documents');
  return Object.fromEntries(hits.map(({ _id, _routing }) => [_id, _routing]));
}

/** What the index's own state says, as a resume or a later audit would read it. */
async function rejectedIds(index: string): Promise<readonly string[]> {
  const { json } = await elasticsearch('GET', `/${index}/_mapping`);
  return json[index].mappings._meta.realign.rejectedIds.toSorted();
}

async function checkMapping(index: string, expected: { readonly [field: string]: unknown }): Promise<void> {
  if (Object.keys(expected).length === 0) return;
  const { json } = await elasticsearch('GET', `/${index}/_mapping`);
  const { properties } = json[index].mappings as { readonly properties: { readonly [field: string]: unknown } };
  for (const [field, mapping] of Object.entries(expected)) assert.deepEqual(properties[field], mapping, field);
}

/** The user's file as the command line reads it, under an alias of this run's own. */
function configOf(database: FreshDatabase, { config }: Case): IndexConfig {
  const environment = { DATABASE_URL: database.url, ELASTICSEARCH_URL: elasticsearchUrl() };
  const { indices } = loadConfiguration({ path: config, adHoc: null, needsIndices: true, environment, registerSecret: () => {} });
  const [entry] = indices.values();
  if (entry === undefined) throw new Error(`${config} names no index`);
  return { ...entry.config, alias: uniqueAlias(), settings: { number_of_replicas: 0, ...entry.config.settings } };
}

async function servingIndices(alias: string): Promise<readonly string[]> {
  const { status, json } = await elasticsearch('GET', `/_alias/${alias}`);
  return status === 404 ? [] : Object.keys(json);
}

async function cleanDatabase(database: FreshDatabase): Promise<void> {
  const { rows } = await database.client.query<{ name: string }>(
    "select quote_ident(nspname) as name from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'",
  );
  // A case that failed may have left them; the next one must not be blamed.
  await database.client.query(
    `select pg_drop_replication_slot(slot_name) from pg_replication_slots where database = current_database() and not active`,
  );
  const left = await database.client.query<{ name: string }>('select quote_ident(pubname) as name from pg_publication');
  for (const { name } of left.rows) await database.client.query(`drop publication ${name}`);
  const drops = rows.map(({ name }) => `drop schema ${name} cascade;`).join(' ');
  await database.client.query(`${drops} create schema public; reset all`);
}
