import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertIndexEqualsTable } from '../support/oracle.ts';
import { elasticsearch } from '../support/servers.ts';
import { waitFor } from '../support/wait-for.ts';
import { type AuditWorld, auditWorld, edit, named } from './audit-world.ts';
import { startWriter } from './writers.ts';

const ROWS = 3000;
const ROUNDS = Number(process.env.ROUNDS ?? 3);

describe('audits of an index that realign feeds', () => {
  let world: AuditWorld;

  before(async () => {
    world = await auditWorld(ROWS, {}, { follow: true });
  });

  after(async () => world?.dispose());

  const settle = { rounds: 2, pauseMs: 100 };

  it(`wait for the follower and invent nothing in ${ROUNDS} rounds beside a random writer`, async () => {
    const writer = startWriter(world.database.url, 5, ROWS);
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const { report } = await world.audit({ options: { settle } });
        assert.deepEqual([report.verdict, report.fedBy, named(report), report.unsettled], ['equal', 'realign', [], []], `round ${round}`);
        assert.equal(report.foreignWrites, 0, 'the follower is nobody else');
      }
    } finally {
      await writer.stop();
    }
  });

  it('find and mend drift beside the follower, whose later changes still arrive', async () => {
    const { database, index } = world;
    await database.client.query(
      `delete from things where id in (11, 12); insert into things (id, name) values (11, 'eleven'), (12, 'twelve'), (9001, 'right')`,
    );
    await waitFor('the follower', async () => (await elasticsearch('HEAD', `/${index}/_doc/9001`)).status === 200);
    await edit(index, '11', (source) => source.replace('eleven', 'elf'));
    await elasticsearch('DELETE', `/${index}/_doc/12`);
    await elasticsearch('PUT', `/${index}/_doc/9002`, { id: 9002 });
    const writer = startWriter(database.url, 6, 10);
    const { report } = await world.audit({ options: { settle, repair: 'yes' } }).finally(() => writer.stop());
    assert.deepEqual(named(report), ['different 11 name', 'extra 9002', 'missing 12']);
    assert.deepEqual([report.repair?.refused, report.repair?.proved], [[], 3]);
    await database.client.query(`update things set name = 'later' where id in (11, 12); insert into things (id, name) values (9002, 'later')`);
    const isLater = async (id: string) => (await elasticsearch('GET', `/${index}/_doc/${id}`)).json?._source?.name === 'later';
    await waitFor('the changes after the repair', async () => (await isLater('11')) && (await isLater('12')) && (await isLater('9002')));
    await waitFor('the follower', async () => (await world.audit({ options: { settle } })).report.verdict === 'equal', 30_000);
    await assertIndexEqualsTable({ client: database.client, table: 'things', index });
  });
});
