import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { hookMistake } from '../../../src/cli/hooks/require-runnable.ts';
import { loadText } from './load-config.ts';

const directory = mkdtempSync(join(tmpdir(), 'realign-hooks-'));
after(() => rmSync(directory, { recursive: true }));
mkdirSync(join(directory, 'directory'));
const ok = join(directory, 'ok.sh');
writeFileSync(ok, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
writeFileSync(join(directory, 'plain.sh'), '#!/bin/sh\nexit 0\n', { mode: 0o644 });
writeFileSync(join(directory, 'binary'), Buffer.from([0x7f, 0x45, 0x4c, 0x46]), { mode: 0o755 });
writeFileSync(join(directory, 'lost.sh'), '#! /nowhere/bash -e\nexit 0\n', { mode: 0o755 });
writeFileSync(join(directory, 'dos.sh'), '#!/bin/sh\r\nexit 0\r\n', { mode: 0o755 });

function told(script: string): string | null {
  const hooks = `hooks: { beforeSwap: ${script} }`;
  const text = `version: 1\npostgres: { url: postgres://u@localhost/d }\nelasticsearch: { url: http://localhost:9200 }\nindices: { a: { table: public.a } }\n${hooks}\n`;
  return hookMistake(loadText({ text }).configuration)?.message ?? null;
}

test('a program, and a script whose interpreter is there, can be run', () => {
  for (const script of [ok, join(directory, 'binary'), process.execPath]) assert.equal(told(script), null, script);
});

for (const [name, why] of [
  ['missing.sh', 'ENOENT'],
  ['plain.sh', 'EACCES'],
  ['directory', 'no file'],
  ['lost.sh', 'its first line names /nowhere/bash: ENOENT'],
  // Of a file with the line ends of Windows the kernel looks for that as well.
  ['dos.sh', 'its first line names /bin/sh\r: ENOENT'],
] as const) {
  test(`${name} cannot: ${why}, with its place`, () => {
    const script = join(directory, name);
    assert.match(told(script) ?? '', new RegExp(`realign\\.yaml:5:22 {2}hooks\\.beforeSwap: it cannot be run: ${script} \\(${why}\\)$`));
  });
}
