import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { elasticsearch } from '../support/servers.ts';
import { type CommandWorld, commandWorld, onceBefore, opensPointInTime } from './command-world.ts';

let world: CommandWorld;

/** The number of row 4 does not survive a double. */
before(async () => {
  world = await commandWorld(
    'public.goods',
    `create table goods (id int primary key, name text, price numeric(30,10), big bigint);
     insert into goods select i, 'name ' || i, i / 7.0, 9007199254740993 + 2 * i from generate_series(1, 3000) i`,
  );
});

after(() => world.dispose());

/** One document deleted, one added, one field changed, one number rounded as a double would round it: behind the program's back. */
async function tamper(index: string): Promise<void> {
  const { text } = await elasticsearch('GET', `/${index}/_source/4`);
  const rounded = text.replace('9007199254741001', '9007199254741000');
  assert.notEqual(rounded, text);
  const changed = (await elasticsearch('GET', `/${index}/_source/3`)).text.replace('name 3', 'name three');
  const lines = [
    '{"delete":{"_id":"1"}}',
    '{"index":{"_id":"4711000"}}',
    changed.replace('"id":3,', '"id":4711000,'),
    '{"index":{"_id":"3"}}',
    changed,
    '{"index":{"_id":"4"}}',
    rounded,
  ];
  const { json } = await elasticsearch('POST', `/${index}/_bulk?refresh=true`, `${lines.join('\n')}\n`);
  assert.equal(json.errors, false);
}

const PLANTED = [
  ['1', 'missing', []],
  ['3', 'different', ['name']],
  ['4', 'different', ['big']],
  ['4711000', 'extra', []],
];

test('four differences planted before the fence: exit 22, each is named, nothing is swapped, and the next build starts anew', async () => {
  assert.equal((await world.rebuild()).code, 0);
  const [live = ''] = await world.served();
  let tampered = '';
  world.proxy.hooks = {
    before: onceBefore(opensPointInTime, async () => {
      tampered = (await world.indices()).find((index) => index !== live) ?? '';
      await tamper(tampered);
    }),
  };
  const failed = await world.rebuild();
  world.proxy.hooks = {};
  assert.equal(failed.code, 22, failed.stderr);
  const drift = failed.events.filter(({ type }) => type === 'drift').map(({ id, kind, fields }) => [id, kind, fields]);
  assert.deepEqual(
    drift.sort(([a], [b]) => Number(a) - Number(b)),
    PLANTED,
  );
  assert.equal(failed.events.find(({ type }) => type === 'verify.result')?.passed, false);
  assert.equal(
    failed.events.some(({ type }) => type === 'swap'),
    false,
  );
  assert.doesNotMatch(failed.stdout, /name three|90071992547410/, 'no values in events');
  assert.deepEqual(await world.served(), [live]);
  await world.assertServed([tampered]);
  assert.deepEqual((await world.indices()).length, 2, 'the index that failed is kept for a look');

  const next = await world.rebuild();
  assert.equal(next.code, 0, next.stderr);
  assert.equal(next.events.find(({ type }) => type === 'build.started')?.resumed, false);
  await world.assertServed([live]);
  assert.equal((await world.indices()).includes(tampered), false, 'its successor removed it');
});

test('counts sees one document too few, and not one that is wrong', async () => {
  const [live = ''] = await world.served();
  const breakOne = (action: (index: string) => Promise<unknown>): void => {
    world.proxy.hooks = {
      before: onceBefore(opensPointInTime, async () => {
        const known = await world.indices();
        await action(known.find((index) => index > live) ?? '');
      }),
    };
  };
  breakOne((index) => elasticsearch('DELETE', `/${index}/_doc/7?refresh=true`));
  assert.equal((await world.rebuild('--verify', 'counts')).code, 22);
  world.proxy.hooks = {};
  assert.deepEqual(await world.served(), [live]);
});
