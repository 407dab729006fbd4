import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knownAliases } from '../../../src/cli/commands/known-aliases.ts';
import type { Configuration } from '../../../src/cli/config/load.ts';
import type { Http } from '../../../src/elasticsearch/connect.ts';
import { listGenerations, listOurIndices } from '../../../src/elasticsearch/state.ts';
import type { Sink } from '../../../src/phases/sink-ports.ts';

const state = (alias: string, build: string, startedAt: string, more: object = {}) => {
  return { mappings: { _meta: { realign: { format: 1, alias, build, startedAt, slot: `realign_${alias}_${build}`, ...more } } } };
};

const INDICES = {
  'goods-20261129t154012-aaaa': state('goods', 'aaaa', '2026-11-29T15:40:12Z'),
  'goods-20261130t154012-bbbb': state('goods', 'bbbb', '2026-11-30T15:40:12Z'),
  'goods-backup': state('goods', 'aaaa', '2026-11-29T15:40:12Z'),
  'more-20261130t154012-cccc': state('more', 'cccc', '2026-11-30T15:40:13Z'),
  'newer-1': state('newer', 'dddd', '2026-11-30T15:40:13Z', { format: 99 }),
};

/** Answers with the states of all indices, and with marks of those that are named; remembers what was asked. */
function asked(): { readonly http: Http; readonly paths: string[] } {
  const paths: string[] = [];
  const json = async ({ path }: { readonly path: string }) => {
    paths.push(path);
    if (path === '/_all/_mapping') return INDICES;
    return Object.fromEntries(
      path
        .slice(1)
        .split(',')
        .map((index) => [index, { aliases: {}, settings: { 'index.uuid': `uuid of ${index}` } }]),
    );
  };
  return { http: { json } as unknown as Http, paths };
}

const looks = (paths: readonly string[]): number => paths.filter((path) => path === '/_all/_mapping').length;

test('one look sorts every index of ours', async () => {
  const { http, paths } = asked();
  const { generations, unreadable, copies } = await listOurIndices(http);
  assert.deepEqual(
    generations.map(({ index }) => index),
    ['more-20261130t154012-cccc', 'goods-20261130t154012-bbbb', 'goods-20261129t154012-aaaa'],
  );
  assert.deepEqual(unreadable, [{ index: 'newer-1', alias: 'newer', slot: 'realign_newer_dddd', format: '99' }]);
  assert.deepEqual(copies, [{ index: 'goods-backup', alias: 'goods', build: 'aaaa' }]);
  assert.equal(looks(paths), 1);
});

test('of one alias its own, without copies; one that cannot be read stops its own alias alone', async () => {
  const { http } = asked();
  assert.deepEqual(
    (await listGenerations(http, 'goods')).map(({ index }) => index),
    ['goods-20261130t154012-bbbb', 'goods-20261129t154012-aaaa'],
  );
  await assert.rejects(listGenerations(http, 'newer'), { kind: 'state-unknown' });
});

test('which names are known takes one look', async () => {
  const { http, paths } = asked();
  const sink = { ourIndices: () => listOurIndices(http) } as unknown as Sink;
  const configuration = { indices: new Map([['configured', {}]]) } as unknown as Configuration;
  assert.deepEqual((await knownAliases(configuration, sink)).toSorted(), ['configured', 'goods', 'more', 'newer']);
  assert.equal(looks(paths), 1);
});
