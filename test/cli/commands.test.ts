import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { assertNoLeaks } from '../support/leak-check.ts';
import { runRealign, startRealign } from '../support/run-realign.ts';
import { connect, deleteIndicesLike, type FreshDatabase, freshDatabase, indicesLike, uniqueName } from '../support/servers.ts';

const ROWS = 3_000;
const alias = uniqueName('cli');
const role = uniqueName('cli_role');
const PASSWORD = 'canary-"pass/word';
let database: FreshDatabase;
/** The same database as a role whose password must never show. */
let secretUrl: string;

before(async () => {
  database = await freshDatabase();
  await database.client.query(`create table public.things (id bigint primary key, name text)`);
  await database.client.query(`insert into public.things select g, 'row-value-' || g from generate_series(1, ${ROWS}) g`);
  await database.client.query(`create role ${role} login superuser password '${PASSWORD}'`);
  const url = new URL(database.url);
  url.username = role;
  url.password = encodeURIComponent(PASSWORD);
  secretUrl = url.href;
});

after(async () => {
  await deleteIndicesLike(`${alias}*`);
  await database.drop();
  const client = await connect();
  await client.query(`drop role ${role}`);
  await client.end();
});

const config = { indices: { [alias]: { table: 'public.things', settings: { number_of_replicas: 0 } } } };
const request = (...args: readonly string[]) => ({ args, config, databaseUrl: secretUrl });

test('check and plan change nothing and say so', async () => {
  const check = await runRealign({ ...request('check', alias), output: 'human' });
  assert.equal(check.code, 0, check.stdout + check.stderr);
  assert.match(check.stdout, /^PostgreSQL {2}\S+ as cli_role_\w+ +TLS off/);
  assert.match(check.stdout, /0 failures, \d+ warnings?\. Nothing was changed\.\n$/);
  const plan = await runRealign(request('plan', alias, '--detailed-exitcode'));
  assert.deepEqual([plan.code, plan.events.at(-1)?.result], [2, 'has-work']);
  const planned = plan.events.find(({ type }) => type === 'plan');
  assert.deepEqual(planned?.documentFields, ['id', 'name']);
  const estimates = planned?.estimates as readonly { readonly of: string; readonly bound: string }[];
  assert.deepEqual(
    estimates.map(({ of, bound }) => [of, bound]),
    [
      ['load', 'least'],
      ['verification', 'least'],
      ['disk', 'about'],
    ],
  );
  const dry = await runRealign(request('rebuild', alias, '--dry-run'));
  assert.deepEqual([dry.code, dry.events.map(({ type }) => type)], [0, ['version', 'plan', 'summary']]);
  await assertNoLeaks({ database, indices: [`${alias}*`] });
});

test('SIGTERM leaves a build that the same command resumes; no secret and no row value in any stream', async () => {
  const stopped = startRealign(request('rebuild', alias, '--rate', '100', '--log-level', 'trace'));
  await stopped.event('the load', ({ type, phase }) => type === 'phase.started' && phase === 'load');
  stopped.kill('SIGTERM');
  const first = await stopped.ended;
  assert.equal(first.code, 143, first.stderr);
  const error = first.events.find(({ type }) => type === 'error');
  assert.match(String(error?.unchanged), /Not swapped/);
  assert.match(String(error?.next), /realign rebuild .*\(resumes\)/);
  // What is typed next must reach the same servers.
  assert.match(String(error?.next), new RegExp(`realign abort ${alias} --config \\S+realign\\.yaml`));

  const status = await runRealign(request('status', alias));
  const generations = status.events.find(({ type }) => type === 'status')?.generations as
    | readonly { readonly build: string; readonly live: boolean }[]
    | undefined;
  const generation = generations?.[0];
  assert.equal(generation?.live, false);

  const second = await runRealign({ ...request('rebuild', alias, '--log-level', 'trace') });
  assert.equal(second.code, 0, second.stdout + second.stderr);
  const started = second.events.find(({ type }) => type === 'build.started');
  assert.deepEqual([started?.resumed, started?.build], [true, generation?.build]);
  assert.deepEqual([second.events[0]?.type, second.events.at(-1)?.type], ['version', 'summary']);
  for (const text of [first.stdout, first.stderr, second.stdout, second.stderr]) assert.doesNotMatch(text, /canary|row-value-/);
  await assertNoLeaks({ database, indices: [`${alias}*`], allowedIndices: await indicesLike(`${alias}*`) });
});

test('too many rejected rows: exit 25, the failed index stays until abort removes it', async () => {
  const settings = { number_of_replicas: 0 };
  await database.client.query(`create table public.odd (id bigint primary key, price numeric)`);
  await database.client.query(`insert into public.odd values (1, 1.5), (2, 'NaN')`);
  const odd = { ...request('rebuild', `${alias}_odd`), config: { indices: { [`${alias}_odd`]: { table: 'public.odd', settings } } } };
  const rebuilt = await runRealign(odd);
  assert.equal(rebuilt.code, 25, rebuilt.stdout);
  assert.match(String(rebuilt.events.find(({ type }) => type === 'error')?.unchanged), /Slot and publication are dropped/);
  const refused = await runRealign({ ...odd, args: ['abort', `${alias}_odd`] });
  assert.equal(refused.code, 64);
  const aborted = await runRealign({ ...odd, args: ['abort', `${alias}_odd`, '--yes'] });
  const removed = aborted.events.find(({ type }) => type === 'removed')?.names as readonly string[] | undefined;
  assert.deepEqual([aborted.code, removed?.length], [0, 1]);
  await assertNoLeaks({ database, indices: [`${alias}_odd*`] });
});

test('rows that Elasticsearch refuses: all are counted and written down, with the field in the reason and no empty column', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'realign-rejects-'));
  const name = `${alias}_when`;
  await database.client.query(`create table public.dated (id bigint primary key, day text)`);
  await database.client.query(`insert into public.dated select g, case when g < 5 then 'no day' else '2024-01-01' end from generate_series(1, 50) g`);
  const entry = { table: 'public.dated', settings: { number_of_replicas: 0 }, fields: { day: { type: 'date' } } };
  const path = join(folder, 'rejects.ndjson');
  const dated = { ...request('rebuild', name, '--rejects', path), config: { indices: { [name]: entry } } };
  const exit = await runRealign(dated);
  const error = exit.events.find(({ type }) => type === 'error');
  assert.deepEqual(
    [exit.code, error?.message],
    [25, '4 rows cannot be indexed and --max-rejects is 0; the last one: field day: document_parsing_exception (illegal_argument_exception)'],
  );
  assert.match(String(error?.unchanged), /Written: 4 records of this run in \S+rejects\.ndjson\.$/);
  const records = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const build = exit.events.find(({ type }) => type === 'build.started')?.build;
  assert.deepEqual(
    records.map((record) => [record.id, 'column' in record, record.build]),
    ['1', '2', '3', '4'].map((id) => [id, false, build]),
  );
  const human = await runRealign({ ...dated, args: ['rebuild', name, '--rejects', path], output: 'human' });
  assert.doesNotMatch(human.stderr, /column *=|column :|column *"/);
  rmSync(folder, { recursive: true });
  await runRealign({ ...dated, args: ['abort', name, '--yes'] });
  await assertNoLeaks({ database, indices: [`${name}*`] });
});

test('one index that fails does not keep the next from running; its code is the exit code', async () => {
  const both = { indices: { [`${alias}_none`]: { table: 'public.none' }, ...config.indices } };
  const exit = await runRealign({ ...request('rebuild', `${alias}_none`, alias), config: both });
  assert.equal(exit.code, 20, exit.stderr);
  const results = exit.events.at(-1)?.indices as readonly { readonly exit_code: number }[];
  assert.deepEqual(
    results.map((result) => result.exit_code),
    [20, 0],
  );
});

test('mistakes that only the table shows: all of them with their places, beside the findings; nothing is made', async () => {
  const entry = {
    table: 'public.things',
    columns: { include: '*', exclude: ['nmae', 'other'] },
    rename: { nam: 'title' },
    id: ['idd'],
    fields: { titel: { type: 'keyword' }, total: { sql: 'sum(id)' } },
    where: 'nme = 1',
  };
  const wrong = { ...request('check', alias), config: { indices: { [alias]: entry }, defaults: { limits: { query: 'select nothing()' } } } };
  const check = await runRealign(wrong);
  assert.equal(check.code, 64, check.stdout);
  const message = String(check.events.find(({ type }) => type === 'error')?.message);
  for (const part of [
    'columns.exclude: the table has no column "nmae"; did you mean "name"?',
    'columns.exclude: .*"other"',
    'rename: .*"nam"',
    'id: .*"idd"',
    'fields: .*"titel"',
  ]) {
    assert.match(message, new RegExp(`realign\\.yaml:\\d+:\\d+ {2}indices\\.${alias}\\.${part}`.replaceAll('?', '\\?')));
  }
  // Beside an id that the table has not there is nothing to say of its index; the mistake says it.
  const failed = check.events.filter(({ type, level }) => type === 'finding' && level === 'fail');
  assert.deepEqual(
    failed.map(({ code, place }) => [code, /realign\.yaml:\d+:\d+$/.test(String(place))]),
    [
      ['expression', true],
      ['expression', true],
      ['limits-query', true],
    ],
  );
  const rebuild = await runRealign({ ...wrong, args: ['rebuild', alias] });
  const error = rebuild.events.find(({ type }) => type === 'error');
  const withoutFolder = (text: unknown): string => String(text).replaceAll(/\S+(?=realign\.yaml)/g, '');
  assert.deepEqual([rebuild.code, withoutFolder(error?.message)], [64, withoutFolder(message)]);
  for (const part of [
    'limits\\.query cannot be used: function nothing\\(\\) does not exist',
    'where: column "nme" does not exist',
    'fields\\.total\\.sql: aggregate',
  ])
    assert.match(String(error?.hint), new RegExp(`Besides, postgres: \\S*realign\\.yaml:\\d+:\\d+ {2}${part}`));
});

test('a mapping that the server or the column refuses: exit 20 before anything is made, each field named', async () => {
  await database.client.query('create table public.priced (id bigint primary key, price money, name text, note text)');
  const fields = { price: { type: 'date' }, name: { type: 'txt' }, note: { type: 'text', analyzer: 'nope' } };
  const priced = { ...request('rebuild', `${alias}_priced`), config: { indices: { [`${alias}_priced`]: { table: 'public.priced', fields } } } };
  const rebuild = await runRealign(priced);
  assert.equal(rebuild.code, 20, rebuild.stdout);
  const message = String(rebuild.events.find(({ type }) => type === 'error')?.message);
  for (const part of [/field "price" is mapped as date, but column "price" is money/, /field "name": .*\{"type":"txt"\}/, /field "note": .*nope/])
    assert.match(message, part);
  assert.ok(!rebuild.events.some(({ type }) => type === 'build.started'));
  const check = await runRealign({ ...priced, args: ['check', `${alias}_priced`] });
  assert.deepEqual(
    [check.code, check.events.filter(({ level }) => level === 'fail').map(({ code }) => code)],
    [20, ['mapping', 'mapping', 'mapping-conflict']],
  );
  await assertNoLeaks({ database, indices: [`${alias}_priced*`] });
});

test('cleanup without a terminal and without --yes names what it would remove; rollback says what is wrong with --to', async () => {
  await runRealign(request('rebuild', alias));
  const refused = await runRealign(request('cleanup', alias, '--keep', '0'));
  const surplus = (await indicesLike(`${alias}-*`)).filter((name) => !name.startsWith(`${alias}_`));
  assert.equal(refused.code, 64, refused.stdout);
  const message = String(refused.events.find(({ type }) => type === 'error')?.message);
  assert.match(message, new RegExp(`${alias}: remove index ${alias}-\\w+-\\w+\\?`));
  assert.ok(!refused.events.some(({ type }) => type === 'removed'));
  assert.deepEqual(
    (await indicesLike(`${alias}-*`)).filter((name) => !name.startsWith(`${alias}_`)),
    surplus,
  );
  const rollback = await runRealign(request('rollback', alias, '--to', 'zzz', '--yes'));
  const error = rollback.events.find(({ type }) => type === 'error');
  assert.deepEqual([rollback.code, error?.message], [20, `${alias} has no generation named "zzz"`]);
  assert.match(String(error?.hint), new RegExp(`^Kept: ${alias}-`));
});

test('a wrong password is exit 27', async () => {
  const url = new URL(secretUrl);
  url.password = 'canary-wrong';
  const exit = await runRealign({ ...request('check', alias), databaseUrl: url.href });
  assert.equal(exit.code, 27);
  assert.doesNotMatch(exit.stdout + exit.stderr, /canary/);
});
