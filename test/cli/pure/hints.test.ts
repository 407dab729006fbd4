import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const SRC = join(import.meta.dirname, '..', '..', '..', '..', 'src');

/** The text of a call from its opening parenthesis to the one that closes it. */
function callAt(text: string, opening: number): string {
  let depth = 0;
  for (let at = opening; at < text.length; at++) {
    if (text[at] === '(') depth++;
    else if (text[at] === ')' && --depth === 0) return text.slice(opening, at + 1);
  }
  return text.slice(opening);
}

test('every failure that is thrown says what to do next', () => {
  let seen = 0;
  for (const path of readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))) {
    const text = readFileSync(join(SRC, path), 'utf8');
    for (const match of text.matchAll(/new Failure\(/g)) {
      const call = callAt(text, match.index + match[0].length - 1);
      seen++;
      // One that only asks the table of kinds is never shown; options by another name are made beside it.
      if (call === "(kind, '')" || /\bhint\b|\boptions\b/.test(call)) continue;
      assert.fail(`src/${path}: ${call.replace(/\s+/g, ' ')} has no hint`);
    }
  }
  assert.ok(seen > 100, 'the failures are found');
});
