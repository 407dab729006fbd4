/**
 * node scripts/run-tests.mjs core | all | PATH…   runs compiled tests; node 20's `node --test` knows no globs.
 *   core   tests that need no server: test/core, and any folder named "pure"
 *   all    every test but the fault matrix (faults/); the servers come from DATABASE_URL and ELASTICSEARCH_URL
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

function selectTests(words) {
  const tests = compiledTests();
  // The fault matrix kills and starves servers: it has its own run (`faults/`), alone on the machine.
  if (words.length === 0 || words.includes('all')) return tests.filter((path) => !path.startsWith('faults/'));
  const wanted = words.map((word) => word.replace(/^(dist\/)?test\//, '').replace(/\.(ts|js)$/, ''));
  return tests.filter((path) => wanted.some((word) => (word === 'core' ? isPure(path) : path.includes(word))));
}

function requireServers(tests) {
  if (!tests.some(needsServers)) return;
  const missing = ['DATABASE_URL', 'ELASTICSEARCH_URL'].filter((name) => !process.env[name]);
  if (missing.length === 0) return;
  throw new Error(`${missing.join(' and ')} not set: scripts/services up && eval "$(scripts/services env)", or run ./scripts/test`);
}

const ISOLATED = ['--test', '--test-reporter=spec', `--test-concurrency=${Math.max(2, availableParallelism())}`, `--test-timeout=${TEST_TIMEOUT_MS}`];
const TOGETHER = ['--test-reporter=spec', join(PROJECT, 'scripts', 'in-one-process.mjs')];

/** A hook at the top of a file belongs to that file only if the file has a process of its own. */
const hasHooks = (path) => /^(before|after)(Each)?\(/m.test(readFileSync(join(COMPILED, path), 'utf8'));

/** The processes to run side by side. Tests that need no server share one for the command line and one for the rest: they load different halves of the program. */
function processesFor(tests) {
  if (!tests.every(isPure)) return [[ISOLATED, tests]];
  const [alone, shared] = [tests.filter(hasHooks), tests.filter((path) => !hasHooks(path))];
  const ofCli = (path) => path.startsWith('cli/');
  return [
    [TOGETHER, shared.filter((path) => !ofCli(path))],
    [TOGETHER, shared.filter(ofCli)],
    [ISOLATED, alone],
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
  if (tests.length === 0) throw new Error('no compiled test matches: npm run build first?');
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
  process.exitCode = 1;
}
