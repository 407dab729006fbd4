import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { randomOf, WORKLOAD_SCHEMA } from '../../e2e/writers.ts';
import { assertIndexEqualsTable } from '../../support/oracle.ts';
import { type OwnServers, ownServers } from '../../support/own-servers.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type FaultWorld, faultWorld } from '../fault-world.ts';
import { crashElasticsearch, stopPostgres } from './server-faults.ts';
import { startSteadyWriter } from './steady-writer.ts';

/**
 * `LOOPS=100 SEED=7 node --test dist/test/faults/long/crash-loop.test.js`: builds killed at random times, now and then a server with them, each until it is through; one
 * seed a loop, in the title.
 */
const LOOPS = Number(process.env.LOOPS ?? '2');
const SEED = Number(process.env.SEED ?? '1');
const KEYS = 2000;
const MOST_KILLS = 7;

let servers: OwnServers;

before(async () => {
  servers = await ownServers();
});

after(() => servers.down());

/** One kill after a random time; true if the run came to its end before it. */
async function runAndKill(world: FaultWorld, random: (below: number) => number, kills: number): Promise<boolean> {
  const run = world.start({ index: { table: 'public.things' }, flags: ['--rate', String(2000 + random(6000)), '--copy-jobs', '3', '--keep', '0'] });
  let over = false;
  const ended = run.ended.finally(() => {
    over = true;
  });
  if (kills < MOST_KILLS) {
    // After a random number of moments and a little more: spread over the whole course of a run, however fast the machine is.
    const target = world.points.hits.length + random(90);
    await waitFor('a moment to kill at', () => over || world.points.hits.length >= target, 300_000);
    await Promise.race([pause(random(40)), ended]);
    run.kill(random(4) === 0 ? 'SIGTERM' : 'SIGKILL');
  }
  const exit = await ended;
  if (exit.code === 0) return true;
  const expected = exit.signal !== null || exit.code === 143;
  assert.ok(expected, `exit ${exit.code}: ${exit.stderr.slice(-1500)} ${exit.stdout.slice(-1500)}`);
  return false;
}

/** What was killed with the build. */
async function crashServer(world: FaultWorld, random: (below: number) => number): Promise<void> {
  const which = random(6);
  if (which === 0) await crashElasticsearch(servers);
  if (which === 1) await stopPostgres(servers, world);
}

async function loop(seed: number): Promise<number> {
  const random = randomOf(seed);
  const world = await faultWorld();
  try {
    await world.sql(
      `${WORKLOAD_SCHEMA} insert into things select g, 'n' || g, g, repeat(md5(g::text), 10), array['t'], '{"k": 1}', now() from generate_series(1, ${KEYS}) g; analyze things`,
    );
    const writers = [1, 2].map((n) => startSteadyWriter(world.database.url, seed * 10 + n, KEYS));
    let kills = 0;
    let writing = true;
    const stop = async (): Promise<void> => {
      if (writing) await Promise.all(writers.map((writer) => writer.stop()));
      writing = false;
    };
    try {
      for (; !(await runAndKill(world, random, kills)); kills++) {
        await crashServer(world, random);
        // The last run must have nothing to miss behind its drain.
        if (kills >= MOST_KILLS - 1) await stop();
      }
    } finally {
      await stop();
    }
    // What was written behind the drain of a run that came to its end while the writers wrote is not in that index: the next build has it.
    if (kills < MOST_KILLS) assert.ok(await runAndKill(world, random, MOST_KILLS));
    await assertIndexEqualsTable({ client: world.database.client, table: 'public.things', index: world.alias });
    return kills;
  } finally {
    await world.dispose();
  }
}

for (let n = 0; n < LOOPS; n++) {
  test(`crash loop, seed ${SEED + n}: killed at random times under writers, servers too, the same command again, until the alias serves exactly the table`, async (context) => {
    context.diagnostic(`${await loop(SEED + n)} kills`);
  });
}
