import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const SRC = join(import.meta.dirname, '..', '..', '..', 'src');

/** The linter denies globals; these are members and imports, which it does not see. Whoever draws takes what the run brings: `run.random`, the seed of the options. */
const CHANCE = /\bMath\s*\.\s*random\b|\brandom(?:UUID|Bytes|Int|FillSync)\b|\bgetRandomValues\b/;

test('core and phases draw nothing at random and read no clock behind the back of their caller', () => {
  const sources = ['core', 'phases'].flatMap((folder) =>
    readdirSync(join(SRC, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => join(folder, path)),
  );
  assert.ok(sources.length > 100, 'the sources are found');
  for (const path of sources) {
    const text = readFileSync(join(SRC, path), 'utf8');
    assert.doesNotMatch(text, CHANCE, path);
    assert.doesNotMatch(text, /\bnew Date\(\)|\bDate\.now\b/, path);
  }
});
