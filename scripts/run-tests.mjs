/**
 * node scripts/run-tests.mjs core | all | PATH…   runs compiled tests; node 20's `node --test` knows no globs.
 *   core   tests that need no server: test/core, and any folder named "pure"
 *   all    every test but the fault matrix (faults/); the servers come from DATABASE_URL and ELASTICSEARCH_URL
 *   PATH   every test whose path holds one of these words, e.g. postgres/ or wal/pgoutput
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
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

/** Streams the output through and remembers node's summary, which a failing run prints far above its end. */
function runNode(tests) {
  const concurrency = Math.max(2, availableParallelism());
  const files = tests.map((path) => relative(process.cwd(), join(COMPILED, path)));
  const isolated = ['--test', '--test-reporter=spec', `--test-concurrency=${concurrency}`, `--test-timeout=${TEST_TIMEOUT_MS}`];
  const options = tests.every(isPure) ? ['--test-reporter=spec', join(PROJECT, 'scripts', 'in-one-process.mjs')] : isolated;
  const child = spawn(process.execPath, [...options, ...files], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    process.stdout.write(chunk);
    text += chunk;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) =>
      resolve({ code: code ?? 1, signal, summary: text.match(/^ℹ (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) .*$/gm) ?? [] }),
    );
  });
}

const count = (summary, word) => Number(summary.findLast((line) => line.startsWith(`ℹ ${word} `))?.split(' ')[2] ?? 0);

async function main() {
  const tests = selectTests(process.argv.slice(2));
  if (tests.length === 0) throw new Error('no compiled test matches: npm run build first?');
  requireServers(tests);
  const { code, signal, summary } = await runNode(tests);
  if (signal !== null) throw new Error(`node --test was ended by ${signal}`);
  if (code !== 0) process.stdout.write(`\n${summary.slice(-8).join('\n')}\n`);
  if (count(summary, 'skipped') > 0) throw new Error('skipped tests are not allowed here: they hide what was not looked at');
  return code;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`run-tests: ${error.message}\n`);
  process.exitCode = 1;
}
