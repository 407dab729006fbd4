import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { randomOf, seedRows, WORKLOAD_SCHEMA } from '../../e2e/writers.ts';
import { assertIndexEqualsTable } from '../../support/oracle.ts';
import type { OwnServers } from '../../support/own-servers.ts';
import type { RealignExit } from '../../support/run-realign.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type FaultWorld, faultWorld } from '../fault-world.ts';
import { watchAlias } from './alias-watch.ts';
import { chooseFault } from './soak-faults.ts';
import { startSteadyWriter } from './steady-writer.ts';

const KEYS = 3000;
/** Behind so many runs nothing strikes any more: every build must come to its end once it is left alone. */
const MOST_DISTURBED = 8;
const MOST_RUNS = 16;

/** What happened in a round, or in all of them. */
export interface SoakTotals {
  rounds: number;
  runs: number;
  commits: number;
  documents: number;
  aliasLooks: number;
  readonly exits: Map<string, number>;
  readonly faults: Map<string, number>;
}

export function newTotals(): SoakTotals {
  return { rounds: 0, runs: 0, commits: 0, documents: 0, aliasLooks: 0, exits: new Map(), faults: new Map() };
}

interface Round {
  readonly servers: OwnServers;
  readonly world: FaultWorld;
  readonly random: (below: number) => number;
  readonly totals: SoakTotals;
}

const count = (counts: Map<string, number>, name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);

/** The only ends of a run that was disturbed: through, killed, or resumable. */
function noteExit(totals: SoakTotals, exit: RealignExit): void {
  totals.runs++;
  count(totals.exits, exit.signal ?? String(exit.code));
  const expected = exit.signal === 'SIGKILL' || [0, 69, 75, 143].includes(exit.code ?? -1);
  assert.ok(expected, `exit ${exit.code} ${exit.signal}: ${exit.stderr.slice(-2000)}\n${exit.stdout.slice(-2000)}`);
}

/** One run, struck at random moments until it ends. */
async function disturbedRun({ servers, world, random, totals }: Round, disturbed: boolean): Promise<RealignExit> {
  const flags = ['--rate', String(1500 + random(6000)), '--copy-jobs', String(1 + random(4)), '--bulk-jobs', String(1 + random(4)), '--keep', '0'];
  const run = world.start({ index: { table: 'public.things' }, flags: [...flags, '--bulk-bytes', `${32 << random(6)}KiB`] });
  let over = false;
  const ended = run.ended.finally(() => {
    over = true;
  });
  while (disturbed && !over) {
    const target = world.points.hits.length + 5 + random(80);
    await waitFor('a moment to strike at', () => over || world.points.hits.length >= target, 600_000);
    await Promise.race([pause(random(50)), ended]);
    if (over) break;
    const fault = chooseFault(random);
    count(totals.faults, fault.name);
    await fault.strike({ servers, world, run, random });
  }
  return await ended;
}

/** Builds under writers and faults until one is through, then once more without both, and compares. Throws whatever is not as it must be. */
export async function soakRound(servers: OwnServers, seed: number, totals: SoakTotals): Promise<void> {
  const random = randomOf(seed);
  const world = await faultWorld();
  const round: Round = { servers, world, random, totals };
  const watch = watchAlias(world.alias);
  try {
    await world.sql(`${WORKLOAD_SCHEMA} ${seedRows(KEYS)}; analyze things`);
    const writers = Array.from({ length: 1 + random(3) }, (_, n) => startSteadyWriter(world.database.url, seed * 10 + n, KEYS));
    try {
      for (let runs = 0; ; runs++) {
        assert.ok(runs < MOST_RUNS, `not through after ${runs} runs`);
        const exit = await disturbedRun(round, runs < MOST_DISTURBED);
        noteExit(totals, exit);
        if (exit.code === 0) break;
      }
    } finally {
      for (const writer of writers) totals.commits += await writer.stop();
    }
    // What was written behind the drain of that run is not in its index: the next build has it.
    world.http.forget();
    const last = await disturbedRun(round, false);
    noteExit(totals, last);
    assert.equal(last.code, 0, last.stderr);
    await assertIndexEqualsTable({ client: world.database.client, table: 'public.things', index: world.alias });
    totals.documents += Number((await world.sql('select count(*) as n from things'))[0]?.n);
    totals.rounds++;
  } finally {
    totals.aliasLooks += await watch.stop();
    await world.dispose();
  }
}
