import { describe, it } from 'node:test';
import { freshDatabase } from '../support/servers.ts';
import { drawWorld } from './mixed/draw-world.ts';
import { runWorld } from './mixed/run-world.ts';

/** `SEED=n` repeats one round, `ROUNDS=n` runs more of them. */
const rounds = Number(process.env.ROUNDS ?? 6);
const firstSeed = Number(process.env.SEED ?? Date.now() % 1_000_000);
/** Most of a build's time here is waiting. */
const AT_ONCE = 3;

describe('a drawn table under drawn changes and misfortunes equals its index', { concurrency: AT_ONCE }, () => {
  for (let seed = firstSeed; seed < firstSeed + rounds; seed++) it(`seed ${seed}`, () => converge(seed));
});

async function converge(seed: number): Promise<void> {
  const world = drawWorld(seed);
  const database = await freshDatabase();
  try {
    await runWorld(database, world);
  } catch (cause) {
    const why = cause instanceof Error ? cause.stack : String(cause);
    throw new Error(`SEED=${seed} ROUNDS=1 does not converge: ${JSON.stringify(world)}\n${why}`, { cause });
  } finally {
    await database.drop();
  }
}
