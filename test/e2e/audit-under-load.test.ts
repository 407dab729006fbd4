import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { runRealign } from '../support/run-realign.ts';
import { elasticsearch } from '../support/servers.ts';
import { type AuditWorld, auditWorld, MemoryState, named } from './audit-world.ts';
import { type Feeder, startFeeder } from './feeder.ts';

const ROWS = 3000;
const PER_SECOND = 500;
/** CI sees a few; 100 is the number to be sure of. */
const ROUNDS = Number(process.env.ROUNDS ?? 3);
/** Each has two runs at least. */
const ROTATIONS = Math.ceil(ROUNDS / 3);
const LOAD_SECONDS = Number(process.env.AUDIT_LOAD_SECONDS ?? 60);

describe(`audits of an index under ${PER_SECOND} writes a second`, () => {
  let world: AuditWorld;
  let feeder: Feeder;

  before(async () => {
    world = await auditWorld(ROWS);
    feeder = startFeeder({ url: world.database.url, index: world.index, keys: ROWS, perSecond: PER_SECOND, seed: 1 });
  });

  after(async () => {
    await feeder?.stop().catch(() => undefined);
    await world?.dispose();
  });

  it(`invent nothing in ${ROUNDS} rounds`, async (test) => {
    const [startedMs, before] = [performance.now(), feeder.rows()];
    for (let round = 0; round < ROUNDS; round++) {
      const { report } = await world.audit({ options: { settle: { rounds: 3, pauseMs: 700 }, seed: `round ${round}` } });
      assert.deepEqual([report.verdict, named(report), report.unsettled], ['equal', [], []], `round ${round}`);
    }
    test.diagnostic(`${Math.round(((feeder.rows() - before) * 1000) / (performance.now() - startedMs))} rows a second were written meanwhile`);
  });

  it(`invent nothing in ${ROTATIONS} rotations of several runs`, async () => {
    const settle = { rounds: 3, pauseMs: 700 };
    const state = new MemoryState();
    let runs = 0;
    for (let done = 0; done < ROTATIONS; runs++) {
      const { report } = await world.audit({ options: { settle, maxDurationMs: 1 }, state });
      assert.ok(report.verdict === 'equal' || report.verdict === 'unfinished', `run ${runs}: ${report.verdict}`);
      assert.deepEqual([named(report), report.unsettled], [[], []], `run ${runs}`);
      if (report.verdict === 'equal') done++;
    }
    assert.ok(runs >= 2 * ROTATIONS);
  });

  const command = () => {
    const config = { indices: { [world.alias]: { table: 'public.things', settings: { number_of_replicas: 0, number_of_shards: 2 } } } };
    return runRealign({ args: ['audit', '--all', '--settle', '3x700ms', '--sample', '500'], config, databaseUrl: world.database.url });
  };

  it(`end with 0 every time for ${LOAD_SECONDS} s, and with 2 and the key once a document is spoiled`, async (test) => {
    const untilMs = performance.now() + LOAD_SECONDS * 1000;
    let runs = 0;
    do {
      const { code, stdout, stderr } = await command();
      assert.equal(code, 0, `run ${runs}: ${stdout.slice(-2000)} ${stderr.slice(-2000)}`);
      runs++;
    } while (performance.now() < untilMs);
    test.diagnostic(`${runs} audits in ${LOAD_SECONDS} s, all 0`);
    // A key that the feeder does not touch.
    const id = String(ROWS + 500);
    await world.database.client.query(`insert into things (id, name) values ($1, 'planted')`, [id]);
    await elasticsearch('PUT', `/${world.index}/_doc/${id}`, {
      id: Number(id),
      name: 'plantad',
      n: null,
      body: null,
      tags: null,
      doc: null,
      at: null,
    });
    const { code, events } = await command();
    assert.equal(code, 2);
    assert.deepEqual(
      events.filter(({ type }) => type === 'drift').map(({ id: key, kind, fields }) => [key, kind, fields]),
      [[id, 'different', ['name']]],
    );
    assert.equal(events.at(-1)?.exit_code, 2);
  });
});
