import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { ownServers } from '../../support/own-servers.ts';
import { newTotals, type SoakTotals, soakRound } from './soak-round.ts';

const PROJECT = join(import.meta.dirname, '..', '..', '..', '..');
const PAGE = join(PROJECT, 'docs', 'soak.md');

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const table = (head: string, counts: ReadonlyMap<string, number>): string =>
  [`| ${head} | times |`, '|---|---|', ...[...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, times]) => `| ${name} | ${times} |`)].join(
    '\n',
  );

interface Report {
  readonly seed: number;
  /** When it began: the tree may move on meanwhile. */
  readonly commit: string;
  readonly minutes: number;
  readonly totals: SoakTotals;
  /** Null: no difference and no failure. */
  readonly failure: string | null;
}

function page({ seed, commit, minutes, totals, failure }: Report): string {
  const { version } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as { version: string };
  return `# Soak

The last run of \`scripts/soak MINUTES --write\`: builds under random writers and random faults, one round after another. In each round the same command is run again until a
build is through, then once more in peace, and the index is compared with the table by an oracle that shares no code with realign; besides, the alias is looked at all the time
and must be on exactly one index, and at the end nothing may be left that \`status\` does not show and \`abort\` does not remove. \`SEED=${seed}\` makes the same choices again.

realign ${version} at ${commit}, ${cpus().length} cores, ${minutes.toFixed(1)} minutes, seeds ${seed} to ${seed + Math.max(0, totals.rounds - 1)}: **${failure === null ? 'no difference' : `failed: ${failure}`}**.

| rounds | runs | commits of the writers | documents compared | looks at the alias |
|---|---|---|---|---|
| ${totals.rounds} | ${totals.runs} | ${totals.commits} | ${totals.documents} | ${totals.aliasLooks} |

${table('fault', totals.faults)}

${table('end of a run', totals.exits)}
`;
}

/** Rounds until the time is over; the first that fails ends it, with its seed. */
async function soak(minutes: number, seed: number): Promise<Report> {
  const totals = newTotals();
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: PROJECT, encoding: 'utf8' }).trim();
  const startedMs = performance.now();
  const elapsed = (): number => (performance.now() - startedMs) / 60_000;
  const servers = await ownServers({ PG_SETTINGS: 'checkpoint_timeout=30s' });
  try {
    for (let round = 0; elapsed() < minutes; round++) {
      await soakRound(servers, seed + round, totals);
      say(
        `seed ${seed + round}: no difference; ${totals.runs} runs, ${[...totals.faults.values()].reduce((sum, n) => sum + n, 0)} faults, ${elapsed().toFixed(1)} min`,
      );
    }
    return { seed, commit, minutes: elapsed(), totals, failure: null };
  } catch (error) {
    say(`seed ${seed + totals.rounds}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return { seed, commit, minutes: elapsed(), totals, failure: `seed ${seed + totals.rounds}` };
  } finally {
    await servers.down();
  }
}

const [minutes = '', write] = process.argv.slice(2);
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1_000_000));
say(`SEED=${seed} scripts/soak ${minutes}`);
const report = await soak(Number(minutes), seed);
const text = page(report);
if (write === '--write') writeFileSync(PAGE, text);
say(text);
process.exitCode = report.failure === null ? 0 : 1;
