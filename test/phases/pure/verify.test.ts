import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VerifyReport } from '../../../src/core/events.ts';
import { Failure } from '../../../src/core/failure.ts';
import { isPassing } from '../../../src/core/verify/passing-report.ts';
import { type VerifyContext, verifyAtFence, verifyBySettling } from '../../../src/phases/verify.ts';
import { documentOf, type Texts, texts, World } from './verify-fakes.ts';

const ROWS = 300;

async function verify(world: World, changes: Partial<VerifyContext> = {}): Promise<VerifyReport> {
  const report = await verifyAtFence(world.context(changes));
  assert.equal(world.opened, 0, 'something was left open');
  return report;
}

/** `id kind fields` of every named difference, sorted. */
function named(report: VerifyReport): readonly string[] {
  assert.equal(report.differences.length, report.differenceCount);
  return report.differences.map(({ id, kind, fields }) => [id, kind, ...fields].join(' ')).sort();
}

test('equal sides pass in every mode', async () => {
  for (const mode of ['full', 'sample', 'counts'] as const) {
    const report = await verify(new World(ROWS), { mode });
    assert.equal(isPassing(report), true);
    assert.deepEqual([report.rows, report.documents, report.rejected, report.method], [ROWS, ROWS, 0, 'fence']);
    assert.equal(report.sampled.random, mode === 'counts' ? 0 : 50);
    assert.deepEqual([report.partitions, report.partitionsEqual], mode === 'full' ? [1024, 1024] : [0, 0]);
  }
});

test('an empty table and an empty index pass', async () => {
  assert.equal(isPassing(await verify(new World(0))), true);
});

test('the fence: hold, slot, keep, run to exactly its point under its snapshot, refresh, freeze, release', async () => {
  const world = new World(3);
  const report = await verify(world);
  const steps = ['hold', 'slot realign_t_fence', 'keep exported', 'slot released', 'runTo 77 kept', 'refresh t-1', 'freeze', 'release'];
  assert.deepEqual(world.journal, steps);
  assert.equal(report.fenceLsn, '0/4D');
});

test('a slot name at the limit stays within it', async () => {
  const world = new World(1);
  await verify(world, { slotName: 's'.repeat(63) });
  assert.equal(world.journal[1], `slot ${'s'.repeat(57)}_fence`);
});

/** What each kind of planted fault must be named as; row 250 is outside the random sample, row 5 inside. */
const PLANTED: readonly (readonly [what: string, plant: (world: World, id: string, row: Texts) => void, expected: readonly string[]])[] = [
  ['a missing document', (world, id) => world.documents.delete(id), ['ID missing']],
  ['an extra document', (world) => world.write('9999', '{"id":9999}'), ['9999 extra']],
  ['a missing and an extra one that cancel', (world, id) => replaceDocument(world, id, '9999'), ['9999 extra', 'ID missing']],
  ['a wrong value', (world, id, row) => world.write(id, documentOf(with_(row, 1, 'other'))), ['ID different name']],
  ['a rounded number', (world, id, row) => world.write(id, documentOf(with_(row, 2, '1.0999999'))), ['ID different price']],
  ['null for a text', (world, id, row) => world.write(id, documentOf(with_(row, 1, null))), ['ID different name']],
  ['the text null for a null', (world, id, row) => setNull(world, id, row, '"null"'), ['ID different name']],
  ['a missing field for a null', (world, id, row) => setNull(world, id, row, undefined), ['ID different name']],
  ['the order of an array', (world, id, row) => world.write(id, documentOf(with_(row, 3, '{b,"a 1"}'))), ['ID different tags']],
  ['a truncated text', (world, id, row) => world.write(id, documentOf(with_(row, 1, 'name'))), ['ID different name']],
  ['a time an hour late', (world, id, row) => world.write(id, documentOf(with_(row, 4, '2024-01-02 04:04:05.5+00'))), ['ID different at']],
  ['a time cut to milliseconds', (world, id, row) => setMicros(world, id, row), ['ID different at']],
  ['a field too many', (world, id, row) => world.write(id, documentOf(row).replace('{', '{"foreign":1,')), ['ID different foreign']],
  ['two fields', (world, id, row) => world.write(id, documentOf(['0', 'x', row[2], row[3], row[4]])), ['ID different id name']],
  ['a document that is no JSON', (world, id) => world.write(id, '{"id":'), ['ID different _source']],
];

function replaceDocument(world: World, id: string, by: string): void {
  world.documents.delete(id);
  world.write(by, '{}');
}

function with_(row: Texts, at: number, text: string | null): Texts {
  return row.map((old, column) => (column === at ? text : old)) as unknown as Texts;
}

function setNull(world: World, id: string, row: Texts, written: string | undefined): void {
  const empty = with_(row, 1, null);
  world.rows.set(id, empty);
  world.write(id, documentOf(empty).replace('"name":null,', written === undefined ? '' : `"name":${written},`));
}

function setMicros(world: World, id: string, row: Texts): void {
  world.rows.set(id, with_(row, 4, '2024-01-02 03:04:05.123456+00'));
  world.write(id, documentOf(with_(row, 4, '2024-01-02 03:04:05.123+00')));
}

for (const [what, plant, expected] of PLANTED) {
  for (const id of [5, 250]) {
    test(`full finds ${what} (row ${id}) and names it once`, async () => {
      const world = new World(ROWS);
      plant(world, String(id), texts(id));
      const report = await verify(world);
      assert.deepEqual(named(report), expected.map((line) => line.replace('ID', String(id))).sort());
      assert.equal(isPassing(report), false);
      assert.ok(report.partitionsEqual < report.partitions);
    });
  }
}

test('two documents that swapped their ids are both named', async () => {
  const world = new World(ROWS);
  world.write('7', documentOf(texts(8)));
  world.write('8', documentOf(texts(7)));
  const fields = 'id name price tags';
  assert.deepEqual(named(await verify(world)), [`7 different ${fields}`, `8 different ${fields}`]);
});

test('other bytes with the same value are equal', async () => {
  const world = new World(ROWS);
  world.write('250', '{ "at":"2024-01-02T03:04:05.5Z", "tags":["a 250","b"], "price":2501e-1, "name":"name 250\\u0009with a tab", "id":250.0 }');
  const report = await verify(world);
  assert.equal(isPassing(report), true);
  assert.deepEqual([report.differenceCount, report.partitionsEqual], [0, 1023]);
});

test('a difference carries the two values for the transcript', async () => {
  const world = new World(ROWS);
  world.write('250', documentOf(with_(texts(250), 2, '250.09999')));
  const [difference] = (await verify(world)).differences;
  assert.deepEqual(difference?.values, [{ field: 'price', postgres: '250.10', elasticsearch: '250.09999' }]);
});

test('two thousand differences are all counted and the first thousand named', async () => {
  const world = new World(2500);
  for (let id = 1; id <= 2000; id++) world.documents.delete(String(id));
  const report = await verify(world);
  assert.equal(report.differenceCount, 2000);
  assert.equal(report.differences.length, 1000);
});

test('a rejected row is expected to be absent', async () => {
  const world = new World(ROWS);
  world.rows.set('250', with_(texts(250), 2, 'NaN'));
  world.rejectedIds.add('9').add('250').add('12345');
  world.documents.delete('9');
  world.documents.delete('250');
  for (const mode of ['full', 'sample', 'counts'] as const) {
    const report = await verify(world, { mode, sample: ROWS });
    assert.equal(isPassing(report), true, mode);
    assert.deepEqual([report.rows, report.rejected, report.documents], [ROWS, 2, ROWS - 2]);
  }
});

test('a row that cannot be encoded needs no entry in the list of rejected rows', async () => {
  const world = new World(ROWS);
  world.rows.set('5', with_(texts(5), 2, 'NaN'));
  world.documents.delete('5');
  assert.equal(isPassing(await verify(world)), true);
});

test('a document of a row that cannot be encoded is named', async () => {
  const world = new World(ROWS);
  world.rows.set('250', with_(texts(250), 2, 'NaN'));
  world.rejectedIds.add('250');
  assert.deepEqual(named(await verify(world)), ['250 extra']);
});

test('a row that was rejected once and accepted later is compared like any other', async () => {
  const world = new World(ROWS);
  world.rejectedIds.add('250');
  assert.equal(isPassing(await verify(world)), true);
  world.write('250', documentOf(with_(texts(250), 1, 'stale')));
  assert.deepEqual(named(await verify(world)), ['250 different name']);
});

test('sample mode finds what a lost update and a resurrected document leave behind', async () => {
  const world = new World(ROWS);
  world.write('250', documentOf(with_(texts(250), 1, 'stale')));
  world.rows.delete('251');
  world.rows.set('9999', texts(9999));
  world.changed = [['250'], ['249'], ['9999']];
  world.deleted = [['251'], ['7777']];
  const report = await verify(world, { mode: 'sample' });
  assert.deepEqual(named(report), ['250 different name', '251 extra', '9999 missing']);
  assert.deepEqual(report.sampled, { random: 50, changed: 3, deleted: 2 });
  assert.deepEqual([report.rows, report.documents], [ROWS, ROWS]);
});

test('counts mode sees only counts, and says so', async () => {
  const world = new World(ROWS);
  world.write('5', '{}');
  const equal = await verify(world, { mode: 'counts' });
  assert.equal(isPassing(equal), true);
  assert.match(equal.blindSpots[0] ?? '', /Only counts were compared/);
  world.documents.delete('6');
  assert.equal(isPassing(await verify(world, { mode: 'counts' })), false);
});

test('ignored fields are a warning', async () => {
  const world = new World(3);
  world.ignored = [{ field: 'name', documents: 2, ids: ['1'] }];
  assert.equal(isPassing(await verify(world)), true);
  assert.deepEqual(
    world.events.map((event) => (event.type === 'warning' ? event.code : event.type)),
    ['ignored-fields'],
  );
});

test('a scan that does not return every document is no proof', async () => {
  const world = new World(ROWS);
  const context = world.context();
  const sink = { ...context.sink, freeze: async (index: string) => ({ ...(await context.sink.freeze(index)), count: async () => ROWS + 1 }) };
  await assert.rejects(verifyAtFence({ ...context, sink }), (error) => error instanceof Failure && error.kind === 'verification-failed');
  assert.equal(world.opened, 0);
});

test('the frozen index is kept alive while a long pass reads only the table', async () => {
  const world = new World(ROWS);
  const context = world.context({ mode: 'counts' });
  let counted = 0;
  let hours = 0;
  const clock = { ...context.clock, now: () => ++hours * 3_600_000 };
  const freeze = async (index: string) => {
    const frozen = await context.sink.freeze(index);
    return {
      ...frozen,
      count: async () => {
        counted++;
        return frozen.count();
      },
    };
  };
  await verifyAtFence({ ...context, clock, sink: { ...context.sink, freeze } });
  assert.ok(counted > 1, `counted ${counted} times`);
});

test('a failure in the middle of the scans closes everything and is the one that is thrown', async () => {
  const failure = new Failure('connection-lost', 'cut');
  for (const side of ['source', 'sink'] as const) {
    const world = new World(ROWS);
    const context = world.context();
    // biome-ignore lint/correctness/useYield: it fails before the first page
    const broken = async function* (): AsyncGenerator<never> {
      throw failure;
    };
    const sink = { ...context.sink, freeze: async (index: string) => ({ ...(await context.sink.freeze(index)), scan: broken }) };
    const source = { ...context.source, openTable: async (request: never) => ({ ...(await context.source.openTable(request)), chunks: broken }) };
    await assert.rejects(verifyAtFence({ ...context, ...(side === 'source' ? { source } : { sink }) }), (error) => error === failure);
    assert.equal(world.opened, 0);
  }
});

test('a replay that fails on its way to the fence is let go and its failure thrown', async () => {
  const world = new World(3);
  const context = world.context();
  const failure = new Failure('slot-lost', 'gone');
  const replay = { ...context.replay, runTo: () => Promise.reject(failure) };
  await assert.rejects(verifyAtFence({ ...context, replay }), (error) => error === failure);
  assert.deepEqual([world.opened, world.journal.at(-1)], [0, 'release']);
});

const NO_SLOT: readonly (readonly [string, unknown])[] = [
  ['an old transaction', new Failure('slot-timeout', 'pid 4121 holds a transaction open')],
  ['no free slot', new Failure('no-free-slot', 'creating the slot failed')],
];

for (const [what, error] of NO_SLOT) {
  test(`with ${what} it settles instead, and says so`, async () => {
    const world = new World(ROWS);
    world.slotError = error;
    const report = await verify(world);
    assert.deepEqual([report.method, isPassing(report)], ['settling', true]);
    assert.deepEqual(world.journal, ['hold', 'slot realign_t_fence', 'release', 'keep null', 'applied 99', 'refresh t-1', 'freeze']);
    assert.ok(world.events.some((event) => event.type === 'warning' && event.code === 'fence-unavailable'));
  });
}

test('any other failure of the slot is thrown', async () => {
  const world = new World(3);
  world.slotError = new Failure('denied', 'no');
  await assert.rejects(verifyAtFence(world.context()), (error) => error === world.slotError);
  assert.equal(world.journal.at(-1), 'release');
});

/** The world after the snapshot was taken, before the index is frozen for the first time: row 5 changes, 6 goes, 9999 comes. */
function changeDuringFreeze(world: World): void {
  const changed = with_(texts(5), 1, 'newer');
  world.rows.set('5', changed);
  world.write('5', documentOf(changed), 2n);
  world.rows.delete('6');
  world.documents.delete('6');
  world.rows.set('9999', texts(9999));
  world.write('9999', documentOf(texts(9999)), 2n);
}

for (const mode of ['full', 'sample', 'counts'] as const) {
  test(`settling in ${mode} mode: what changed between the two moments agrees later`, async () => {
    const world = new World(ROWS);
    world.onFreeze = (freeze) => freeze === 1 && changeDuringFreeze(world);
    const report = await verifyBySettling(world.context({ mode }));
    assert.deepEqual([report.differenceCount, report.unsettled, isPassing(report)], [0, [], true]);
    assert.equal(report.rows, report.documents);
    assert.equal(world.opened, 0);
  });
}

test('settling: a lasting difference is named after five rounds with growing pauses', async () => {
  const world = new World(ROWS);
  world.documents.delete('250');
  world.write('9999', '{"id":9999}');
  world.write('7', documentOf(with_(texts(7), 1, 'stale')));
  const report = await verifyBySettling(world.context());
  assert.deepEqual(named(report), ['250 missing', '7 different name', '9999 extra']);
  assert.equal(isPassing(report), false);
  assert.deepEqual(
    world.journal.filter((step) => step.startsWith('sleep')),
    [500, 1000, 2000, 4000, 8000].map((ms) => `sleep ${ms}`),
  );
});

test('settling: each round looks only after the replay has passed a newer LSN', async () => {
  const world = new World(3);
  world.documents.delete('2');
  await verifyBySettling(world.context());
  const rounds = world.journal
    .slice(4)
    .join(' ')
    .split(/sleep \d+ ?/)
    .slice(1);
  assert.equal(rounds.length, 5);
  for (const round of rounds) assert.equal(round.trim(), 'applied 99 refresh t-1 freeze');
});

test('settling: what goes on changing is unsettled and never passes', async () => {
  const world = new World(ROWS);
  world.onFreeze = (freeze) => world.write('7', documentOf(with_(texts(7), 1, `hot ${freeze}`)), BigInt(freeze));
  const report = await verifyBySettling(world.context());
  assert.deepEqual([report.unsettled, report.differenceCount, isPassing(report)], [['7'], 0, false]);
});

test('settling: what is equal once is equal, even if it changes on', async () => {
  const world = new World(ROWS);
  world.onFreeze = (freeze) => world.write('7', documentOf(freeze === 3 ? texts(7) : with_(texts(7), 1, `hot ${freeze}`)), BigInt(freeze));
  assert.equal(isPassing(await verifyBySettling(world.context())), true);
});

test('settling: an id that is no value of the key is asked alone and named as extra', async () => {
  const world = new World(ROWS);
  world.write('abc', '{}');
  world.documents.delete('6');
  const context = world.context();
  const readReference: typeof context.source.readReference = (request) => {
    if ('keys' in request.rows && request.rows.keys.some(([id]) => id === 'abc')) throw new Failure('value-refused', 'no integer');
    return context.source.readReference(request);
  };
  const report = await verifyBySettling({ ...context, source: { ...context.source, readReference } });
  assert.deepEqual(named(report), ['6 missing', 'abc extra']);
});

test('settling: a row that cannot be computed ends the verification; its document is not called extra', async () => {
  const world = new World(ROWS);
  world.documents.delete('6');
  const context = world.context();
  const failure = new Failure('value-refused', 'division by zero');
  const readReference: typeof context.source.readReference = (request) => {
    if ('keys' in request.rows && request.rows.keys.some(([id]) => id === '6')) throw failure;
    return context.source.readReference(request);
  };
  await assert.rejects(verifyBySettling({ ...context, source: { ...context.source, readReference } }), (error) => error === failure);
});

test('settling: an id that is a hash cannot be asked for, so it stays unsettled unless it goes', async () => {
  const world = new World(ROWS);
  world.write('sha256:00', '{}');
  const context = world.context();
  const hashing = { ...context, plan: { ...context.plan, idHash: 'sha256' } as const };
  assert.deepEqual((await verifyBySettling(hashing)).unsettled, ['sha256:00']);
  world.onFreeze = (freeze) => freeze === world.freezes && world.freezes > 7 && world.documents.delete('sha256:00');
  assert.equal(isPassing(await verifyBySettling(hashing)), true);
});

test('an abort stops it, with the reason of the abort', async () => {
  const world = new World(ROWS);
  const reason = new Failure('interrupted', 'stopped');
  const controller = new AbortController();
  world.onFreeze = () => controller.abort(reason);
  await assert.rejects(verifyAtFence(world.context({ signal: controller.signal })), (error) => error === reason);
  assert.equal(world.opened, 0);
});
