/**
 * Audits of the demo's places under its writer, for `MINUTES`: each must end with 0. Then one document is spoiled, and the next audit must end with 2 and
 * name it. `scripts/audit-soak` starts the servers around it. Exit 1 if anything is not as promised.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { SECOND_CONFIG } from './walkthrough/configs.ts';
import { createPlaces } from './walkthrough/places.ts';
import { type RealignResult, runRealign } from './walkthrough/realign.ts';
import { connect, elasticsearch } from './walkthrough/servers.ts';
import { chapter, command, lastOf, number, type Promised, say, sayEvent, sayPromise, seconds } from './walkthrough/transcript.ts';
import { startWriter } from './walkthrough/writer.ts';

const FOLDER = '.audit-soak';
const CONFIG = `${FOLDER}/realign.yaml`;
const MINUTES = Number(process.env.MINUTES ?? 10);
/** An id that the writer never draws. */
const PLANTED = '2000000000';
const APPEARS_WITHIN_MS = 60_000;

interface Follower {
  /** Ends it, and gives its exit code. */
  stop(): Promise<number | null>;
}

/** `rebuild --follow` in the background; resolves once it follows. */
async function startFollower(): Promise<Follower> {
  const args = ['rebuild', 'places', '--follow', '--config', CONFIG];
  return new Promise((resolve, reject) => {
    const ended = runRealign({
      args,
      log: `${FOLDER}/follower.log`,
      onEvent: (event, child) => {
        sayEvent(event);
        if (event.type === 'phase.started' && event.phase === 'follow') resolve({ stop: () => stop(child) });
      },
    });
    const stop = async (child: ChildProcess): Promise<number | null> => {
      child.kill('SIGTERM');
      return (await ended).code;
    };
    ended.then(({ code }) => reject(new Error(`the follower ended with ${code} before it followed: ${FOLDER}/follower.log`)), reject);
  });
}

function audit(run: number): Promise<RealignResult> {
  return runRealign({ args: ['audit', '--all', '--config', CONFIG], log: `${FOLDER}/audit-${run}.log`, onEvent: () => undefined });
}

function describe(result: RealignResult): string {
  const report = lastOf(result, 'audit.result');
  const partitions = `${number(report?.partitionsEqual)} of ${number(report?.partitions)} partitions equal at once`;
  return `exit ${result.code}, ${report?.verdict}: ${number(report?.rows)} rows, ${number(report?.documents)} documents, ${partitions}, ${report?.unsettledCount} unsettled`;
}

async function auditsUnderLoad(): Promise<Promised> {
  const untilMs = performance.now() + MINUTES * 60_000;
  const codes: (number | null)[] = [];
  do {
    const beganMs = performance.now();
    const result = await audit(codes.length);
    codes.push(result.code);
    say(`  ${describe(result)}   ${seconds(performance.now() - beganMs)}`);
  } while (performance.now() < untilMs);
  const bad = codes.filter((code) => code !== 0);
  return { text: `${codes.length} audits in ${MINUTES} minutes, exit codes other than 0: ${bad.join(', ') || 'none'}`, kept: bad.length === 0 };
}

/** A row of its own, which reaches the index by the replay, and then a value that nobody but this script writes. */
async function plantFault(): Promise<void> {
  const client = await connect('soak');
  await client.query(
    `insert into places (id, name, codes, region, latitude, longitude, position, spot, added, updated)
     select $1, name, codes, region, latitude, longitude, position, spot, added, updated from places where id > 0 limit 1`,
    [PLANTED],
  );
  await client.end();
  const deadline = performance.now() + APPEARS_WITHIN_MS;
  while ((await elasticsearch<{ readonly count: number }>('POST', '/places/_count', { query: { ids: { values: [PLANTED] } } })).count === 0) {
    if (performance.now() > deadline) throw new Error('the planted row did not reach the index within a minute');
    await pause(200);
  }
  await elasticsearch('POST', `/places/_update/${PLANTED}`, { doc: { name: 'Nowhere' } });
}

async function findsTheFault(): Promise<Promised> {
  await plantFault();
  command('realign audit --all');
  const result = await audit(9999);
  say(`  ${describe(result)}`);
  const found = result.events.filter(({ type }) => type === 'drift').map(({ id, kind, fields }) => `${id} ${kind} ${String(fields)}`);
  return {
    text: `one planted fault: exit ${result.code}, named: ${found.join('; ')}`,
    kept: result.code === 2 && found.length === 1 && found[0] === `${PLANTED} different name`,
  };
}

async function main(): Promise<void> {
  const beganMs = performance.now();
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(CONFIG, SECOND_CONFIG);
  const client = await connect('soak');
  const rows = await createPlaces(client);
  await client.end();
  chapter(`1. An index of ${number(rows)} places, kept fresh`);
  command('realign rebuild places --follow');
  const follower = await startFollower();
  const writer = await startWriter(rows);
  const writingMs = performance.now();
  chapter(`2. Audits for ${MINUTES} minutes while the writer is at work`);
  command('realign audit --all');
  const equal = await auditsUnderLoad();
  sayPromise(equal);
  chapter('3. One document is spoiled');
  const found = await findsTheFault();
  sayPromise(found);
  const { inserts, updates, deletes, keyChanges } = writer.counts;
  const rate = ((inserts + updates + deletes + keyChanges) * 1000) / (performance.now() - writingMs);
  await writer.stop();
  const stopped = await follower.stop();
  const ended: Promised = { text: `the writer changed ${rate.toFixed(0)} rows a second; the follower ended with ${stopped}`, kept: stopped === 143 };
  sayPromise(ended);
  const kept = [equal, found, ended].every((promise) => promise.kept);
  chapter(kept ? `Everything as promised, in ${seconds(performance.now() - beganMs)}.` : `Not as promised (logs in ${FOLDER}/).`);
  process.exitCode = kept ? 0 : 1;
}

await main();
