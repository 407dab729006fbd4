import { faultTest } from './fault-world.ts';

const PUBLICATION = `(select quote_ident(pubname) from pg_publication)`;
const onPublication = (verb: string): string => `do $$ begin execute format($f$${verb}$f$, ${PUBLICATION}); end $$`;

/** Each during the load; the build must not be swapped, and says what changed. */
const CHANGES = [
  ['F36: a column is dropped', 'alter table t drop column body'],
  ['F36: a column is added', 'alter table t add column extra text'],
  ['F36: a column is renamed', 'alter table t rename column v to w'],
  ['F36: the type of a column changes', 'alter table t alter column v type varchar(500)'],
  [
    'F37: the table is dropped and made again',
    'drop table t; create table t (id int primary key, v text, body text); insert into t select 1, $$x$$, null',
  ],
  ['F37: the table is renamed', 'alter table t rename to other'],
  [
    'F37: the table is swapped for another by renaming',
    'create table u (like t including all); alter table t rename to gone; alter table u rename to t',
  ],
  ['F37: the publication is dropped', onPublication('drop publication %s')],
  ['F37: the publication publishes less', onPublication(`alter publication %s set (publish = 'insert')`)],
  ['F38: REPLICA IDENTITY NOTHING is set', 'alter table t replica identity nothing'],
] as const;

for (const [what, sql] of CHANGES) {
  faultTest(`${what} during the load: exit 24, not swapped`, async (world) => {
    world.points.at('chunk.settled', () => world.sql(sql));
    await world.assertStopped(await world.rebuild({ flags: ['--rate', '1500'] }), 24);
  });
}

/** Right before the swap the catalog is looked at once more. */
for (const at of [0, 4, 7] as const) {
  const [what, sql] = CHANGES[at];
  faultTest(`${what} behind the verification: exit 24, not swapped`, async (world) => {
    world.points.at('verify.compared', () => world.sql(sql));
    await world.assertStopped(await world.rebuild(), 24);
  });
}

faultTest('VACUUM FULL during the load: loaded again, not lost', async (world) => {
  world.points.at('chunk.settled', async () => {
    await world.sql('delete from t where id % 3 = 0');
    // Several statements in one message are one transaction, in which it cannot run.
    await world.sql('vacuum full t');
  });
  await world.assertServed(await world.rebuild({ flags: ['--rate', '1500'] }));
});
