/**
 * Runs suites against every supported pair of PostgreSQL and Elasticsearch, each pair with an instance of its own, one after the other, and prints one table.
 *   --corners      only the oldest and the newest pair
 *   --pairs LIST   e.g. 14x8.18.8,18x9.0.8
 *   --suites LIST  of convergence, types, rules, source (all four if not given)
 *   --write        puts the results into docs/compatibility.md; pairs and suites that were not run keep theirs
 * The output of each run is kept in .services/matrix/; the tests must be built.
 */
import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const PROJECT = dirname(dirname(fileURLToPath(import.meta.url)));
const LOGS = join(PROJECT, '.services', 'matrix');
const PAGE = join(PROJECT, 'docs', 'compatibility.md');
const BEGIN = '<!-- matrix: begin -->';
const END = '<!-- matrix: end -->';

const POSTGRES = ['14', '15', '16', '17', '18'];
const ELASTICSEARCH = ['8.18.8', '9.0.8'];

/** Words for scripts/run-tests.mjs. */
const SUITES = {
  convergence: ['e2e/convergence', 'e2e/mixed-convergence'],
  types: ['e2e/types/'],
  rules: ['e2e/rule-', 'e2e/verifier'],
  source: ['postgres/'],
};

const say = (text) => process.stderr.write(`${text}\n`);

/** Runs a command to its end; what it printed, also to `log`. */
function run(command, args, { env, log }) {
  const child = spawn(command, args, { cwd: PROJECT, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const file = createWriteStream(log, { flags: 'a' });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      file.write(chunk);
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => file.end(() => resolve({ code, text })));
  });
}

const count = (text, word) => Number([...text.matchAll(new RegExp(`^ℹ ${word} (\\d+)$`, 'gm'))].at(-1)?.[1] ?? 0);

async function runSuite(suite, env, log) {
  const startedMs = performance.now();
  const { code, text } = await run(process.execPath, ['scripts/run-tests.mjs', ...SUITES[suite]], { env, log });
  const [pass, fail] = [count(text, 'pass'), count(text, 'fail')];
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  // No test at all is no success.
  const passed = code === 0 && pass > 0;
  return { passed, cell: passed ? `${pass} passed, ${seconds} s` : `**${fail} of ${pass + fail} failed**, ${seconds} s` };
}

async function runPair({ postgres, elasticsearch }, suites) {
  const name = `matrix-${process.pid}-${postgres}-${elasticsearch.replaceAll('.', '-')}`;
  const log = join(LOGS, `${postgres}x${elasticsearch}.log`);
  writeFileSync(log, '');
  const instance = {
    INSTANCE: name,
    PG_VERSION: postgres,
    ES_VERSION: elasticsearch,
    PG_PORT: '0',
    ES_PORT: '0',
    ES_HEAP: process.env.ES_HEAP ?? '512m',
  };
  try {
    const up = await run('scripts/services', ['up'], { env: instance, log });
    if (up.code !== 0) return { passed: false, cells: suites.map(() => '**no servers**') };
    const { text } = await run('scripts/services', ['env'], { env: instance, log });
    const urls = Object.fromEntries([...text.matchAll(/^export (\w+)='(.*)'$/gm)].map(([, variable, url]) => [variable, url]));
    const results = [];
    for (const suite of suites) {
      results.push(await runSuite(suite, urls, log));
      say(`PostgreSQL ${postgres} × Elasticsearch ${elasticsearch}   ${suite}: ${results.at(-1).cell.replaceAll('**', '')}`);
    }
    return { passed: results.every(({ passed }) => passed), cells: results.map(({ cell }) => cell) };
  } finally {
    await run('scripts/services', ['down'], { env: instance, log });
  }
}

function choosePairs({ corners, pairs }) {
  const all = ELASTICSEARCH.flatMap((elasticsearch) => POSTGRES.map((postgres) => ({ postgres, elasticsearch })));
  if (corners) return [all[0], all.at(-1)];
  if (pairs === undefined) return all;
  return pairs.split(',').map((pair) => {
    const found = all.find(({ postgres, elasticsearch }) => `${postgres}x${elasticsearch}` === pair);
    if (found === undefined) throw new Error(`no pair ${pair}: there is ${all.map((one) => `${one.postgres}x${one.elasticsearch}`).join(', ')}`);
    return found;
  });
}

function chooseSuites(names) {
  const suites = names?.split(',') ?? Object.keys(SUITES);
  for (const suite of suites) if (!Object.hasOwn(SUITES, suite)) throw new Error(`no suite ${suite}: there is ${Object.keys(SUITES).join(', ')}`);
  return suites;
}

const SERVERS = ['PostgreSQL', 'Elasticsearch'];
const cellsOf = (line) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** What a table says, by pair and suite. */
function readTable(table) {
  const [head = '', , ...lines] = table.trim().split('\n');
  const suites = cellsOf(head).slice(2);
  return new Map(
    lines
      .map(cellsOf)
      .map(([postgres, elasticsearch, ...cells]) => [
        `${postgres}x${elasticsearch}`,
        Object.fromEntries(suites.map((suite, at) => [suite, cells[at]])),
      ]),
  );
}

function tableOf(pairs, suites, results) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const rows = pairs.map(({ postgres, elasticsearch }) => {
    const result = results.get(`${postgres}x${elasticsearch}`);
    return line([postgres, elasticsearch, ...suites.map((suite) => result?.[suite] ?? 'not run')]);
  });
  return [line([...SERVERS, ...suites]), line([...SERVERS, ...suites].map(() => '---')), ...rows].join('\n');
}

/** The results beside those that the page has of other runs. */
function writePage(results) {
  const page = readFileSync(PAGE, 'utf8');
  const [before, rest] = page.split(BEGIN);
  const [known, after] = rest?.split(END) ?? [];
  if (after === undefined) throw new Error(`${PAGE} has no place for the table`);
  const all = readTable(known);
  for (const [pair, cells] of results) all.set(pair, { ...all.get(pair), ...cells });
  writeFileSync(PAGE, `${before}${BEGIN}\n${tableOf(choosePairs({}), Object.keys(SUITES), all)}\n${END}${after}`);
}

async function main() {
  const { values } = parseArgs({
    options: { corners: { type: 'boolean' }, pairs: { type: 'string' }, suites: { type: 'string' }, write: { type: 'boolean' } },
  });
  const [pairs, suites] = [choosePairs(values), chooseSuites(values.suites)];
  mkdirSync(LOGS, { recursive: true });
  const results = new Map();
  let passed = true;
  for (const pair of pairs) {
    const result = await runPair(pair, suites);
    passed &&= result.passed;
    results.set(`${pair.postgres}x${pair.elasticsearch}`, Object.fromEntries(suites.map((suite, at) => [suite, result.cells[at]])));
    // After each pair: an ended run keeps what it has seen.
    if (values.write) writePage(results);
  }
  process.stdout.write(`${tableOf(pairs, suites, results)}\n`);
  if (!passed) say(`not all passed; see ${LOGS}`);
  return passed ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  say(`scripts/matrix: ${error.message}`);
  process.exitCode = 1;
}
