import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const PAGE = 'docs/servers.md';
const FOLDERS = ['src', 'test', 'scripts', 'docs'];
const PAGES = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];

/** What people read: path → text. */
function texts(): ReadonlyMap<string, string> {
  const inFolders = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  );
  const paths = [...PAGES, ...inFolders].filter((path) => /\.(ts|mjs|md)$|expect\.json$/.test(path));
  return new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));
}

const files = texts();
const entries = [...(files.get(PAGE) ?? '').matchAll(/^- \*\*([A-Z]\d+)\*\*/gm)].map(([, name = '']) => name);

/** The numbers in a text, and those between `P23 to P25`. */
function cited(text: string): readonly string[] {
  const single = [...text.matchAll(/\b[PEC][1-9]\d?\b/g)].map(([name]) => name);
  const between = [...text.matchAll(/\b([PEC])(\d+) to \1(\d+)\b/g)].flatMap(([, letter, from, to]) =>
    Array.from({ length: Number(to) - Number(from) }, (_, index) => `${letter}${Number(from) + index}`),
  );
  return [...single, ...between];
}

test('docs/servers.md numbers its three lists without a gap', () => {
  for (const letter of ['P', 'E', 'C']) {
    const numbers = entries.filter((name) => name.startsWith(letter));
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => `${letter}${index + 1}`),
    );
  }
});

test('every fact that is cited is in docs/servers.md, which the file names, and every entry is cited', () => {
  const used = new Set<string>();
  for (const [path, text] of files) {
    if (path === PAGE) continue;
    for (const name of cited(text)) {
      assert.ok(entries.includes(name), `${path} cites ${name}, which is not in ${PAGE}`);
      assert.ok(text.includes(PAGE), `${path} cites ${name} and does not name ${PAGE}`);
      used.add(name);
    }
  }
  assert.deepEqual(
    entries.filter((name) => !used.has(name)),
    [],
    'nobody relies on these',
  );
});

test('every page that a comment names is in the repository', () => {
  // A page that is written, not read: the report for pull requests.
  const written = ['summary.md'];
  for (const [path, text] of files) {
    if (!/\.(ts|mjs)$/.test(path)) continue;
    for (const [comment] of text.matchAll(/\/\*[\s\S]*?\*\/|\/\/ .*$/gm))
      for (const [page] of comment.matchAll(/(?<![\w*./-])[\w./-]*\w\.md\b/g))
        assert.ok(written.includes(page) || existsSync(join(ROOT, page)), `${path} names ${page}, which does not exist`);
  }
});

test('every page of docs that is named exists', () => {
  for (const [path, text] of files)
    for (const [page] of text.matchAll(/\bdocs\/[\w/-]+\.md\b/g))
      assert.ok(existsSync(join(ROOT, page)), `${path} names ${page}, which does not exist`);
});
