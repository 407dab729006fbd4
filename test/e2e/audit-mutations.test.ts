import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Failure } from '../../src/core/failure.ts';
import { elasticsearch } from '../support/servers.ts';
import { type AuditWorld, auditWorld, edit, named, put, sourceOf } from './audit-world.ts';
import { randomOf } from './writers.ts';

const ROWS = 600;
const LONG_NAME = 'n'.repeat(60);

/** `count` different keys, by the seed. */
function keys(random: (below: number) => number, count: number): readonly string[] {
  const chosen = new Set<string>();
  while (chosen.size < count) chosen.add(String(1 + random(ROWS)));
  return [...chosen];
}

const timeOf = (source: string): string => /"at":"([^"]+)"/.exec(source)?.[1] ?? '';

describe('an audit finds and names each kind of difference', () => {
  let world: AuditWorld;
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  const [missing, changed, rounded, dropped, turned, cut, shifted, stale, swappedA, swappedB, doubled, foreign, nulled] = keys(randomOf(seed), 13);
  const expected: string[] = [];

  before(async () => {
    world = await auditWorld(ROWS, { fields: { name: { type: 'keyword', ignore_above: 50 } } });
    // Neither difference nor warning: each has a text longer than the `.keyword` sub-field takes.
    assert.equal((await world.audit()).report.verdict, 'equal');
  });

  after(async () => world?.dispose());

  const at = (id: string | undefined): string => {
    assert.ok(id !== undefined);
    return id;
  };

  it('plants one of each kind', async (test) => {
    test.diagnostic(`SEED=${seed}`);
    const { index, database } = world;
    await elasticsearch('DELETE', `/${index}/_doc/${at(missing)}`);
    await put(index, '999999', await sourceOf(index, at(changed)));
    await put(index, 'no-number', '{}');
    await edit(index, at(changed), (source) => source.replace('"name":"name', '"name":"nome'));
    await edit(index, at(rounded), (source) => source.replace(/"n":(\d+\.\d+)/, (_, n: string) => `"n":${Number(n) + 0.001}`));
    await edit(index, at(dropped), (source) => source.replace(/"tags":\["(a\d)",null,/, '"tags":["$1",'));
    await edit(index, at(turned), (source) => source.replace(/"tags":\[("a\d"),null,/, '"tags":[null,$1,'));
    await edit(index, at(cut), (source) => source.replace(/"body":"([^"]+)[^"]"/, '"body":"$1"'));
    const shiftedTime = timeOf(await sourceOf(index, at(shifted)));
    await edit(index, at(shifted), (source) =>
      source.replace(shiftedTime, new Date(Date.parse(shiftedTime) + 3_600_000).toISOString().replace('.000', '')),
    );
    // The table goes on and nobody feeds the index.
    await database.client.query('update things set name = $2, doc = null where id = $1', [at(stale), 'newer']);
    const [a, b] = [await sourceOf(index, at(swappedA)), await sourceOf(index, at(swappedB))];
    await put(index, at(swappedA), b);
    await put(index, at(swappedB), a);
    // With two shards one of these routings goes to the other one.
    const double = await sourceOf(index, at(doubled));
    for (const routing of ['r0', 'r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7']) await put(index, at(doubled), double, { routing });
    await database.client.query('update things set doc = null where id = $1', [at(nulled)]);
    await edit(index, at(nulled), (source) => source.replace(/"doc":.*,"at"/, '"at"'));
    await edit(index, at(foreign), (source) => source.replace('"doc":{', '"doc": {'));
    expected.push(
      ...[`missing ${missing}`, 'extra 999999', 'extra no-number', `extra ${doubled}`, `stale ${stale} name doc`],
      ...[
        `different ${changed} name`,
        `different ${rounded} n`,
        `different ${dropped} tags`,
        `different ${turned} tags`,
        `different ${cut} body`,
        `different ${nulled} doc`,
      ],
      ...[`different ${shifted} at`, `different ${swappedA} id name n body tags doc at`, `different ${swappedB} id name n body tags doc at`],
    );
  });

  /** What was planted by writing to the index, and differs. */
  const expectedForeign = (): string[] =>
    [changed, rounded, dropped, turned, cut, shifted, swappedA, swappedB, doubled, nulled].map(at).concat('999999', 'no-number');

  const withoutSwapFields = (lines: readonly string[]): readonly string[] =>
    lines.map((line) => (line.includes(' id ') ? line.slice(0, line.indexOf(' id ') + 3) : line)).sort();

  it('finds all of them in full, and nothing else', async () => {
    const { report } = await world.audit();
    assert.deepEqual(withoutSwapFields(named(report)), withoutSwapFields(expected));
    assert.equal(report.verdict, 'drift');
    assert.deepEqual(report.kinds, { missing: 1, extra: 3, different: 9, stale: 1 });
    assert.equal(report.differenceCount, 14);
    assert.equal(
      report.partitionDrift.reduce((sum, { missing, extra, different, stale }) => sum + missing + extra + different + stale, 0),
      14,
    );
    assert.deepEqual([report.unsettled, report.ours, report.fedBy, report.method], [[], true, 'others', 'settling']);
  });

  it('tells who wrote what by the versions, and counts as many as it names', async () => {
    const { report } = await world.audit();
    const by = new Map(report.differences.map((difference) => [difference.id, difference]));
    assert.equal(by.get(at(changed))?.foreign, true);
    assert.equal(by.get(at(stale))?.foreign, false);
    assert.equal(by.get(at(missing))?.version, null);
    assert.equal(by.get(at(doubled))?.copies, 2);
    // Each document that was written to and differs, both with the id of `doubled`, and nothing else: `foreign` is equal and was written once on top of
    // the load, which only a difference would give away.
    const flagged = report.differences.filter((difference) => difference.foreign === true);
    assert.deepEqual(flagged.map(({ id }) => id).sort(), expectedForeign().sort());
    assert.equal(report.foreignWrites, flagged.length + 1);
  });

  it('shows values only when asked, whole when asked for', async () => {
    const none = await world.audit();
    assert.equal(JSON.stringify(none.report).includes('nome'), false);
    const { report } = await world.audit({ options: { values: 'full', keys: [at(changed)] } });
    assert.deepEqual(report.differences[0]?.values, [{ field: 'name', postgres: `"name ${changed}"`, elasticsearch: `"nome ${changed}"` }]);
    assert.equal(report.mode, 'keys');
  });

  it('finds a missing and an extra document by counts, says that it cannot name them', async () => {
    const { report } = await world.audit({ options: { mode: 'counts' } });
    // One missing, two extra and one copy: the counts differ by two.
    assert.deepEqual([report.verdict, report.differenceCount, report.documents - report.rows], ['drift', 0, 2]);
    assert.match(report.blindSpots.join('\n'), /Only counts were compared/);
  });

  it('finds them in a sample that has every row and every document, with its confidence', async () => {
    const { report } = await world.audit({ options: { mode: 'sample', sample: 5000 } });
    assert.deepEqual(withoutSwapFields(named(report)), withoutSwapFields(expected));
    assert.equal(report.sampledDocuments, ROWS + 2);
    const small = await world.audit({ options: { mode: 'sample', sample: 100 } });
    assert.match(small.report.blindSpots.join('\n'), /fewer than 3\/100 \(3 %\)/);
  });

  it('compares named keys only, with the same judgement', async () => {
    const { report } = await world.audit({ options: { keys: [at(missing), at(stale), 'no-number', '600000'] } });
    assert.deepEqual(named(report), ['extra no-number', `missing ${missing}`, `stale ${stale} name doc`].sort());
  });

  it('shows what a repair would do, and does not do it', async () => {
    const { report } = await world.audit({ options: { repair: 'dry-run' } });
    assert.deepEqual({ ...report.repair, refused: [] }, { dryRun: true, written: 11, deleted: 3, settled: 0, proved: 0, refused: [] });
    assert.equal((await world.audit()).report.differenceCount, 14);
  });

  it('repairs nothing where more differs than allowed', async () => {
    const { report, events } = await world.audit({ options: { repair: 'yes', maxRepair: 13 } });
    assert.deepEqual([report.repair?.written, report.repair?.deleted, report.repair?.refused.length], [0, 0, 14]);
    assert.equal(events.filter((event) => event.type === 'warning' && event.code === 'repair-limit').length, 1);
    assert.equal((await world.audit()).report.differenceCount, 14);
  });

  it('repairs all of them and proves it; the next audit finds nothing', async () => {
    const { report } = await world.audit({ options: { repair: 'yes' } });
    assert.deepEqual(report.repair?.refused, []);
    assert.equal(report.repair?.proved, 14);
    const again = await world.audit();
    assert.deepEqual(named(again.report), []);
    assert.equal(again.report.verdict, 'equal');
    const { json } = await elasticsearch('GET', `/${world.index}/_alias`);
    assert.deepEqual(Object.keys(json[world.index].aliases), [world.alias], 'the repair leaves no alias behind');
  });

  it('names fields that are in the document and not in the search, and no sub-field for being long', async () => {
    const id = at(changed);
    await world.database.client.query('update things set name = $2 where id = $1', [id, LONG_NAME]);
    await edit(world.index, id, (source) => source.replace(/"name":"[^"]*"/, `"name":"${LONG_NAME}"`));
    const { report, events } = await world.audit();
    assert.equal(report.verdict, 'equal');
    assert.deepEqual(report.ignored, [{ field: 'name', documents: 1, ids: [id] }]);
    assert.equal(events.filter((event) => event.type === 'warning' && event.code === 'ignored-fields').length, 1);
  });

  it('finds a field that is mapped as another type', async () => {
    const { json } = await elasticsearch('GET', `/${world.index}/_mapping`);
    const mappings = json[world.index].mappings;
    const other = `${world.alias}-wrong-mapping`;
    const { realign } = mappings._meta;
    // One of ours by its state: of a foreign index the mapping is only a hint.
    const wrong = { ...mappings, _meta: { realign: { ...realign, index: other } }, properties: { ...mappings.properties, n: { type: 'keyword' } } };
    await elasticsearch('PUT', `/${other}`, { mappings: wrong, settings: { number_of_replicas: 0 } });
    const id = at(changed);
    await put(other, id, await sourceOf(world.index, id));
    const { report } = await world.audit({ options: { index: other, keys: [id] } });
    assert.deepEqual(report.mapping, [{ field: 'n', expected: 'double', actual: 'keyword' }]);
    assert.deepEqual([report.verdict, report.differenceCount], ['drift', 0]);
    await elasticsearch('DELETE', `/${other}`);
  });

  it('refuses an index that does not exist', async () => {
    const missingIndex = world.audit({ options: { index: `${world.alias}-gone` } });
    await assert.rejects(missingIndex, (error) => error instanceof Failure && error.kind === 'preflight-refused');
  });
});
