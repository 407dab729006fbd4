/**
 * node scripts/run-tests.mjs core | ci | all | PATH…   runs compiled tests; node 20's `node --test` knows no globs.
 *   core   tests that need no server: test/core, and any folder named "pure"
 *   ci     every test but those in folders named "long"; the servers come from DATABASE_URL and ELASTICSEARCH_URL
 *   all    every test
 *   PATH   every test whose path holds one of these words, e.g. postgres/ or wal/pgoutput
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROJECT = dirname(dirname(fileURLToPath(import.meta.url)));
const COMPILED = join(PROJECT, 'dist', 'test');
const TEST_TIMEOUT_MS = 30 * 60_000;
/** A crash loop of a hundred builds is one file. */
const LONG_TIMEOUT_MS = 4 * 60 * 60_000;

class UsageError extends Error {}

/** What was compiled from a file that is still there: `dist` keeps the tests of deleted files. */
function compiledTests() {
  if (!existsSync(COMPILED)) return [];
  return readdirSync(COMPILED, { recursive: true })
    .filter((path) => path.endsWith('.test.js') && existsSync(join(PROJECT, 'test', path.replace(/\.js$/, '.ts'))))
    .sort();
}

const isPure = (path) => path.startsWith('core/') || path.split('/').includes('pure');
/** The model needs no server either, but more time than the core's tests may take. */
const needsServers = (path) => !isPure(path) && !path.startsWith('model/');

/** They have clusters of their own, kill them, or go on for long. */
const isLong = (path) => path.split('/').includes('long');

const GROUPS = { core: isPure, ci: (path) => !isLong(path), all: () => true };

function selectTests(words) {
  const option = words.find((word) => word.startsWith('-'));
  if (words.length === 0 || option !== undefined) throw new UsageError(`${option ?? 'nothing to run'}: core | ci | all | PATH…`);
  const tests = compiledTests();
  const chosen = new Set();
  for (const word of words) {
    const path = word.replace(/^(dist\/)?test\//, '').replace(/\.(ts|js)$/, '');
    const found = tests.filter(GROUPS[word] ?? ((test) => test.includes(path)));
    if (found.length === 0) throw new UsageError(`no compiled test matches ${word}: npm run build first?`);
    for (const test of found) chosen.add(test);
  }
  return tests.filter((test) => chosen.has(test));
}

function requireServers(tests) {
  if (!tests.some(needsServers)) return;
  const missing = ['DATABASE_URL', 'ELASTICSEARCH_URL'].filter((name) => !process.env[name]);
  if (missing.length === 0) return;
  throw new Error(`${missing.join(' and ')} not set: scripts/services up && eval "$(scripts/services env)", or run ./scripts/test`);
}

const isolated = (timeoutMs) => [
  '--test',
  '--test-reporter=spec',
  `--test-concurrency=${Math.max(2, availableParallelism())}`,
  `--test-timeout=${timeoutMs}`,
];
const TOGETHER = ['--test-reporter=spec', join(PROJECT, 'scripts', 'in-one-process.mjs')];

/** A hook at the top of a file belongs to that file only if the file has a process of its own. */
const hasHooks = (path) => /^(before|after)(Each)?\(/m.test(readFileSync(join(COMPILED, path), 'utf8'));

/** The processes to run side by side. Tests that need no server share one for the command line and one for the rest: they load different halves of the program. */
function processesFor(tests) {
  if (!tests.every(isPure)) return [[isolated(tests.some(isLong) ? LONG_TIMEOUT_MS : TEST_TIMEOUT_MS), tests]];
  const [alone, shared] = [tests.filter(hasHooks), tests.filter((path) => !hasHooks(path))];
  const ofCli = (path) => path.startsWith('cli/');
  return [
    [TOGETHER, shared.filter((path) => !ofCli(path))],
    [TOGETHER, shared.filter(ofCli)],
    [isolated(TEST_TIMEOUT_MS), alone],
  ].filter(([, files]) => files.length > 0);
}

/** Passes the output on (line by line where it is the only one) and remembers node's summary, which a failing run prints far above its end. */
function runNode([options, tests], isOnly) {
  const files = tests.map((path) => relative(process.cwd(), join(COMPILED, path)));
  const child = spawn(process.execPath, [...options, ...files], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    if (isOnly) process.stdout.write(chunk);
    text += chunk;
  });
  child.once('close', () => {
    if (!isOnly) process.stdout.write(text);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) =>
      resolve({ code: code ?? 1, signal, summary: text.match(/^ℹ (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) .*$/gm) ?? [] }),
    );
  });
}

const count = (summary, word) => Number(summary.findLast((line) => line.startsWith(`ℹ ${word} `))?.split(' ')[2] ?? 0);

/** The sums of several runs, in the words of node's own summary. */
function total(runs) {
  const words = ['tests', 'pass', 'fail', 'cancelled', 'skipped'];
  return words.map((word) => `ℹ ${word} ${runs.reduce((sum, { summary }) => sum + count(summary, word), 0)}`);
}

async function main() {
  const tests = selectTests(process.argv.slice(2));
  requireServers(tests);
  const processes = processesFor(tests);
  const runs = await Promise.all(processes.map((one) => runNode(one, processes.length === 1)));
  const ended = runs.find(({ signal }) => signal !== null);
  if (ended !== undefined) throw new Error(`node --test was ended by ${ended.signal}`);
  const failed = runs.find(({ code }) => code !== 0);
  if (failed !== undefined || runs.length > 1) process.stdout.write(`\n${total(runs).join('\n')}\n`);
  if (runs.some(({ summary }) => count(summary, 'skipped') > 0)) {
    throw new Error('skipped tests are not allowed here: they hide what was not looked at');
  }
  return failed?.code ?? 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`run-tests: ${error.message}\n`);
  process.exitCode = error instanceof UsageError ? 64 : 1;
}
