import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TYPE_CASES, type TypeCase } from '../type-cases.ts';

const PAGE = join(import.meta.dirname, '..', '..', '..', '..', '..', 'docs', 'types.md');

const INTRODUCTION = `# Types

The JSON of every type, as \`test/e2e/types\` checks it on a real server: these values and generated ones come by COPY, by the stream and by lookup, under a role with odd
defaults, and each time the document has exactly these bytes, also when it is read back from Elasticsearch. This page is made from that test
(\`UPDATE_DOCS=1 node --test dist/test/e2e/types/pure/types-page.test.js\`).

Refused unless a policy says otherwise (\`onNonFinite\`, \`onUnrepresentable\`): NaN and infinite numbers, numbers of more than 1,000 digits, infinite times, years before 1 and
after 9999; also inside of arrays, ranges and composites. Always refused by Elasticsearch: \`json\` with a repeated key, \`json\` and \`jsonb\` with a number of more than
1,000 digits or more than 1,000 levels. A range that is smaller than what Elasticsearch tells apart (a millisecond, a double) is refused under the inferred mapping; store it
without searching it (\`fields.NAME: {type: object, enabled: false}\`).

| type | PostgreSQL reads | JSON |
| --- | --- | --- |
`;

const SHOWN = 90;

function cell(text: string): string {
  const short = text.length > SHOWN ? `${text.slice(0, SHOWN - 20)}… (${text.length} characters)` : text;
  const visible = short.replaceAll(/[\p{Cc}\p{Zl}\p{M}]/gu, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const fence = visible.includes('`') ? '``' : '`';
  return `${fence}${visible.replaceAll('|', '\\|') || ' '}${fence}`;
}

const rowsOf = ({ sql, golden }: TypeCase): readonly string[] =>
  golden.map(([input, json]) => `| ${sql.replaceAll(/\b(app|ext)\./g, '')} | ${cell(input)} | ${cell(json)} |`);

test('docs/types.md is what the tests check', () => {
  const page = `${INTRODUCTION}${TYPE_CASES.flatMap(rowsOf).join('\n')}\n`;
  if (process.env.UPDATE_DOCS === '1') writeFileSync(PAGE, page);
  assert.equal(readFileSync(PAGE, 'utf8'), page);
});
