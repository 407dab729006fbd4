import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Case, readCases } from '../read-case.ts';

const PAGE = join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'changes.md');

const OUTCOMES: { readonly [exit: number]: string } = {
  0: 'the new index equals the table and serves',
  20: 'refused by the preflight; nothing was made',
  22: 'the verification finds it; not swapped',
  24: 'noticed; not swapped, a new build is needed',
  25: 'more rejects than allowed; not swapped',
  64: 'a mistake in the config; nothing was made',
};

function page(cases: readonly Case[]): string {
  const rows = cases.map(({ name, expect }) => `| ${cell(expect.shows)} | ${outcome(expect.exit)} | \`${name}\` | ${cell(expect.from)} |`);
  return `# What happens to tables and changes

Each line is a folder of \`test/cases\` (schema, rows, what is written during the build, config, expected end) that the test suite runs against real servers; equality is judged by an
oracle that shares no code with realign. This page is written from those folders: \`WRITE_DOCS=1 node --test dist/test/cases/pure/changes-page.test.js\`.

| what | how the build ends | case | from |
|---|---|---|---|
${rows.join('\n')}
`;
}

function outcome(exit: number): string {
  return `${OUTCOMES[exit] ?? ''} (${exit})`;
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

test('docs/changes.md says what the cases show', () => {
  const text = page(readCases());
  if (process.env.WRITE_DOCS === '1') writeFileSync(PAGE, text);
  assert.equal(readFileSync(PAGE, 'utf8'), text, 'write it anew with WRITE_DOCS=1');
});
