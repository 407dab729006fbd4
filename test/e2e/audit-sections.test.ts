import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Failure } from '../../src/core/failure.ts';
import type { AuditState } from '../../src/phases/audit/state.ts';
import { elasticsearch } from '../support/servers.ts';
import { type AuditRun, type AuditWorld, auditWorld, edit, MemoryState, named, put, sourceOf } from './audit-world.ts';

const ROWS = 600;

describe('an audit in several runs', () => {
  let world: AuditWorld;

  before(async () => {
    world = await auditWorld(ROWS);
  });

  after(async () => world?.dispose());

  /** So short that each run is one section. */
  const next = (state: AuditState): Promise<AuditRun> => world.audit({ options: { maxDurationMs: 1 }, state });

  it('is unfinished, never equal, until both sides were looked at, and then leaves nothing behind', async () => {
    const state = new MemoryState();
    const first = await next(state);
    assert.deepEqual([first.report.verdict, first.report.covered, first.report.rows], ['unfinished', 0.5, ROWS]);
    assert.equal(state.saved?.position.side, 'index');
    assert.match(first.report.blindSpots.join('\n'), /Only 50 % were looked at/);
    const second = await next(state);
    assert.deepEqual([second.report.verdict, second.report.covered, second.report.documents], ['equal', 1, ROWS]);
    assert.equal(state.saved, null);
    const partitions = [first, second].map(({ report }) => [report.partitions, report.partitionsEqual, report.foreignWrites]);
    assert.deepEqual(
      partitions,
      [
        [0, 0, null],
        [1024, 1024, null],
      ],
      'a partition that nobody has looked at is not an equal one',
    );
  });

  it('finds what differs on the side that it looks at, and looks at it again in the next run', async () => {
    const { index } = world;
    await elasticsearch('DELETE', `/${index}/_doc/10`);
    await edit(index, '20', (source) => source.replace('"name":"name 20"', '"name":"name 2O"'));
    await put(index, 'extra', await sourceOf(index, '20'));
    const state = new MemoryState();
    const first = await next(state);
    assert.deepEqual([named(first.report), first.report.verdict], [['different 20 name', 'missing 10'], 'drift']);
    assert.deepEqual([...(state.saved?.differing ?? [])].sort(), ['10', '20']);
    assert.equal(JSON.stringify(state.saved).includes('name 2'), false, 'no values in the file');
    const second = await next(state);
    assert.deepEqual(named(second.report), ['different 20 name', 'extra extra', 'missing 10']);
    // The map of the rotation: what the first run saw is still on it, and each cell leads to its keys.
    assert.deepEqual(second.report.partitionsDiffering, cellsOf(second));
    assert.deepEqual(
      second.report.partitionDrift.map(({ partition }) => partition),
      cellsOf(second),
    );
    assert.equal((await world.audit({ options: { repair: 'yes' } })).report.repair?.proved, 3);
  });

  it('goes on in the middle of the table', async () => {
    const { rows } = await world.database.client.query<{ id: string; block: number }>(
      `select id::text, (ctid::text::point)[0]::int as block from things order by ctid`,
    );
    const [early, late] = [rows[5], rows.at(-5)];
    assert.ok(early !== undefined && late !== undefined && late.block > early.block + 1);
    for (const { id } of [early, late]) await edit(world.index, id, (source) => source.replace('"name":"', '"name":"!'));
    const state = new MemoryState();
    await next(state);
    assert.ok(state.saved !== null);
    const { oid, relfilenode } = await leaf(world);
    state.saved = { ...state.saved, position: { side: 'table', leaf: oid, relfilenode, block: early.block + 1 }, differing: [] };
    assert.deepEqual(named((await next(state)).report), [`different ${late.id} name`]);
    state.saved = { ...state.saved, position: { side: 'table', leaf: oid, relfilenode: relfilenode + 1, block: early.block + 1 }, differing: [] };
    assert.equal((await next(state)).report.differenceCount, 2, 'a rewritten table is read from its beginning');
    await world.audit({ options: { repair: 'yes' } });
  });

  it('keeps to the rate, in one piece and in sections', async () => {
    for (const maxDurationMs of [null, 60_000]) {
      const { report } = await world.audit({ options: { rate: 400, maxDurationMs, sample: 1 }, state: new MemoryState() });
      assert.equal(report.verdict, 'equal');
      assert.ok(report.durations.compareMs >= 1000, `${ROWS} rows in ${report.durations.compareMs} ms`);
    }
  });

  it('is read as of its last refresh where the user may not refresh it, and says so', async () => {
    const denied = async (): Promise<never> => {
      throw new Failure('denied', 'security_exception');
    };
    const { report, events } = await world.audit({ wrapSink: (sink) => ({ ...sink, refresh: denied }) });
    assert.equal(report.verdict, 'equal');
    assert.match(report.blindSpots.join('\n'), /may not refresh the index/);
    assert.equal(events.filter((event) => event.type === 'warning' && event.code === 'no-refresh').length, 1);
  });

  it('begins anew for another index', async () => {
    const state = new MemoryState();
    await next(state);
    assert.ok(state.saved !== null);
    state.saved = { ...state.saved, uuid: 'another', rows: 77 };
    assert.deepEqual([(await next(state)).report.rows, state.saved?.position.side], [ROWS, 'index']);
  });
});

/** The different cells of the differences, in order. */
function cellsOf({ report }: AuditRun): readonly number[] {
  return [...new Set(report.differences.map(({ partition }) => partition))].sort((a, b) => a - b);
}

async function leaf({ database }: AuditWorld): Promise<{ readonly oid: number; readonly relfilenode: number }> {
  const { rows } = await database.client.query<{ oid: number; relfilenode: number }>(
    `select oid::int, relfilenode::int from pg_class where oid = 'things'::regclass`,
  );
  const [found] = rows;
  assert.ok(found !== undefined);
  return found;
}

describe('an audit in sections of a larger index', () => {
  it('counts what lies on the border of two of them once', async () => {
    const rows = 10_600;
    const world = await auditWorld(rows);
    try {
      const { report } = await world.audit({ options: { maxDurationMs: 600_000 }, state: new MemoryState() });
      assert.deepEqual([report.verdict, report.rows, report.documents], ['equal', rows, rows]);
    } finally {
      await world.dispose();
    }
  });
});
