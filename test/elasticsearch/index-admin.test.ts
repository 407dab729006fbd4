import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { Failure, type FailureKind } from '../../src/core/failure.ts';
import type { BuildState } from '../../src/core/plan/build-state.ts';
import { elasticsearch, indicesLike, uniqueName } from '../support/servers.ts';
import { bulkOf, requestOf, stateOf, type TestSink, testSink } from './fixture.ts';

let sink: TestSink;
let prefix: string;
let clean: () => Promise<void>;
let alias: string;

before(async () => {
  ({ sink, alias: prefix, clean } = await testSink());
});
after(() => clean());
beforeEach(() => {
  alias = `${prefix}-${uniqueName('a')}`;
});

function isKind(kind: FailureKind): (error: unknown) => boolean {
  return (error) => error instanceof Failure && error.kind === kind && error.hint !== undefined;
}

async function settingsOf(index: string): Promise<{ readonly [name: string]: string }> {
  return (await elasticsearch('GET', `/${index}/_settings?flat_settings=true`)).json[index].settings;
}

/** A legacy or composable template for the time of `action`; nothing else on this server may match it. */
async function withTemplate<T>(kind: '_template' | '_index_template', body: object, action: () => Promise<T>): Promise<T> {
  const path = `/${kind}/${alias}`;
  const made = await elasticsearch('PUT', path, {
    index_patterns: [`${alias}-*`],
    ...(kind === '_template' ? body : { priority: 900, template: body }),
  });
  assert.equal(made.status, 200, made.text);
  try {
    return await action();
  } finally {
    await elasticsearch('DELETE', path);
  }
}

test('the index is made for loading, with hidden build alias and state; again is the same', async () => {
  const request = requestOf(alias, 'b001');
  const { uuid } = await sink.createIndex({ ...request, settings: { number_of_replicas: 1, refresh_interval: '5s', number_of_shards: 2 } });
  const settings = await settingsOf(request.index);
  assert.equal(settings['index.number_of_replicas'], '0');
  assert.equal(settings['index.number_of_shards'], '2');
  assert.equal(settings['index.refresh_interval'], '-1');
  assert.equal(settings['index.gc_deletes'], '12h');
  assert.equal(settings['index.mapping.coerce'], 'false');
  assert.deepEqual(await sink.readAlias(request.buildAlias), { kind: 'alias', indices: new Map([[request.index, { is_hidden: true }]]) });
  assert.equal(await sink.indexUuid(request.index), uuid);
  assert.deepEqual(await sink.createIndex({ ...request, settings: { number_of_replicas: 1, refresh_interval: '5s', number_of_shards: 2 } }), {
    uuid,
  });
});

test('an index of that name that is not of this build is not taken over', async () => {
  const request = requestOf(alias, 'b001');
  await elasticsearch('PUT', `/${request.index}`, {});
  await assert.rejects(sink.createIndex(request), isKind('preflight-refused'));
  await assert.rejects(sink.createIndex({ ...request, buildAlias: `${alias}-build` }), TypeError);
});

test('a mapping that the server does not know is refused with its reason', async () => {
  const request = { ...requestOf(alias, 'b001'), mapping: { properties: { a: { type: 'text', analyzer: 'nowhere' } } } };
  await assert.rejects(sink.createIndex(request), (error) => isKind('preflight-refused')(error) && /nowhere/.test((error as Failure).message));
});

test('the state is written whole and found again, newest generation first', async () => {
  const [older, newest] = [requestOf(alias, 'b001').index, requestOf(alias, 'b002').index];
  for (const build of ['b001', 'b002']) await sink.createIndex(requestOf(alias, build));
  const newer: BuildState = { ...stateOf(alias, 'b002'), phase: 'finished', startedAt: '2026-11-30T00:00:00.000Z', rejectedIds: ['é"1'] };
  await sink.writeState(newest, newer);
  await sink.swap({ alias, to: older, from: null, properties: {}, adopt: false });
  const found = await sink.generations(alias);
  assert.deepEqual(
    found.map(({ index }) => index),
    [newest, older],
  );
  assert.deepEqual(found[0]?.state, newer);
  assert.equal(found[0]?.uuid, await sink.indexUuid(newest));
  assert.deepEqual([...(found[1]?.aliases ?? [])].sort(), [requestOf(alias, 'b001').buildAlias, alias].sort());
  assert.ok((await sink.ourIndices()).generations.some(({ index }) => index === older));
  assert.deepEqual(await sink.generations(`${alias}-none`), []);
});

test('a state of a newer version stops what concerns its alias, and nothing else', async () => {
  const other = requestOf(`${alias}-other`, 'b002').index;
  await elasticsearch('PUT', `/${alias}-1`, { mappings: { _meta: { realign: { ...stateOf(alias, 'b001'), format: 99 } } } });
  await elasticsearch('PUT', `/${other}`, { mappings: { _meta: { realign: { ...stateOf(`${alias}-other`, 'b002') } } } });
  await assert.rejects(sink.generations(alias), isKind('state-unknown'));
  assert.deepEqual(await sink.generations(`${alias}-none`), []);
  const all = (await sink.ourIndices()).generations.map(({ index }) => index).filter((index) => index.startsWith(alias));
  assert.deepEqual(all, [other]);
  const unreadable = (await sink.ourIndices()).unreadable.filter(({ index }) => index.startsWith(alias));
  assert.deepEqual(unreadable, [{ index: `${alias}-1`, alias, slot: stateOf(alias, 'b001').slot, format: '99' }]);
  await elasticsearch('DELETE', `/${other}`);
  await elasticsearch('DELETE', `/${alias}-1`);
});

test('a template that attaches the live alias is seen before and refused after', async () => {
  for (const kind of ['_template', '_index_template'] as const) {
    await withTemplate(kind, { aliases: { [alias]: {} } }, async () => {
      const request = requestOf(alias, 'b001');
      const findings = await sink.preflight({ alias, index: request.index, settings: {}, adopt: false, sourceBytes: 0 });
      assert.deepEqual(
        findings.filter(({ level }) => level === 'fail').map(({ code }) => code),
        ['template-aliases'],
      );
      await assert.rejects(sink.createIndex(request), isKind('preflight-refused'));
      assert.deepEqual(await indicesLike(`${alias}*`), []);
      assert.deepEqual(await sink.readAlias(alias), { kind: 'none' });
    });
  }
});

test('a template that adds fields is refused', async () => {
  await withTemplate('_index_template', { mappings: { properties: { extra: { type: 'ip' } } } }, async () => {
    await assert.rejects(
      sink.createIndex(requestOf(alias, 'b001')),
      (error) => isKind('preflight-refused')(error) && /field extra was added/.test((error as Failure).message),
    );
    assert.deepEqual(await indicesLike(`${alias}*`), []);
  });
});

test('settings of a template lose against those of the build, null included', async () => {
  const template = {
    settings: { number_of_replicas: 3, refresh_interval: '7s', final_pipeline: 'nowhere', default_pipeline: 'nowhere', auto_expand_replicas: '0-1' },
  };
  await withTemplate('_index_template', template, async () => {
    const request = { ...requestOf(alias, 'b001'), settings: { number_of_replicas: 0, default_pipeline: null } };
    const findings = await sink.preflight({ alias, index: request.index, settings: request.settings, adopt: false, sourceBytes: 0 });
    assert.deepEqual(
      findings
        .filter(({ level }) => level === 'warn')
        .map(({ code }) => code)
        .sort(),
      ['template-pipeline', 'template-settings', 'template-settings'],
    );
    await sink.createIndex(request);
    await sink.bulk(request.buildAlias, bulkOf([['1', 8n, '{"n":1}']]));
    await sink.restoreSettings(request.index, request.settings);
    await sink.finishSettings(request.index, request.settings);
    const settings = await settingsOf(request.index);
    assert.equal(settings['index.number_of_replicas'], '0');
    assert.equal(settings['index.refresh_interval'], undefined);
    assert.equal(settings['index.final_pipeline'], '_none');
    assert.equal(settings['index.default_pipeline'], null);
    assert.equal(settings['index.gc_deletes'], undefined);
  });
});

test('wanted settings come back explicitly; deletes are remembered until the end', async () => {
  const request = requestOf(alias, 'b001');
  const wanted = { number_of_replicas: 0, refresh_interval: '30s', gc_deletes: '90s', index: { translog: { durability: 'async' } } };
  await sink.createIndex({ ...request, settings: wanted });
  await sink.restoreSettings(request.index, wanted);
  let settings = await settingsOf(request.index);
  assert.equal(settings['index.refresh_interval'], '30s');
  assert.equal(settings['index.gc_deletes'], '12h');
  assert.equal(settings['index.translog.durability'], 'request');
  await sink.finishSettings(request.index, wanted);
  settings = await settingsOf(request.index);
  assert.equal(settings['index.gc_deletes'], '90s');
  assert.equal(settings['index.translog.durability'], 'async');
  assert.deepEqual(await sink.readSettings(request.index), { number_of_shards: '1', number_of_replicas: '0', refresh_interval: '30s' });
});

test('health: green without replicas, never green with one on a single node, gone is gone', async () => {
  const request = requestOf(alias, 'b001');
  await sink.createIndex(request);
  assert.equal(await sink.waitForHealth(request.index, 'green', 10_000), true);
  if ((await sink.identity()).dataNodes === 1) {
    await sink.restoreSettings(request.index, { number_of_replicas: 1 });
    assert.equal(await sink.waitForHealth(request.index, 'green', 300), false);
    assert.equal(await sink.waitForHealth(request.index, 'yellow', 10_000), true);
    await sink.refresh(request.index);
  }
  await assert.rejects(sink.waitForHealth(`${alias}-gone`, 'green', 200), isKind('target-vanished'));
});

test('an index is deleted by name and UUID, only if it is ours and serves nobody', async () => {
  const request = requestOf(alias, 'b001');
  const { uuid } = await sink.createIndex(request);
  await assert.rejects(sink.deleteIndex(request.index, 'another'), isKind('sink-refused'));
  await sink.swap({ alias, to: request.index, from: null, properties: {}, adopt: false });
  await assert.rejects(sink.deleteIndex(request.index, uuid), isKind('alias-changed'));
  await sink.removeBuildAlias(request.index, alias);
  await sink.deleteIndex(request.index, uuid);
  await sink.deleteIndex(request.index, uuid);
  assert.equal(await sink.indexUuid(request.index), null);
  await elasticsearch('PUT', `/${alias}-foreign`, {});
  await assert.rejects(sink.deleteIndex(`${alias}-foreign`, (await sink.indexUuid(`${alias}-foreign`)) ?? ''), isKind('sink-refused'));
});

test('an alias has no UUID and cannot be deleted as an index', async () => {
  const request = requestOf(alias, 'b001');
  const { uuid } = await sink.createIndex(request);
  assert.equal(await sink.indexUuid(request.buildAlias), null);
  await sink.deleteIndex(request.buildAlias, uuid);
  assert.equal(await sink.indexUuid(request.index), uuid);
});

test('preflight: legal names, alias on one index, adoption only when asked', async () => {
  const codes = async (more: object, level: string): Promise<readonly string[]> => {
    const findings = await sink.preflight({
      alias,
      index: `${alias}-1`,
      settings: { number_of_replicas: 0 },
      adopt: false,
      sourceBytes: 1 << 20,
      ...more,
    });
    for (const finding of findings) assert.ok(finding.level === 'ok' || (finding.fix ?? '') !== '', finding.code);
    return findings.filter((finding) => finding.level === level).map(({ code }) => code);
  };
  assert.deepEqual(await codes({}, 'fail'), []);
  assert.deepEqual(await codes({ alias: '_bad', index: 'Bad' }, 'fail'), ['alias-name', 'index-name']);
  assert.deepEqual(await codes({ settings: { number_of_replicas: 99 } }, 'warn'), ['reachable-replicas']);
  assert.deepEqual(await codes({ settings: { number_of_replicas: 0, number_of_shards: 100_000 } }, 'fail'), ['shards-limit']);
  assert.deepEqual(await codes({ sourceBytes: 2 ** 60 }, 'warn'), ['disk']);
  await elasticsearch('PUT', `/${alias}`, {});
  assert.deepEqual(await codes({}, 'fail'), ['concrete-index']);
  assert.deepEqual(await codes({ adopt: true }, 'warn'), ['alias-state']);
  await elasticsearch('DELETE', `/${alias}`);
  for (const name of ['x', 'y']) await elasticsearch('PUT', `/${alias}-${name}`, { aliases: { [alias]: {} } });
  assert.deepEqual(await codes({}, 'fail'), ['alias-state']);
});

test('preflight: a template for data streams only', async () => {
  const body = { index_patterns: [`${alias}-*`], priority: 900, data_stream: {} };
  assert.equal((await elasticsearch('PUT', `/_index_template/${alias}`, body)).status, 200);
  try {
    const findings = await sink.preflight({ alias, index: `${alias}-1`, settings: { number_of_replicas: 0 }, adopt: false, sourceBytes: 0 });
    assert.deepEqual(
      findings.filter(({ level }) => level === 'fail').map(({ code }) => code),
      ['template-data-stream'],
    );
  } finally {
    await elasticsearch('DELETE', `/_index_template/${alias}`);
  }
});
