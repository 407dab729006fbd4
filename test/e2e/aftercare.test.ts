import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Ajv } from 'ajv';
import { assertNoLeaks } from '../support/leak-check.ts';
import { assertWellFormed } from '../support/markup-check.ts';
import { assertGoodMetrics, sampleValue } from '../support/metrics-check.ts';
import { type RealignExit, runRealign } from '../support/run-realign.ts';
import { deleteIndicesLike, elasticsearch, type FreshDatabase, freshDatabase, indicesLike, uniqueName } from '../support/servers.ts';
import { waitFor } from '../support/wait-for.ts';

const PROJECT = join(import.meta.dirname, '..', '..', '..');

interface Post {
  readonly path: string;
  readonly headers: { readonly [name: string]: unknown };
  readonly body: string;
}

/** Takes notices and metrics; below `/silent` it never answers. */
function openReceiver(posts: Post[]) {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      posts.push({ path: request.url ?? '', headers: request.headers, body });
      if (!(request.url ?? '').startsWith('/silent')) response.writeHead(200).end();
    });
  });
  return new Promise<{ readonly url: string; close(): void }>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      resolve({ url: `http://127.0.0.1:${port}`, close: () => void server.close().closeAllConnections() });
    });
  });
}

/** Gone, or dead and only not yet fetched by its parent. */
function hasEnded(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return true;
  }
}

/** What a run tells of itself besides its output, seen by those who read it: files, a scraper, a chat, a hook. */
describe('reports, metrics, notices and hooks of a rebuild', () => {
  const folder = mkdtempSync(join(tmpdir(), 'realign-aftercare-'));
  const posts: Post[] = [];
  const alias = uniqueName('care').replaceAll('_', '-');
  const textfile = join(folder, 'realign.prom');
  let database: FreshDatabase;
  let receiver: Awaited<ReturnType<typeof openReceiver>>;

  before(async () => {
    database = await freshDatabase();
    receiver = await openReceiver(posts);
    await database.client.query(`create table goods (id bigint primary key, name text not null);
      insert into goods select i, 'name ' || i from generate_series(1, 3000) i`);
    writeFileSync(join(folder, 'secret'), 'notice-canary\n');
  });

  after(async () => {
    receiver.close();
    await deleteIndicesLike(`${alias}*`);
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  const hook = (script: string): string => {
    const path = join(folder, `hook-${readdirSync(folder).length}.sh`);
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    return path;
  };

  const rebuild = (hooks: { readonly [key: string]: unknown }, ...flags: readonly string[]): Promise<RealignExit> => {
    const config = { indices: { [alias]: { table: 'public.goods', settings: { number_of_replicas: 0 } } }, hooks, metrics: { textfile } };
    return runRealign({ args: ['rebuild', alias, ...flags], config, databaseUrl: database.url });
  };
  const report = (directory: string) => JSON.parse(readFileSync(join(folder, directory, 'report.json'), 'utf8'));
  const metric = (name: string) => sampleValue(readFileSync(textfile, 'utf8'), `${name}{alias="${alias}"}`);
  const served = async (): Promise<readonly string[]> => Object.keys((await elasticsearch('GET', `/_alias/${alias}`)).json ?? {});

  it('a success: the hook is asked with the proof, the report is complete, metrics and the signed notice arrive', async () => {
    const beforeSwap = hook(`env | grep ^REALIGN_ > ${join(folder, 'asked')}; echo hook says hello`);
    const webhook = { url: `${receiver.url}/hooks/secret-path-canary`, on: ['succeeded'], secretFile: join(folder, 'secret') };
    const exit = await rebuild({ beforeSwap, webhook }, '--report', join(folder, 'good'), '--pushgateway', receiver.url);
    assert.equal(exit.code, 0, exit.stderr);
    assert.match(exit.stderr, /hook says hello/);
    const asked = Object.fromEntries(
      readFileSync(join(folder, 'asked'), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => line.split('=', 2)),
    );
    const [generation] = await served();
    assert.deepEqual([asked.REALIGN_INDEX, asked.REALIGN_GENERATION, asked.REALIGN_PREVIOUS], [alias, generation, '']);
    assert.deepEqual([asked.REALIGN_ROWS, asked.REALIGN_DOCUMENTS, asked.REALIGN_TABLE], ['3000', '3000', 'public.goods']);

    assert.deepEqual(readdirSync(join(folder, 'good')).sort(), ['index.html', 'junit.xml', 'report.json', 'summary.md']);
    const schema = JSON.parse(readFileSync(join(PROJECT, 'schema', 'report.v1.json'), 'utf8'));
    const validate = new Ajv({ strict: false, formats: { 'date-time': true } }).compile(schema);
    assert.ok(validate(report('good')), JSON.stringify(validate.errors));
    const [run] = report('good').runs;
    assert.deepEqual([run.result, run.verification.rows, run.verification.partitionsEqual, run.swap.to], ['succeeded', 3000, 1024, generation]);
    assert.match(run.versions.postgres, /^\d\d\.\d+$/);
    assertWellFormed(readFileSync(join(folder, 'good', 'index.html'), 'utf8').replace('<!doctype html>', ''), new Set(['style']));

    assertGoodMetrics(readFileSync(textfile, 'utf8'));
    assert.equal(metric('realign_last_run_exit_code'), 0);
    const notice = posts.find(({ path }) => path.startsWith('/hooks/'));
    assert.match(JSON.parse(notice?.body ?? '{}').text, /Verified and swapped, 3,000 rows/);
    const signature = createHmac('sha256', 'notice-canary').update(`${notice?.headers['realign-timestamp']}.${notice?.body}`).digest('hex');
    assert.equal(notice?.headers['realign-signature'], `v1=${signature}`);
    assert.ok(posts.some(({ path, body }) => path.startsWith('/metrics/job/realign/') && body.includes('realign_last_success_timestamp_seconds')));
  });

  it('a veto: exit 22, nothing is swapped, everybody is told; when the hook agrees the same command resumes', async () => {
    const [live] = await served();
    const successAt = metric('realign_last_success_timestamp_seconds');
    const webhook = { url: `${receiver.url}/hooks/secret-path-canary` };
    const vetoed = await rebuild({ beforeSwap: hook('exit 3'), webhook }, '--report', join(folder, 'veto'));
    assert.equal(vetoed.code, 22, vetoed.stderr);
    assert.deepEqual(await served(), [live]);
    assert.equal(
      vetoed.events.some(({ type, phase }) => type === 'phase.started' && phase === 'swap'),
      false,
    );
    assert.match(String(vetoed.events.find(({ type }) => type === 'error')?.unchanged), /Not swapped/);
    const phases = readFileSync(join(folder, 'veto', 'junit.xml'), 'utf8');
    assert.doesNotMatch(phases, /name="phase swap"/);
    assert.deepEqual([report('veto').exitCode, report('veto').runs[0].failure.kind], [22, 'swap-vetoed']);
    assert.match(readFileSync(join(folder, 'veto', 'summary.md'), 'utf8'), /Not swapped: vetoed/);
    assert.match(readFileSync(join(folder, 'veto', 'junit.xml'), 'utf8'), /<error type="swap-vetoed"/);
    assert.equal(JSON.parse(posts.at(-1)?.body ?? '{}').event, 'failed');
    assert.deepEqual([metric('realign_last_run_exit_code'), metric('realign_last_success_timestamp_seconds')], [22, successAt]);

    const resumed = await rebuild({ beforeSwap: hook('test -n "$REALIGN_PREVIOUS"') });
    assert.equal(resumed.code, 0, resumed.stderr);
    assert.equal(resumed.events.find(({ type }) => type === 'build.started')?.resumed, true);
    assert.notDeepEqual(await served(), [live]);
    assert.ok((metric('realign_last_success_timestamp_seconds') ?? 0) > (successAt ?? 0));
  });

  it('a hook that hangs is ended with all it started, and is a veto', async () => {
    const started = performance.now();
    const exit = await rebuild({ beforeSwap: hook(`sleep 600 & echo $! > ${join(folder, 'child')}; wait`), beforeSwapTimeout: '500ms' });
    assert.equal(exit.code, 22, exit.stderr);
    assert.match(JSON.stringify(exit.events.find(({ type }) => type === 'error')), /not done after 0\.5s/);
    assert.ok(performance.now() - started < 60_000);
    const child = readFileSync(join(folder, 'child'), 'utf8').trim();
    await waitFor('the end of what the hook has started', () => hasEnded(child));
  });

  it('whatever cannot be told is a warning and never the end of a run', async () => {
    writeFileSync(join(folder, 'file'), '');
    const webhook = { url: `${receiver.url}/silent/secret-path-canary`, on: ['succeeded'] };
    const exit = await rebuild(
      { webhook },
      '--report',
      join(folder, 'file', 'x'),
      '--metrics-textfile',
      join(folder, 'no', 'dir.prom'),
      '--pushgateway',
      'http://127.0.0.1:1',
    );
    assert.equal(exit.code, 0, exit.stderr);
    const codes = new Set(exit.events.filter(({ type }) => type === 'warning').map(({ code }) => code));
    for (const code of ['report-unwritable', 'metrics-unwritable', 'metrics-not-pushed', 'notice-not-sent']) assert.ok(codes.has(code), code);
    assert.equal(exit.events.at(-1)?.type, 'summary');
    assert.doesNotMatch(exit.stdout + exit.stderr, /canary/);
  });

  it('a hook that cannot be run is found before anything is made', async () => {
    const path = join(folder, 'not-executable');
    writeFileSync(path, '#!/bin/sh\n');
    const before = await indicesLike(`${alias}*`);
    const exit = await rebuild({ beforeSwap: path }, '--report', join(folder, 'early'));
    assert.equal(exit.code, 64, exit.stderr);
    assert.deepEqual(await indicesLike(`${alias}*`), before);
    assert.equal(report('early').exitCode, 64);
    assert.equal(metric('realign_last_run_exit_code'), 64);
    await assertNoLeaks({ database, indices: [`${alias}*`], allowedIndices: before });
  });
});
