import assert from 'node:assert/strict';
import { isBulk } from '../support/http-fault-proxy.ts';
import type { RealignExit } from '../support/run-realign.ts';
import { elasticsearch, indicesLike } from '../support/servers.ts';
import { waitFor } from '../support/wait-for.ts';
import { type FaultWorld, faultTest, killAt } from './fault-world.ts';

const retried = ({ events }: RealignExit): readonly unknown[] => events.filter(({ type }) => type === 'retry').map(({ errorType }) => errorType);

const errorBody = (type: string, status: number): string =>
  JSON.stringify({ error: { type, reason: type, root_cause: [{ type, reason: type }] }, status });

const settings = async (index: string, body: unknown): Promise<void> => {
  const { status, text } = await elasticsearch('PUT', `/${index}/_settings`, body);
  assert.equal(status, 200, text);
};

faultTest(
  'F22 F23: values and ids that Elasticsearch refuses: exit 25, the rejects file names key, column and reason, the neighbours are there',
  async (world) => {
    await world.sql(`alter table t add column d timestamptz; update t set d = 'infinity' where id = 5; update t set d = '2024-01-01' where id <> 5`);
    const { text } = await world.assertStopped(await world.rebuild(), 25);
    assert.match(text, /column d/);
    const allowed = await world.rebuild({ flags: ['--max-rejects', '1'] });
    assert.equal(allowed.code, 0, allowed.stderr);
    assert.deepEqual(
      allowed.events.filter(({ type }) => type === 'rejected').map(({ id, column }) => [id, column]),
      [['5', 'd']],
    );
    const { json } = await elasticsearch('GET', `/${world.alias}/_count`);
    assert.equal(json.count, 1999);
  },
);

faultTest('F31: each bulk is delivered twice at the same time', async (world) => {
  world.http.decide = (call) => (isBulk(call) ? { kind: 'deliver-twice' } : undefined);
  world.points.at('load.finished', () => world.sql(`update t set v = 'late' where id < 300; delete from t where id > 1900`));
  await world.assertServed(await world.rebuild());
});

const LOST_ANSWERS = [
  ['F31: the answer of a bulk is lost after its delivery', { kind: 'drop-answer' }, /no_answer/],
  ['F45: a bulk is cut half way', { kind: 'cut-request' }, /no_answer/],
  ['F46: the answer is cut off', { kind: 'truncate-answer' }, /no_answer/],
  ['F46: a proxy answers 200 with HTML', { kind: 'replace-answer', body: '<html>welcome</html>' }, /unreadable_answer/],
  ['F46: a proxy answers 502 with HTML', { kind: 'respond', status: 502, body: '<html>bad gateway</html>', contentType: 'text/html' }, /http_502/],
  ['F46: an answer has fewer items than the bulk', { kind: 'replace-answer', body: '{"errors":false,"items":[]}' }, /unreadable_answer/],
  [
    'F40: a storm of whole-request 429',
    { kind: 'respond', status: 429, body: errorBody('es_rejected_execution_exception', 429) },
    /es_rejected_execution_exception/,
  ],
  [
    'F54: 503 during a rolling restart',
    { kind: 'respond', status: 503, body: errorBody('master_not_discovered_exception', 503) },
    /master_not_discovered_exception/,
  ],
] as const;

for (const [title, fault, reason] of LOST_ANSWERS) {
  faultTest(`${title}: the same bytes again, nothing counts as written that is not`, async (world) => {
    world.http.next(isBulk, fault, 3);
    world.points.at('load.finished', async () => {
      world.http.next(isBulk, fault, 2);
      await world.sql(`update t set v = 'late' where id < 300; delete from t where id > 1900`);
    });
    const exit = await world.rebuild();
    await world.assertServed(exit);
    const reasons = retried(exit);
    assert.ok(reasons.length >= 5, String(reasons));
    assert.match(String(reasons), reason);
  });
}

faultTest('F41: a disk block (flood stage) is waited for, with its reason, and the build goes on by itself when it is gone', async (world) => {
  world.points.at('chunk.opened', async () => settings(await world.generation(), { 'index.blocks.read_only_allow_delete': true }));
  const run = world.start();
  await run.event('the reason', (event) => event.type === 'retry' && event.errorType === 'cluster_block_exception');
  await settings(await world.generation(), { 'index.blocks.read_only_allow_delete': null });
  await world.assertServed(await run.ended);
});

faultTest('F41 F42: a block that stays: exit 75 after --stall-timeout with its name, and the same command resumes when it is gone', async (world) => {
  world.points.at('chunk.opened', async () => settings(await world.generation(), { 'index.blocks.write': true }));
  const { message } = await world.assertStopped(await world.rebuild({ flags: ['--stall-timeout', '2s'] }), 75);
  assert.match(message, /cluster_block_exception/);
  await settings(await world.generation(), { 'index.blocks.write': null });
  const exit = await world.rebuild();
  await world.assertServed(exit);
  assert.equal(exit.events.find(({ type }) => type === 'build.started')?.resumed, true);
});

const without = async (world: FaultWorld): Promise<void> => assert.deepEqual(await indicesLike(`${world.alias}*`), [world.old]);

faultTest('F47: the new index is deleted in the load: exit 1, and no later bulk or delete makes it again', async (world) => {
  world.points.at('chunk.opened', async () => void (await elasticsearch('DELETE', `/${await world.generation()}`)));
  const { kind } = await world.assertStopped(await world.rebuild(), 1);
  assert.equal(kind, 'target-vanished');
  await without(world);
});

faultTest('F47: the new index is deleted while deletes are replayed: exit 1, nothing is made again', async (world) => {
  world.points.at('load.finished', async () => {
    await elasticsearch('DELETE', `/${await world.generation()}`);
    await world.sql('delete from t where id < 100');
  });
  const { kind } = await world.assertStopped(await world.rebuild(), 1);
  assert.equal(kind, 'target-vanished');
  await without(world);
});

faultTest('F47: the new index is closed: exit 1, named', async (world) => {
  world.points.at('chunk.opened', async () => void (await elasticsearch('POST', `/${await world.generation()}/_close`)));
  const { kind } = await world.assertStopped(await world.rebuild(), 1);
  assert.equal(kind, 'target-vanished');
});

faultTest('F54: 401 in the load: exit 27 at once, the same command resumes after fixing', async (world) => {
  world.http.next(isBulk, { kind: 'respond', status: 401, body: errorBody('security_exception', 401) }, 1000);
  const exit = await world.rebuild();
  await world.assertStopped(exit, 27);
  assert.ok(retried(exit).length === 0);
});

faultTest('F54: 403 in the load: exit 27 at once; the next run finishes the build', async (world) => {
  world.http.next(isBulk, { kind: 'respond', status: 403, body: errorBody('security_exception', 403) });
  await world.assertStopped(await world.rebuild(), 27);
  const exit = await world.rebuild();
  await world.assertServed(exit);
  assert.equal(exit.events.find(({ type }) => type === 'build.started')?.resumed, true);
});

faultTest('F52: a template that would change the new index is refused before anything is made', async (world) => {
  const template = `${world.alias}-template`;
  await elasticsearch('PUT', `/_index_template/${template}`, {
    index_patterns: [`${world.alias}-*`],
    priority: 500,
    template: {
      settings: { 'index.default_pipeline': 'no-such-pipeline' },
      mappings: { properties: { v: { type: 'text' }, extra: { type: 'keyword' } } },
    },
  });
  try {
    await world.assertStopped(await world.rebuild(), 20);
    await without(world);
  } finally {
    await elasticsearch('DELETE', `/_index_template/${template}`);
  }
});

faultTest('F32: a bulk of a killed process arrives late, when its tombstones are gone: the resume has waited for it', async (world) => {
  await killAt(world, 'bulk.sent', 2).run();
  await world.sql('delete from t where id < 1000');
  await world.assertServed(await world.rebuild());
});

faultTest('the connection to Elasticsearch is cut at any other call: the build is resumable, never half-done', async (world) => {
  let calls = 0;
  // Each run gets some calls further than the one before; `GET /` is the first of them.
  for (let limit = 3; limit < 400; limit = Math.ceil(limit * 1.4)) {
    calls = 0;
    world.http.decide = (call) => (!isBulk(call) && ++calls === limit ? { kind: 'refuse' } : undefined);
    const exit = await world.rebuild();
    if (exit.code === 0) return await world.assertServed(exit);
    assert.ok(
      [1, 23].every((code) => code !== exit.code),
      `call ${limit}: exit ${exit.code} ${exit.stdout.slice(-1500)}`,
    );
    await waitFor(
      'the lock to be free',
      async () =>
        (
          await world.sql(
            `select 1 from pg_locks where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())`,
          )
        ).length === 0,
    );
  }
  world.http.decide = () => undefined;
  await world.assertServed(await world.rebuild());
});
