import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../../src/core/failure.ts';
import { mappingDifferences } from '../../../src/elasticsearch/created-index.ts';
import { failureOf, failureOfTransport, serverError } from '../../../src/elasticsearch/error-kinds.ts';
import { judgeDisks } from '../../../src/elasticsearch/preflight/disk.ts';
import { matchesPattern, nameProblem } from '../../../src/elasticsearch/preflight/names.ts';
import { judgeTemplate } from '../../../src/elasticsearch/preflight/template.ts';
import { flattenSettings, loadSettings, settingsThatDiffer } from '../../../src/elasticsearch/settings.ts';
import { parseState } from '../../../src/elasticsearch/state.ts';

test('error answers are judged by type first, status second', () => {
  const kindOf = (status: number, type: string | null): string =>
    failureOf(serverError(status, type === null ? '<html>' : `{"error":{"type":"${type}"},"status":${status}}`), 'x', false).kind;
  assert.equal(kindOf(429, 'es_rejected_execution_exception'), 'sink-overloaded');
  assert.equal(kindOf(429, 'cluster_block_exception'), 'sink-blocked');
  assert.equal(kindOf(403, 'cluster_block_exception'), 'sink-blocked');
  assert.equal(kindOf(403, 'security_exception'), 'denied');
  assert.equal(kindOf(401, null), 'denied');
  assert.equal(kindOf(502, null), 'sink-overloaded');
  assert.equal(kindOf(404, 'index_not_found_exception'), 'target-vanished');
  assert.equal(kindOf(400, 'mapper_parsing_exception'), 'sink-refused');
  assert.equal(kindOf(400, 'search_phase_execution_exception'), 'sink-refused');
  assert.equal(kindOf(503, 'search_phase_execution_exception'), 'sink-overloaded');
  const expired = '{"error":{"type":"search_phase_execution_exception","root_cause":[{"type":"search_context_missing_exception"}]}}';
  assert.equal(failureOf(serverError(404, expired), 'x', false).kind, 'stalled');
  assert.equal(serverError(404, '{"error":"no handler found"}').type, 'http 404');
});

test('reasons are quoted only on request, and a bug stays a bug', () => {
  const error = serverError(400, '{"error":{"type":"t","reason":"value secret"}}');
  assert.doesNotMatch(failureOf(error, 'x', false).message, /secret/);
  assert.match(failureOf(error, 'x', true).message, /secret/);
  const bug = new TypeError('bug');
  assert.equal(failureOfTransport(bug, 'x'), bug);
});

test('all spellings of settings are one', () => {
  const flat = { 'index.number_of_replicas': 2, 'index.analysis.filter.f.words': ['a', 'b'] };
  assert.deepEqual(flattenSettings({ index: { number_of_replicas: 2, analysis: { filter: { f: { words: ['a', 'b'] } } } } }), flat);
  assert.deepEqual(flattenSettings({ number_of_replicas: 2, 'index.analysis.filter': { f: { words: ['a', 'b'] } } }), flat);
});

test('load-time settings win over wanted ones, coerce only if nobody asked', () => {
  const load = loadSettings({ number_of_replicas: 2, refresh_interval: '1s', mapping: { coerce: true } });
  assert.equal(load['index.number_of_replicas'], 0);
  assert.equal(load['index.refresh_interval'], '-1');
  assert.equal(load['index.translog.durability'], 'request');
  assert.equal(load['index.mapping.coerce'], true);
  assert.equal(loadSettings({})['index.mapping.coerce'], false);
});

test('settings compare as text, null as absent', () => {
  assert.deepEqual(settingsThatDiffer({ a: 3, b: null, c: ['x'], d: false }, { a: '3', c: ['x'], d: 'false', e: '1' }), []);
  assert.deepEqual(settingsThatDiffer({ a: 3, b: null }, { a: '1', b: 'x' }), ['a', 'b']);
});

test('a mapping differs by added, missing and retyped fields, not by defaults', () => {
  const asked = {
    dynamic: 'strict',
    properties: { a: { type: 'keyword' }, 'b.c': { type: 'long' }, t: { type: 'text', fields: { k: { type: 'keyword' } } } },
  };
  const same = {
    dynamic: 'strict',
    _meta: { realign: {} },
    properties: { a: { type: 'keyword', ignore_above: 5 }, b: { properties: { c: { type: 'long' } } }, t: asked.properties.t },
  };
  assert.deepEqual(mappingDifferences(asked, same), []);
  assert.deepEqual(mappingDifferences(asked, { ...same, properties: { ...same.properties, x: { type: 'ip' } } }), ['field x was added']);
  const runtime = { r: { type: 'long', script: { source: 's' } } };
  assert.deepEqual(
    mappingDifferences({ ...asked, runtime }, { ...same, runtime: { r: { type: 'long', script: { source: 's', lang: 'painless' } } } }),
    [],
  );
  assert.deepEqual(mappingDifferences(asked, { ...same, runtime }), ['runtime is not what was asked']);
  assert.deepEqual(mappingDifferences(asked, { ...same, dynamic: 'true' }), ['dynamic is not what was asked']);
  assert.deepEqual(mappingDifferences(asked, { ...same, _source: { enabled: false } }), ['_source is not what was asked']);
  assert.deepEqual(mappingDifferences(asked, { ...same, properties: { ...same.properties, a: { type: 'text' } } }), [
    'field a is text in place of keyword',
  ]);
});

test('names', () => {
  assert.equal(nameProblem('products-2026', 'index'), null);
  assert.equal(nameProblem('Products', 'alias'), null);
  for (const bad of ['', '.', '_x', '-x', '+x', 'a b', 'a,b', 'a*', 'a#b', 'a:b', 'a/b', 'é'.repeat(128)])
    assert.notEqual(nameProblem(bad, 'alias'), null, bad);
  assert.notEqual(nameProblem('Products', 'index'), null);
  assert.ok(matchesPattern('prod*-x*', 'products-x1'));
  assert.ok(!matchesPattern('prod.cts*', 'products'));
  assert.ok(matchesPattern('*', 'anything'));
});

test('disks are judged by their watermarks, as shares, ratios or amounts', () => {
  const disk = (availableGiB: number): { totalBytes: number; availableBytes: number } => ({
    totalBytes: 100 * 2 ** 30,
    availableBytes: availableGiB * 2 ** 30,
  });
  const percent = { 'cluster.routing.allocation.disk.watermark.low': '85%', 'cluster.routing.allocation.disk.watermark.high': '0.90' };
  assert.equal(judgeDisks([disk(50)], percent, 2 ** 30).level, 'ok');
  assert.equal(judgeDisks([disk(16)], percent, 2 * 2 ** 30).level, 'warn');
  assert.equal(judgeDisks([disk(9)], percent, 0).level, 'fail');
  assert.equal(judgeDisks([disk(9), disk(50)], percent, 0).level, 'ok');
  const amount = { 'cluster.routing.allocation.disk.watermark.low': '600mb', 'cluster.routing.allocation.disk.watermark.high': '500mb' };
  assert.equal(judgeDisks([disk(9)], amount, 2 ** 30).level, 'ok');
});

test('a state of another format is not guessed at', () => {
  for (const value of [undefined, {}, { format: 2, build: 'b', alias: 'a', startedAt: 'x' }]) {
    assert.throws(
      () => parseState(value, 'i'),
      (error) => error instanceof Failure && error.kind === 'state-unknown',
    );
  }
});

test('a lifecycle policy of a template is refused unless the config names the setting', () => {
  const judge = (settings: object): readonly string[] => {
    const request = { alias: 'a', index: 'a-1-b', settings: { ...settings }, adopt: false, sourceBytes: 0 };
    return judgeTemplate(request, 't', { settings: { index: { lifecycle: { name: 'delete-30d' } } } }).map(({ level, code }) => `${level} ${code}`);
  };
  assert.deepEqual(judge({}), ['fail template-lifecycle']);
  assert.deepEqual(judge({ 'lifecycle.name': null }), ['ok templates']);
  assert.deepEqual(judge({ index: { lifecycle: { name: 'mine' } } }), ['ok templates']);
});
