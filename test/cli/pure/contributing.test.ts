import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const page = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');

test('the way of one row goes through files that exist, and through every folder of src', () => {
  const section = page.split('## One row, from COPY to the swap')[1]?.split('\n## ')[0] ?? '';
  const stations = [...section.matchAll(/^(src\S+\.ts) {2,}\S/gm)].map(([, path = '']) => path);
  assert.equal(stations.length, 11);
  for (const path of new Set([...section.matchAll(/src\/\S+\.ts/g)].map(([path]) => path))) assert.ok(existsSync(join(ROOT, path)), path);
  const folders = new Set(stations.map((path) => dirname(path).split('/')[1]));
  assert.deepEqual([...folders], ['cli', 'phases', 'postgres', 'core', 'elasticsearch']);
});

test('the files and folders that CONTRIBUTING.md names exist', () => {
  for (const [, path = ''] of page.matchAll(/`((?:src|test|docs|scripts)\/[\w./-]+)(?: [^`]*)?`/g)) assert.ok(existsSync(join(ROOT, path)), path);
});
