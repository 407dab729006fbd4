/**
 * node scripts/fault-table.mjs [--check]   writes docs/faults.md from test/faults/matrix.json and the titles of the tests; --check fails if it is not up to date.
 * A test belongs to the rows that its title begins with ("F6: …", "F5 F7: …"). A row without a test must give its reason.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROJECT = dirname(dirname(fileURLToPath(import.meta.url)));
const PAGE = join(PROJECT, 'docs', 'faults.md');
const TITLE = /(['"`])((?:F\d+ )*F\d+: (?:(?!\1).)+)\1/g;

function testFiles() {
  const folder = join(PROJECT, 'test');
  return readdirSync(folder, { recursive: true })
    .filter((path) => path.endsWith('.test.ts'))
    .sort()
    .map((path) => ({ path: `test/${path}`, text: readFileSync(join(folder, path), 'utf8') }));
}

/** Row → the tests whose titles begin with it; what a loop fills in shows as `…`. */
function testsByRow(files) {
  const found = new Map();
  for (const { path, text } of files) {
    for (const [, , title] of text.matchAll(TITLE)) {
      const [rows, what] = [title.slice(0, title.indexOf(':')).split(' '), title.slice(title.indexOf(':') + 2)];
      for (const row of rows) found.set(row, [...(found.get(row) ?? []), { path, what: what.replace(/\$\{[^}]*\}/g, '…') }]);
    }
  }
  return found;
}

/** Tests that prove a row under a title of their own. */
function namedTests(entry, files) {
  return (entry.also ?? []).map(([path, what]) => {
    const file = files.find((one) => one.path === path);
    if (file === undefined || !file.text.includes(what)) throw new Error(`${entry.row}: ${path} has no test "${what}"`);
    return { path, what };
  });
}

const cell = (text) => text.replaceAll('|', '\\|');

/** Where the tests run: the long ones only with `--all`. */
const isLong = ({ path }) => path.split('/').includes('long');

function halves(tests) {
  if (tests.length === 0) return '–';
  if (tests.every(isLong)) return '`--all`';
  return tests.some(isLong) ? 'CI, more with `--all`' : 'CI';
}

function line(entry, tests) {
  const where = tests.map(({ path, what }) => `\`${path}\`: ${cell(what)}`);
  const notes = entry.not === undefined ? [] : [`**Not produced:** ${cell(entry.not)}`];
  return `| ${entry.row} | ${cell(entry.fault)} | ${cell(entry.outcome)} | ${halves(tests)} | ${[...where, ...notes].join('<br>')} |`;
}

function page(matrix, files) {
  const found = testsByRow(files);
  const lines = [];
  for (const entry of matrix) {
    const tests = [...(found.get(entry.row) ?? []), ...namedTests(entry, files)];
    if (tests.length === 0 && entry.not === undefined) throw new Error(`${entry.row} has neither a test nor a reason`);
    lines.push(line(entry, tests));
  }
  const unknown = [...found.keys()].filter((row) => !matrix.some((entry) => entry.row === row));
  if (unknown.length > 0) throw new Error(`no such rows: ${unknown.join(', ')}`);
  const tested = matrix.filter((entry) => (found.get(entry.row) ?? []).length + (entry.also ?? []).length > 0).length;
  return `# Faults

What must survive what, and the test that shows it. Written by \`npm run faults:write\` from \`test/faults/matrix.json\` and the titles of the tests; a check fails when
it is out of date. ${tested} of ${matrix.length} rows have a test: those with *CI* run in \`./scripts/test\`, before every change; those with \`--all\` have clusters of their own,
kill them, or go on for long, and run in \`./scripts/test --all\`.

In every row, besides what it says: readers see what they saw before, the exit code is the one of the table in the README, the error says what is unchanged and what to type next,
and whatever is left on the servers is shown by \`realign status\` and removed by \`realign abort\`. The tests in \`test/faults\` check that after each of them.

| row | fault | outcome | run | shown by |
|---|---|---|---|---|
${lines.join('\n')}
`;
}

const matrix = JSON.parse(readFileSync(join(PROJECT, 'test', 'faults', 'matrix.json'), 'utf8'));
const text = page(matrix, testFiles());
if (process.argv.includes('--check')) {
  if (readFileSync(PAGE, 'utf8') !== text) {
    process.stderr.write('docs/faults.md is not up to date: npm run faults:write\n');
    process.exitCode = 1;
  }
} else writeFileSync(PAGE, text);
