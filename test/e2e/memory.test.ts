import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { type RealignExit, startRealign } from '../support/run-realign.ts';
import { elasticsearch } from '../support/servers.ts';
import { waitFor } from '../support/wait-for.ts';
import { type CommandWorld, commandWorld } from './command-world.ts';

/** For any number of rows: what docs/performance.md wants (200), and room for a busy machine, which collects garbage later. */
const LIMIT_MB = 250;
/** The second is the size of the promise; `MEMORY_ROWS=n` tries another one. */
const SIZES = [20_000, Number(process.env.MEMORY_ROWS ?? 1_000_000)];
const DEADLINE_MS = 9 * 60_000;

let world: CommandWorld;

before(async () => {
  world = await commandWorld('public.wide', 'create table wide (id bigint primary key, name text, price numeric(12,3), body text, made timestamptz)');
});

after(() => world.dispose());

/** Rows of about 700 bytes, after those that are there. */
const fill = (from: number, to: number): Promise<unknown> =>
  world.database.client.query(
    `insert into wide select i, 'name ' || i, i * 1.001, repeat(md5(i::text), 20), timestamptz '2024-01-01' + i * interval '1 second' from generate_series(${from + 1}, ${to}) i`,
  );

/** The kernel's own record of the most memory that was resident at once; null when the program is gone. */
function peakMb(pid: number): number | null {
  try {
    const line = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return line === null ? null : Number(line[1]) / 1024;
  } catch {
    return null;
  }
}

/** Directly, not by the proxy, which would hold the bodies in this process and take its time. */
async function rebuildWatched(): Promise<{ readonly exit: RealignExit; readonly peak: number; readonly byPhase: ReadonlyMap<unknown, number> }> {
  const { config, ...request } = world.request('rebuild');
  const { elasticsearch: _proxied, ...direct } = config ?? {};
  const run = startRealign({ ...request, config: direct });
  let peak = 0;
  const byPhase = new Map<unknown, number>();
  let over = false;
  const ended = run.ended.finally(() => {
    over = true;
  });
  await waitFor(
    'the rebuild to end',
    () => {
      peak = Math.max(peak, peakMb(run.pid) ?? 0);
      byPhase.set(run.events.findLast(({ type }) => type === 'phase.started')?.phase ?? 'start', Math.round(peak));
      return over;
    },
    DEADLINE_MS,
  );
  return { exit: await ended, peak, byPhase };
}

let filled = 0;
for (const rows of SIZES) {
  test(`a whole rebuild of ${rows} rows stays under ${LIMIT_MB} MB`, async (context) => {
    await fill(filled, rows);
    filled = rows;
    const startedMs = performance.now();
    const { exit, peak, byPhase } = await rebuildWatched();
    assert.equal(exit.code, 0, exit.stderr);
    const seconds = (performance.now() - startedMs) / 1000;
    console.log(
      `${rows} rows: peak ${peak.toFixed(0)} MB resident, ${seconds.toFixed(0)} s, ${(rows / seconds).toFixed(0)} rows/s with the verification`,
    );
    context.diagnostic(`highest so far at the end of each phase, in MB: ${[...byPhase].map(([phase, mb]) => `${phase} ${mb}`).join(', ')}`);
    assert.equal((await elasticsearch('GET', `/${world.alias}/_count`)).json.count, rows);
    assert.ok(peak > 20 && peak < LIMIT_MB, `peak ${peak.toFixed(0)} MB`);
    assert.equal(exit.events.find(({ type }) => type === 'verify.result')?.passed, true);
  });
}
