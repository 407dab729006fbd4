import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAlias } from '../../../src/elasticsearch/alias.ts';
import type { Http } from '../../../src/elasticsearch/connect.ts';

const HOLDERS = { 'products-1': { aliases: { products: {} } } };
const SETTINGS = { 'products-1': { settings: { index: { uuid: 'u' } } } };

/** Answers `_alias` with one after the other, and the settings of the name with those of another index. */
function answering(...holders: readonly (object | null)[]): Http {
  const left = [...holders];
  return { json: async ({ path }: { readonly path: string }) => (path.startsWith('/_alias/') ? left.shift() : SETTINGS) } as unknown as Http;
}

test('an alias that somebody makes between the two looks is an alias', async () => {
  const target = await readAlias(answering(null, HOLDERS), 'products');
  assert.deepEqual(target, { kind: 'alias', indices: new Map([['products-1', {}]]) });
});

test('a name of other indices that is no alias is a data stream', async () => {
  await assert.rejects(readAlias(answering(null, null), 'products'), { kind: 'preflight-refused', message: /is a data stream/ });
});
