import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openSink } from '../../src/elasticsearch/sink.ts';
import type { Sink } from '../../src/phases/sink-ports.ts';
import { elasticsearch, elasticsearchUrl, indicesLike, uniqueName } from '../support/servers.ts';

let sink: Sink & { close(): Promise<void> };
const alias = uniqueName('body');

before(async () => {
  sink = await openSink({ nodes: [elasticsearchUrl()], auth: null, rejectUnauthorized: true, requestTimeoutMs: 30_000 });
});
after(() => sink.close());

async function refusals(
  mapping: { readonly [key: string]: unknown },
  settings: { readonly [name: string]: unknown } = {},
): Promise<readonly string[]> {
  const index = `${alias}-19700101t000000-zzzz`;
  const findings = await sink.preflight({ alias, index, settings: { number_of_replicas: 0, ...settings }, adopt: false, sourceBytes: 0, mapping });
  const mine = findings.filter(({ code, level }) => level === 'fail' && (code === 'mapping' || code === 'settings'));
  for (const { fix } of mine) assert.match(fix ?? '', /^Correct /);
  return mine.map(({ code, message }) => `${code}: ${message}`);
}

test('each field that the server refuses is named, with what was written and why; nothing is made', async () => {
  const properties = { good: { type: 'long' }, also: { type: 'alias', path: 'good' }, a: { type: 'txt' }, b: { type: 'text', analyzer: 'nope' } };
  const found = await refusals({ dynamic: 'strict', properties });
  assert.deepEqual(
    found.map((text) => text.split(':')[1]?.trim()),
    ['field "a"', 'field "b"'],
  );
  assert.match(found[0] ?? '', /\{"type":"txt"\}: No handler for type \[txt\] declared on field \[a\]$/);
  assert.match(found[1] ?? '', /analyzer \[nope\] has not been configured in mappings$/);
  assert.deepEqual(await indicesLike(`${alias}*`), []);
  const { json } = await elasticsearch('GET', '/_index_template');
  assert.ok(!JSON.stringify(json).includes(alias));
});

test('settings: unknown ones, bad values and broken analyzers, in the words of the server', async () => {
  const mapping = { properties: { a: { type: 'text', analyzer: 'mine' } } };
  const analysis = (tokenizer: string) => ({ analysis: { analyzer: { mine: { type: 'custom', tokenizer } } } });
  assert.deepEqual(await refusals(mapping, analysis('standard')), []);
  assert.match(
    (await refusals(mapping, analysis('nope'))).join(),
    /^settings: .*Custom Analyzer \[mine\] failed to find tokenizer under name \[nope\]$/,
  );
  const both = (await refusals({}, { nmber_of_shards: 1, refresh_interval: 'banana' })).join();
  assert.match(both, /unknown setting \[index\.nmber_of_shards\]/);
  assert.match(both, /index\.refresh_interval\] with value \[banana\]/);
});

test("a mistake that is in no single field is told as the mapping's", async () => {
  const found = await refusals({ dynamic: 'strickt', properties: { a: { type: 'long' } } });
  assert.equal(found.length, 1);
  assert.match(found[0] ?? '', /^mapping: Elasticsearch refuses the mapping: .*strickt/);
});

test('a setting that is null, and a template of the operator with the same pattern, are no mistakes', async () => {
  await elasticsearch('PUT', `/_index_template/${alias}`, { index_patterns: [`${alias}-*`], priority: 500, template: {} });
  try {
    assert.deepEqual(await refusals({ properties: { a: { type: 'long' } } }, { 'lifecycle.name': null }), []);
  } finally {
    await elasticsearch('DELETE', `/_index_template/${alias}`);
  }
});

test('--swap-when green where replicas can have no place is refused at once; the default says that yellow is enough', async () => {
  const ask = async (swapWhen: 'green' | 'yellow' | null) => {
    const request = { alias, index: `${alias}-1-zzzz`, settings: { number_of_replicas: 50 }, adopt: false, sourceBytes: 0, swapWhen };
    return (await sink.preflight(request)).filter(({ code }) => code === 'reachable-replicas').map(({ level, message }) => `${level} ${message}`);
  };
  assert.match(
    (await ask('green')).join(),
    /^fail --swap-when green: 50 replicas wanted, but \d+ data nodes? can hold \d+: the new index never becomes green$/,
  );
  assert.match((await ask(null)).join(), /^warn 50 replicas wanted/);
  assert.deepEqual(await ask('yellow'), []);
});
